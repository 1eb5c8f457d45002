// Uploads in the console: chosen, dropped with whole folders, pasted; taken names; pausing; a connection that is cut.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { CDPSession, Page } from 'playwright-core';
import { call, createFolder, saveFile } from '../interface/client.ts';
import { withoutBrowser } from './browser.ts';
import { type OpenedConsole, openConsole, openWorld, samplePng, type World, walkToFolder } from './console-world.ts';

const options = { skip: withoutBrowser };
let world: World;
let opened: OpenedConsole;
let page: Page;
let count = 0;
const cutBytes = 45_000_000;

before(async () => {
  if (withoutBrowser) return;
  world = await openWorld();
  opened = await openConsole(world, world.people.editor);
  page = opened.page;
});
after(() => world?.close());

async function openFolder(): Promise<string> {
  count += 1;
  const folder = await createFolder(world.caller, '-root-', `uploads ${count}`);
  const tray = page.locator('.tray');
  // What was uploaded before is forgotten, as by a load.
  await page.evaluate(`document.querySelector('.tray [aria-label="Clear the list"]')?.click()`);
  await tray.waitFor({ state: 'detached' });
  await walkToFolder(page, folder);
  return folder.Id;
}

interface Named {
  Id: string;
  Name: string;
  Size: number;
}

async function children(folder: string): Promise<Named[]> {
  const { body } = await call(world.caller, `/folders/${folder}`);
  return (JSON.parse(body.toString()) as { Children: Named[] }).Children;
}

const names = async (folder: string) => (await children(folder)).map(({ Name }) => Name);
const choose = (...files: { name: string; buffer: Buffer }[]) =>
  page.setInputFiles(
    'input[data-files]',
    files.map((file) => ({ mimeType: 'application/octet-stream', ...file })),
  );
/** Made in the page: a large file takes long on its way through the test's connection to the browser. */
const chooseLarge = (name: string, sizeBytes: number) =>
  page.evaluate(`(() => {
    const made = new DataTransfer();
    made.items.add(new File([Uint32Array.from({ length: ${sizeBytes / 4} }, (_, index) => index)], '${name}'));
    const input = document.querySelector('input[data-files]');
    input.files = made.files;
    input.dispatchEvent(new Event('change', { bubbles: true }));
  })()`);
const line = (name: string, state: string) => page.locator(`.tray-line[data-state=${state}]`, { hasText: name });

let network: CDPSession | null = null;

/** Uploads take their time: bytes in a second. What is set ends with the session, so that one stays. */
async function throttle(bytesPerSecond: number, offline = false): Promise<void> {
  network ??= await opened.context.newCDPSession(page);
  const limits = { offline, latency: 0, downloadThroughput: -1, uploadThroughput: bytesPerSecond };
  await network.send('Network.emulateNetworkConditions', limits);
}

test('chosen files are saved, listed and announced', options, async () => {
  const folder = await openFolder();
  await choose({ name: 'a.txt', buffer: Buffer.from('a') }, { name: 'größe 2.txt', buffer: Buffer.from('bb') });
  await page.locator('.tray-head').getByText('2 files saved').waitFor();
  await page.locator('[role=row][aria-rowindex]', { hasText: 'größe 2.txt' }).waitFor();
  assert.deepEqual(await names(folder), ['a.txt', 'größe 2.txt']);
});

test('a chosen folder is saved with everything beneath it', options, async () => {
  const folder = await openFolder();
  const local = mkdtempSync(join(tmpdir(), 'cabinet-upload-'));
  mkdirSync(join(local, 'deep/er'), { recursive: true });
  writeFileSync(join(local, 'top.txt'), 'top');
  writeFileSync(join(local, 'deep/er/leaf.txt'), 'leaf');
  await page.setInputFiles('input[data-folder]', local);
  const name = local.split('/').at(-1) ?? '';
  await page.locator('[role=row][aria-rowindex]', { hasText: name }).waitFor();
  await line('leaf.txt', 'done').waitFor();
  await line('top.txt', 'done').waitFor();
  const [made] = await children(folder);
  const { body } = await call(world.caller, `/entries/${made?.Id}`);
  const { Path } = JSON.parse(body.toString()) as { Path: string };
  const found = await call(world.caller, `/files?path=${encodeURIComponent(`${Path}/deep/er/leaf.txt`)}`);
  assert.equal(found.status, 200);
  rmSync(local, { recursive: true });
});

