// A console with folders of files to show in full: what the tests of the viewer share.

import type { Locator, Page } from 'playwright-core';
import { createFolder, saveFile } from '../interface/client.ts';
import { eventually } from '../service/service.ts';
import { patientMs } from './browser.ts';
import { openConsole, openWorld, type World, walkToFolder } from './console-world.ts';

export interface Sample {
  name: string;
  type?: string;
  body: string | Buffer;
}

export interface Viewing {
  world: World;
  page: Page;
  problems: string[];
  row(name: string): Locator;
  viewer(): Locator;
  /** Resolves when this file is shown. */
  shows(name: string): Promise<void>;
  /** A folder of its own with these files, opened. Returns its id. */
  openFolder(...samples: Sample[]): Promise<string>;
  becomes(expression: string): Promise<void>;
}

export async function openViewing(): Promise<Viewing> {
  const world = await openWorld();
  const { page, problems } = await openConsole(world, world.people.editor);
  let count = 0;
  return {
    ...{ world, page, problems },
    row: (name) => page.locator('[role=row][aria-rowindex]', { hasText: name }),
    viewer: () => page.locator('.viewer'),
    shows: (name) => page.getByRole('dialog', { name, exact: true }).waitFor(),
    async openFolder(...samples) {
      count += 1;
      const folder = await createFolder(world.caller, '-root-', `viewed ${count}`);
      for (const { name, type = 'text/plain', body } of samples) {
        await saveFile(world.caller, { FolderId: folder.Id, FileName: name, 'Content-Type': type }, body);
      }
      await walkToFolder(page, folder);
      return folder.Id;
    },
    // Polled from outside: `waitForFunction` evaluates within the page, which the page's policy forbids.
    becomes: async (expression) => {
      await eventually(expression, async () => (await page.evaluate(expression)) === true, patientMs);
    },
  };
}
