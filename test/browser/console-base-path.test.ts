// The console beneath a path: signing in, walking, reloading, and signing out.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { findFreePort } from '../free-ports.ts';
import { createFolder } from '../interface/client.ts';
import { withoutBrowser } from './browser.ts';
import { openConsole, openWorld, type World } from './console-world.ts';

const options = { skip: withoutBrowser };
let world: World;

before(async () => {
  if (withoutBrowser !== false) return;
  const port = String(await findFreePort());
  const base = `http://127.0.0.1:${port}/cabinet`;
  world = { ...(await openWorld({ CABINET_PORT: port, CABINET_PUBLIC_URL: base })), base };
});
after(() => world?.close());

test('people sign in, walk, reload and sign out, and every request is beneath the path', options, async () => {
  const folder = await createFolder(world.caller, '-root-', 'Deep');
  const { page, context, problems } = await openConsole(world, world.people.editor);
  assert.equal(new URL(page.url()).pathname, '/cabinet/');
  await page.getByText('Deep').first().dblclick();
  await page.getByText('An empty folder').waitFor();
  assert.equal(new URL(page.url()).pathname, `/cabinet/files/${folder.Id}`);
  await page.reload();
  await page.getByText('An empty folder').waitFor();
  assert.equal(new URL(page.url()).pathname, `/cabinet/files/${folder.Id}`);
  const docs = context.waitForEvent('page');
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'The interface for programs' }).click();
  await (await docs).waitForURL(`${world.base}/docs`);
  await page.getByRole('button', { name: 'Account' }).click();
  assert.deepEqual(problems.splice(0), []);
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  assert.equal(new URL(page.url()).pathname, '/cabinet/');
  // A request that was waiting for changes may be refused when its token ends.
  assert.deepEqual(
    problems.filter((text) => text.startsWith('requested')),
    [],
  );
  await context.close();
});

test('who opens the console without the path is led to the public address', options, async () => {
  const { page, context } = await openConsole(world, world.people.viewer);
  const { origin } = new URL(world.base);
  await page.goto(`${origin}/trash?sort=name`);
  await page.waitForSelector('.shell');
  assert.equal(page.url(), `${world.base}/trash?sort=name`);
  await context.close();
});
