// Every dialog is whole on small screens. All of them are one component, so what holds for these holds for the next.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createFolder, saveFile } from '../interface/client.ts';
import { withoutBrowser } from './browser.ts';
import { openConsole, type World, walkTo } from './console-world.ts';
import { openManagedWorld } from './managing-world.ts';
import { checkSmallScreens } from './view.ts';

const options = { skip: withoutBrowser };
let world: World;
let page: Page;
let folder: string;

before(async () => {
  if (withoutBrowser) return;
  world = await openManagedWorld();
  folder = (await createFolder(world.caller, '-root-', 'dialogs')).Id;
  await createFolder(world.caller, folder, 'inner');
  for (const body of ['one', 'two']) await saveFile(world.caller, { FolderId: folder, FileName: 'notes.txt' }, body);
  ({ page } = await openConsole(world, world.people.manager));
});
after(() => world?.close());

const dialogs = () => page.locator('[role=dialog], [role=alertdialog]');
const press = (name: string | RegExp) => page.getByRole('button', { name }).first().click();
const row = (name: string) => page.locator('[role=row][aria-rowindex]', { hasText: name });

/** By the menu of an entry in the folder. */
const choose = (entry: string, item: string) => async () => {
  await row(entry).click({ button: 'right' });
  await page.getByRole('menuitem', { name: item }).click();
};

const inFolder: Record<string, () => Promise<void>> = {
  'new folder': () => press('New folder'),
  'text editor': choose('notes.txt', 'Edit text'),
  share: choose('notes.txt', 'Share'),
  'file request': choose('inner', 'Request files'),
  move: choose('notes.txt', 'Move to'),
  copy: choose('notes.txt', 'Copy to'),
  async 'keyboard shortcuts'() {
    await page.locator('.entries').focus();
    await page.keyboard.press('?');
  },
  async comparison() {
    await choose('notes.txt', 'Versions')();
    await press(/Compare.*Version 1/);
  },
  async 'name conflict'() {
    await press('Clear the selection');
    const file = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('three') };
    await page.setInputFiles('input[data-files]', file);
  },
};

/** By the page that has them. */
const onPages: Record<string, readonly (string | RegExp)[]> = {
  '/account': ['Change password', 'Add an app', 'New app password'],
  '/manage/applications': ['New application'],
  '/manage/people': ['Add a person'],
  '/manage/webhooks': ['New webhook'],
  '/manage/spaces': ['New space', 'Rename'],
  '/manage/links': ['Rules'],
};

async function checkOpened(name: string): Promise<void> {
  await dialogs().first().waitFor();
  await checkSmallScreens(page, name);
  for (let left = await dialogs().count(); left > 0; left -= 1) {
    // Of several, the others are inert.
    const top = page.locator(':is([role=dialog], [role=alertdialog]):not([inert] *)');
    await top
      .getByRole('button', { name: /Close|Cancel|Skip/ })
      .first()
      .click();
    await dialogs()
      .nth(left - 1)
      .waitFor({ state: 'detached' });
  }
}

test('dialogs of a folder are whole on small screens', options, async () => {
  await walkTo(page, `/files/${folder}`);
  for (const [name, open] of Object.entries(inFolder)) {
    await row('notes.txt').waitFor();
    await open();
    await checkOpened(name);
  }
});

test('dialogs of the account and of managing are whole on small screens', options, async () => {
  for (const [path, names] of Object.entries(onPages)) {
    await walkTo(page, path);
    for (const name of names) {
      await press(name);
      await checkOpened(`${path}: ${name}`);
    }
  }
});

test('there are no other dialogs than those of one component, and the viewer', () => {
  const root = join(import.meta.dirname, '../../console');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.tsx') && !path.includes('node_modules'),
  );
  const own = files.filter((path) =>
    /<ModalOverlay|role="(alert)?dialog"/.test(readFileSync(join(root, path), 'utf8')),
  );
  assert.deepEqual(own.toSorted(), ['parts/dialog.tsx', 'viewer/viewer.tsx']);
});
