// A console in which an editor has signed in, for all tests of a file: each works in a folder of its own.

import { after, before } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { type Caller, call, createFolder, saveFile } from '../interface/client.ts';
import { eventually } from '../service/service.ts';
import { patientMs, withoutBrowser } from './browser.ts';
import { openConsole, openWorld, type World, walkToFolder } from './console-world.ts';

export interface Sample {
  name: string;
  type?: string;
  body: string | Buffer;
}

export interface SharedConsole {
  readonly world: World;
  readonly page: Page;
  /** What the browser complained of. */
  readonly problems: string[];
  row(name: string): Locator;
  /** Resolves when this is announced to screen readers. */
  said(text: string): Promise<void>;
  /** A new folder, opened; its name is the label and a number. A name alone is a file whose text is the name; with a slash at its end, a folder. */
  openFolder(...children: (string | Sample)[]): Promise<string>;
  /** The name of the folder that was opened last. */
  folderName(): string;
  childrenOf(folder: string): Promise<{ Id: string; Name: string }[]>;
  namesIn(folder: string): Promise<string[]>;
  /** Resolves when the expression is true in the page. */
  becomes(expression: string): Promise<void>;
}

/** Called at the top of a test file: it registers the hooks that open the console and close it. */
export function shareConsole(label: string): SharedConsole {
  let world: World;
  let page: Page;
  let problems: string[];
  let count = 0;
  before(async () => {
    if (withoutBrowser) return;
    world = await openWorld();
    ({ page, problems } = await openConsole(world, world.people.editor));
  });
  after(() => world?.close());
  const folderName = () => `${label} ${count}`;
  const childrenOf = async (folder: string) => {
    const { body } = await call(world.caller, `/folders/${folder}`);
    return (JSON.parse(body.toString()) as { Children: { Id: string; Name: string }[] }).Children;
  };
  return {
    get world() {
      return world;
    },
    get page() {
      return page;
    },
    get problems() {
      return problems;
    },
    row: (name) => page.locator('[role=row][aria-rowindex]', { hasText: name }),
    said: (text) => page.locator('.unseen[role=status]', { hasText: text }).waitFor({ state: 'attached' }),
    async openFolder(...children) {
      count += 1;
      const folder = await createFolder(world.caller, '-root-', folderName());
      await Promise.all(children.map((child) => addChild(world.caller, folder.Id, child)));
      await walkToFolder(page, folder);
      return folder.Id;
    },
    folderName,
    childrenOf,
    namesIn: async (folder) => (await childrenOf(folder)).map(({ Name }) => Name),
    // Polled from outside: `waitForFunction` evaluates within the page, which the page's policy forbids.
    becomes: async (expression) => {
      await eventually(expression, async () => (await page.evaluate(expression)) === true, patientMs);
    },
  };
}

async function addChild(caller: Caller, folder: string, child: string | Sample): Promise<void> {
  if (typeof child === 'string' && child.endsWith('/')) {
    await createFolder(caller, folder, child.slice(0, -1));
    return;
  }
  const type = typeof child === 'string' ? 'application/octet-stream' : (child.type ?? 'text/plain');
  const { name, body } = typeof child === 'string' ? { name: child, body: child } : child;
  await saveFile(caller, { FolderId: folder, FileName: name, 'Content-Type': type }, body);
}
