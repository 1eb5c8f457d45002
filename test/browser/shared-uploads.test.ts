// Sending files by a link: file requests as a stranger sees them on a phone, with a connection that is lost meanwhile.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createFolder, download, listFolder, saveFile } from '../interface/client.ts';
import { makeShare, type Share, showShare } from '../interface/shares.ts';
import { Cutter } from '../resume/cutter.ts';
import { patientMs, withoutBrowser } from './browser.ts';
import { openWorld, type World } from './console-world.ts';
import { openStranger } from './stranger.ts';
import { checkView } from './view.ts';

const options = { skip: withoutBrowser, timeout: 3 * patientMs };
const largeBytes = 24_000_000;
let world: World;
let folder: string;
let share: Share;

before(async () => {
  if (withoutBrowser) return;
  world = await openWorld({ CABINET_SHARE_UPLOAD_MAX: '30MiB' });
  folder = (await createFolder(world.caller, '-root-', 'Received')).Id;
  await saveFile(world.caller, { FolderId: folder, FileName: 'secret plan.txt' }, 'secret');
  share = await makeShare(world.caller, folder, {
    Access: 'upload',
    Name: 'Send <b>us</b> your photos',
    Note: 'Thank you',
  });
});

after(async () => {
  if (withoutBrowser === false) await world.close();
});

const address = () => String(share.Url);
const line = (page: Page, name: string) => page.locator('[data-list] li', { hasText: name });
const done = (page: Page, name: string) => line(page, name).getByText('Sent', { exact: true }).waitFor();

const pattern = (bytes: number) => `Uint32Array.from({ length: ${bytes / 4} }, (_, index) => index)`;

/** Made in the page: a large file takes long on its way through the test's connection to the browser. */
async function chooseLarge(page: Page, name: string, bytes: number): Promise<void> {
  await page.evaluate(`(() => {
    const made = new DataTransfer();
    made.items.add(new File([${pattern(bytes)}], '${name}'));
    document.querySelector('input[type=file]').files = made.files;
  })()`);
}

test('a stranger sends files, and sees nothing of the folder', options, async () => {
  const { page, context, problems } = await openStranger(world);
  await page.goto(address());
  await page.getByRole('heading', { level: 1, name: 'Send <b>us</b> your photos' }).waitFor();
  await page.getByText('Thank you').waitFor();
  assert.ok(!(await page.content()).includes('secret plan'));
  assert.equal(await page.locator('main b').count(), 0);
  await checkView(page, 'public-upload');
  const file = (name: string, body: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(body) });
  await page
    .getByLabel('Files to send')
    .setInputFiles([file('größe <i>.txt', 'one'), file('empty.txt', ''), file('secret plan.txt', 'mine')]);
  await page.getByRole('button', { name: 'Send', exact: true }).tap();
  for (const name of ['größe <i>.txt', 'empty.txt', 'secret plan.txt']) await done(page, name);
  await checkView(page, 'public-upload-sent');
  const saved = new Map((await listFolder(world.caller, folder)).map(({ Name, Size }) => [Name, Size]));
  assert.deepEqual(
    [...saved].sort(),
    Object.entries({ 'empty.txt': 0, 'größe <i>.txt': 3, 'secret plan (2).txt': 4, 'secret plan.txt': 6 }).sort(),
  );
  assert.equal((await showShare(world.caller, share)).Uploads, 3);
  await page.reload();
  await page.getByLabel('Files to send').waitFor();
  assert.ok(!(await page.content()).includes('größe'), 'not even what was sent');
  assert.deepEqual(problems, []);
  await context.close();
});

test('an upload shows its progress, and goes on after the connection was lost', options, async () => {
  const cutter = await Cutter.open({ random: () => 1, share: 0, withinBytes: 0 });
  const port = Number(new URL(world.base).port);
  cutter.target = port;
  const { page, context, problems } = await openStranger(world, { base: cutter.url });
  const network = await context.newCDPSession(page);
  const throttle = (uploadThroughput: number) =>
    network.send('Network.emulateNetworkConditions', {
      ...{ offline: false, latency: 0, downloadThroughput: -1, uploadThroughput },
    });
  const offsets: number[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PATCH') offsets.push(Number(request.headers()['upload-offset']));
  });
  await page.goto(cutter.url + new URL(address()).pathname);
  await throttle(1_000_000);
  await chooseLarge(page, 'film.bin', largeBytes);
  await page.getByRole('button', { name: 'Send', exact: true }).tap();
  const bar = page.getByRole('progressbar', { name: 'Sending film.bin' });
  await line(page, 'film.bin')
    .getByText(/^(1[0-9]|[2-9][0-9]) %$/)
    .waitFor();
  assert.ok(await bar.isVisible());
  await checkView(page, 'public-upload-running');
  const warned = page.waitForEvent('dialog');
  // Nobody waits for the reload: it is refused.
  page.evaluate('location.reload()').catch(() => undefined);
  assert.equal((await warned).type(), 'beforeunload');
  cutter.target = null;
  cutter.cutAll();
  await line(page, 'film.bin').getByText('Waiting for the connection').waitFor();
  cutter.target = port;
  await throttle(-1);
  await done(page, 'film.bin');
  const [first, ...later] = offsets;
  assert.equal(first, 0);
  assert.ok(later.length > 0 && later.every((offset) => offset > 0), `goes on at ${later}`);
  const saved = (await listFolder(world.caller, folder)).find(({ Name }) => Name === 'film.bin');
  const bytes = await download(world.caller, String(saved?.Id));
  const whole = Buffer.from(Uint32Array.from({ length: largeBytes / 4 }, (_, index) => index).buffer);
  assert.equal(hash('sha256', bytes), hash('sha256', whole));
  assert.deepEqual(
    problems.filter((problem) => !/net::ERR_|dialog/.test(problem)),
    [],
  );
  await context.close();
  await cutter.close();
});

test('what is refused says why, and the other files are sent', options, async () => {
  const { page, context } = await openStranger(world);
  await page.goto(address());
  await page.evaluate(`(() => {
    const made = new DataTransfer();
    made.items.add(new File([new Uint8Array(33_000_000)], 'too large.bin'));
    made.items.add(new File(['small'], 'small.txt'));
    document.querySelector('input[type=file]').files = made.files;
  })()`);
  await page.getByRole('button', { name: 'Send', exact: true }).tap();
  await done(page, 'small.txt');
  const refused = line(page, 'too large.bin');
  assert.match(String(await refused.locator('.state').textContent()), /large|bytes/);
  await checkView(page, 'public-upload-refused');
  await context.close();
});

test('in a German browser, sending files is German', options, async () => {
  const { page, context } = await openStranger(world, { locale: 'de' });
  await page.goto(address());
  await page.evaluate(`(() => {
    const made = new DataTransfer();
    made.items.add(new File([new Uint8Array(33_000_000)], 'zu groß.bin'));
    made.items.add(new File(['klein'], 'klein $& {name}.txt'));
    document.querySelector('input[type=file]').files = made.files;
  })()`);
  await page.getByText('Dateien zum Senden').waitFor();
  await page.getByRole('button', { name: 'Senden', exact: true }).tap();
  await line(page, 'klein').getByText('Gesendet', { exact: true }).waitFor();
  await page.getByRole('progressbar', { name: 'klein $& {name}.txt wird gesendet' }).waitFor();
  await line(page, 'zu groß.bin').getByText('Die Datei ist zu groß.').waitFor();
  await context.close();
});
