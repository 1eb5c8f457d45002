// Sharing entries, and what is shared with somebody, in a real browser against a real service.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { saveFile } from '../interface/client.ts';
import { get, manage } from '../interface/managing.ts';
import { addUser, type Person } from '../service/operator.ts';
import { findBarriers } from './axe.ts';
import { patientMs, withoutBrowser } from './browser.ts';
import { comeBackTo, fillSamples, leaveByEscape, openConsole, openWorld, type World, walkTo } from './console-world.ts';
import { checkView } from './view.ts';

const options = { skip: withoutBrowser, timeout: 3 * patientMs };
let world: World;
let gus: Person;
let invoices: string;

before(async () => {
  if (withoutBrowser) return;
  world = await openWorld();
  ({ invoices } = await fillSamples(world));
  gus = await addUser(world.dataFolder, 'gus');
  await manage(world.caller, 'POST', '/groups', { Name: 'legal', Members: ['gus'] });
});

after(async () => {
  if (withoutBrowser === false) await world.close();
});

type Access = { Access: { Principal: string; Role: string; From: object | string }[] };

async function listGrants(): Promise<string[]> {
  const { Access } = await get<Access>(world.caller, `/entries/${invoices}/access`);
  return Access.filter(({ From }) => From !== 'space').map(({ Principal, Role }) => `${Principal} ${Role}`);
}

test('a manager shares a folder with a person and a group, sees who has access, and stops it', options, async () => {
  const { page, problems } = await openConsole(world, world.people.manager);
  await walkTo(page, `/files?look=${invoices}`);
  await page.getByRole('button', { name: 'Share' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('mona', { exact: true }).waitFor();
  await dialog.getByLabel('User id').fill('gus');
  await dialog.getByRole('button', { name: 'Share', exact: true }).click();
  await dialog.getByText('View · shared here').waitFor();
  assert.deepEqual(await listGrants(), ['user:gus viewer']);
  await dialog.getByRole('button', { name: 'A person With' }).click();
  await page.getByRole('option', { name: 'A group' }).click();
  await dialog.getByLabel('Name of the group').fill('legal');
  await dialog.getByRole('button', { name: 'View May' }).click();
  await page.getByRole('option', { name: 'Edit' }).click();
  await dialog.getByRole('button', { name: 'Share', exact: true }).click();
  await dialog.getByText('Group legal').waitFor();
  assert.deepEqual(await listGrants(), ['group:legal editor', 'user:gus viewer']);
  await checkView(page, 'share');
  await dialog.getByRole('button', { name: 'Stop sharing with gus' }).click();
  await dialog.getByRole('button', { name: 'Stop sharing with gus' }).waitFor({ state: 'detached' });
  assert.deepEqual(await listGrants(), ['group:legal editor']);
  await dialog.getByLabel('Name of the group').fill('nobody');
  await dialog.getByRole('button', { name: 'Share', exact: true }).click();
  await page.locator('.notice').filter({ hasText: 'group' }).first().waitFor();
  assert.deepEqual(
    problems.filter((problem) => !problem.includes('404')),
    [],
  );
  await page.context().close();
});

test('somebody without a role sees what is shared with them, and nothing else of the space', options, async () => {
  await manage(world.caller, 'PUT', `/entries/${invoices}/access/group:legal`, { Role: 'editor' });
  const { page, problems } = await openConsole(world, gus);
  await page.getByRole('heading', { level: 1, name: 'Shared with me' }).waitFor();
  await page.getByText('Edit · in office').waitFor();
  await checkView(page, 'shared-with-me');
  await page.getByRole('main').getByRole('link', { name: 'Invoices' }).click();
  await page.getByRole('heading', { level: 1, name: 'Invoices' }).waitFor();
  await page.getByText('Invoice 4711.txt').waitFor();
  assert.equal(await page.getByText('Contracts').count(), 0);
  assert.equal(await page.getByRole('heading', { name: 'Folders' }).count(), 0, 'there is no tree of the space');
  assert.deepEqual(await findBarriers(page), []);
  await page.getByRole('button', { name: 'New folder' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('by gus');
  await page.keyboard.press('Enter');
  await page.getByText('by gus').first().waitFor();
  const { File } = await saveFile(world.caller, { FolderId: '', FileName: 'alone.txt' }, 'shared alone');
  await manage(world.caller, 'PUT', `/entries/${File.Id}/access/group:legal`, { Role: 'viewer' });
  await comeBackTo(page, '/shared');
  await page.getByRole('link', { name: 'alone.txt' }).click();
  await page.getByRole('dialog', { name: 'alone.txt' }).getByText('shared alone').waitFor();
  await leaveByEscape(page);
  assert.deepEqual(problems, []);
  await page.context().close();
});

test('in German, and on a phone', options, async () => {
  const viewport = { width: 390, height: 800 };
  const { page } = await openConsole(world, gus, { locale: 'de-DE', viewport, isTouch: true });
  await page.getByRole('heading', { level: 1, name: 'Für mich freigegeben' }).waitFor();
  await page.getByText('Bearbeiten · in office').waitFor();
  await checkView(page, 'shared-phone');
  await page.context().close();
});

test('an editor sees who has access, and cannot share', options, async () => {
  const { page } = await openConsole(world, world.people.editor);
  await walkTo(page, `/files?look=${invoices}`);
  await page.getByRole('button', { name: 'Share' }).click();
  // Links come first, which is what editors can make.
  await page.getByRole('tab', { name: 'People' }).click();
  await page.getByText('Only managers of the space share with people and groups.').waitFor();
  assert.equal(await page.getByRole('button', { name: /Stop sharing/ }).count(), 0);
  assert.deepEqual(await findBarriers(page), []);
  await page.context().close();
});