test('files can be dropped anywhere on the page, and a picture can be pasted', options, async () => {
  const folder = await openFolder();
  const transfer = (name: string) =>
    page.evaluateHandle(`(() => {
      const made = new DataTransfer();
      const bytes = Uint8Array.from(atob('${samplePng.toString('base64')}'), (one) => one.charCodeAt(0));
      made.items.add(new File([bytes], '${name}', { type: 'image/png' }));
      globalThis.transferred = made;
      return made;
    })()`);
  const dropped = await transfer('dropped.png');
  await page.dispatchEvent('.side', 'dragover', { dataTransfer: dropped });
  await page.getByText(/Drop to save in/).waitFor();
  await page.dispatchEvent('.side', 'drop', { dataTransfer: dropped });
  await line('dropped.png', 'done').waitFor();
  await transfer('image.png');
  const event = "new ClipboardEvent('paste', { clipboardData: transferred, bubbles: true, cancelable: true })";
  await page.evaluate(`document.body.dispatchEvent(${event})`);
  await line('Pasted image', 'done').waitFor();
  const [first, second] = await names(folder);
  assert.match(first ?? '', /^Pasted image .*\.png$/);
  assert.equal(second, 'dropped.png');
});

test('a name conflict is decided once for all remaining files', options, async () => {
  const folder = await openFolder();
  for (const name of ['1.txt', '2.txt', '3.txt']) {
    await saveFile(world.caller, { FolderId: folder, FileName: name }, 'old');
  }
  await page.locator('[role=row][aria-rowindex]').nth(2).waitFor();
  const files = ['1.txt', '2.txt', '3.txt'].map((name) => ({ name, buffer: Buffer.from('new one') }));
  await choose(...files);
  const dialog = page.getByRole('alertdialog');
  await dialog.getByText('exists here already').waitFor();
  await dialog.getByRole('checkbox').check();
  await dialog.getByRole('button', { name: /Save as a new version/ }).click();
  await page
    .locator('.tray-head')
    .getByText(/files saved/)
    .waitFor();
  assert.deepEqual(
    (await children(folder)).map(({ Size }) => Size),
    [7, 7, 7],
  );
  await choose({ name: '1.txt', buffer: Buffer.from('another') });
  await dialog.getByRole('button', { name: /Keep both/ }).click();
  await page.locator('[role=row][aria-rowindex]', { hasText: '1 (2).txt' }).waitFor();
  await choose({ name: '2.txt', buffer: Buffer.from('never') });
  await dialog.getByRole('button', { name: /Skip/ }).click();
  await line('2.txt', 'skipped').waitFor();
  assert.equal((await children(folder)).length, 4);
});

test('an upload is paused, resumed and cancelled; leaving the page meanwhile warns', options, async () => {
  const folder = await openFolder();
  await throttle(200_000);
  await chooseLarge('slow.bin', 12_000_000);
  await line('slow.bin', 'running').waitFor();
  await page.locator('.tray-total p', { hasText: 'left' }).waitFor();
  await page.getByRole('button', { name: 'Pause: slow.bin' }).click();
  await line('slow.bin', 'paused').waitFor();
  assert.equal(await page.locator('.tray-total p').count(), 0, 'nothing is left while it is paused');
  await page.getByRole('button', { name: 'Go on: slow.bin' }).click();
  await line('slow.bin', 'running').waitFor();
  const warned = page.waitForEvent('dialog');
  // Nobody waits for the reload: it is refused.
  page.evaluate('location.reload()').catch(() => undefined);
  const dialog = await warned;
  assert.equal(dialog.type(), 'beforeunload');
  await dialog.dismiss();
  await page.getByRole('button', { name: 'Cancel: slow.bin' }).click();
  await line('slow.bin', 'cancelled').waitFor();
  await page.locator('.tray').getByText('1 upload cancelled').waitFor();
  assert.equal(await page.locator('.tray').getByRole('progressbar').count(), 0);
  await throttle(-1);
  assert.deepEqual(await names(folder), []);
});

test('an upload resumes after a lost connection, and the file is complete', options, async () => {
  const folder = await openFolder();
  // Several pieces: what is under way when the connection is cut may still arrive, what follows cannot.
  await throttle(1_000_000);
  await chooseLarge('cut.bin', cutBytes);
  await page.locator('.tray-line[data-state=running] [role=progressbar]:not([aria-valuenow="0"])').first().waitFor();
  await throttle(1_000_000, true);
  await line('cut.bin', 'stalled').waitFor();
  await page.getByText('Waiting for the connection').first().waitFor();
  await throttle(-1);
  await line('cut.bin', 'done').waitFor();
  const [saved] = await children(folder);
  assert.deepEqual([saved?.Name, saved?.Size], ['cut.bin', cutBytes]);
});
