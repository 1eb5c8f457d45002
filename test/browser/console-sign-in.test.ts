// Getting into the console and out again, what the page weighs, and what is kept in the browser.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createFolder } from '../interface/client.ts';
import { addUser } from '../service/operator.ts';
import { findBarriers } from './axe.ts';
import { withoutBrowser } from './browser.ts';
import { openConsole, openWorld, type World, walkTo } from './console-world.ts';
import { checkView } from './view.ts';

const options = { skip: withoutBrowser };
const built = join(import.meta.dirname, '../../dist/console');
let world: World;

before(async () => {
  if (withoutBrowser === false) world = await openWorld();
});
after(() => world?.close());

test('the first load has at most 200 KB of script, compressed, in six files, and nothing inline', options, async () => {
  const { page, context } = await openConsole(world, world.people.editor);
  await page.locator('.entries, .empty').first().waitFor();
  const sizes = (await page.evaluate(
    "performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js')).map(({ encodedBodySize }) => encodedBodySize)",
  )) as number[];
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(bytes > 50_000 && bytes <= 200_000, `${bytes} bytes in ${sizes.length} scripts`);
  assert.ok(sizes.length <= 6, `${sizes.length} scripts`);
  assert.doesNotMatch(readFileSync(join(built, 'index.html'), 'utf8'), /<script>|<style|style="|onload=/);
  await context.close();
});

test(
  'assets are cached forever, the page is revalidated each time, and no other files are served',
  options,
  async () => {
    const page = await fetch(`${world.base}/`, { headers: { 'Accept-Encoding': 'gzip' } });
    assert.equal(page.headers.get('cache-control'), 'no-cache');
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/);
    assert.doesNotMatch(policy, /unsafe/);
    const known = await fetch(`${world.base}/files`, {
      headers: { 'If-None-Match': page.headers.get('etag') ?? '', 'Accept-Encoding': 'gzip' },
    });
    assert.equal(known.status, 304);
    const [, path] = /src="(\/assets\/[^"]+\.js)"/.exec(await page.text()) ?? [];
    for (const [accepted, encoding] of [
      ['br', 'br'],
      ['gzip, br;q=0', 'gzip'],
      ['identity', null],
    ] as const) {
      const asset = await fetch(world.base + path, { headers: { 'Accept-Encoding': accepted } });
      assert.equal(asset.headers.get('content-encoding'), encoding);
      assert.match(asset.headers.get('cache-control') ?? '', /immutable/);
      await asset.arrayBuffer();
    }
    for (const name of ['..%2findex.html', '%2e%2e%2fstamp', 'stamp', 'index.html', '__proto__']) {
      assert.equal((await fetch(`${world.base}/assets/${name}`)).status, 404, name);
    }
  },
);

test(
  'a link to a folder survives the sign-in and a reload, and no token is stored in the browser',
  options,
  async () => {
    const folder = await createFolder(world.caller, '-root-', 'Deep');
    const { page, context, problems } = await openConsole(world, world.people.editor, {
      path: `/files/${folder.Id}`,
      isAsked: true,
    });
    await page.getByText('An empty folder').waitFor();
    assert.equal(new URL(page.url()).pathname, `/files/${folder.Id}`);
    await page.reload();
    await page.getByText('An empty folder').waitFor();
    assert.equal(new URL(page.url()).pathname, `/files/${folder.Id}`);
    const kept = (await page.evaluate(
      'JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])',
    )) as string;
    assert.doesNotMatch(kept, /eyJ|token/i);
    const other = await context.newPage();
    await other.goto(`${world.base}/files/${folder.Id}`);
    await other.getByText('An empty folder').waitFor();
    assert.deepEqual(problems, []);
    await context.close();
  },
);

test('signing out by keyboard leads to the sign-in page, and the next visitor needs a password', options, async () => {
  const { page, context } = await openConsole(world, world.people.viewer);
  const addresses: string[] = [];
  page.on('request', (request) => addresses.push(request.url()));
  await page.getByRole('button', { name: 'Account' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Sign out' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Folders and files, kept.' }).waitFor();
  assert.deepEqual(
    addresses.filter((address) => address.includes('eyJ')),
    [],
    'no token is in an address',
  );
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForSelector('#user');
  await context.close();
});

test('the console and its sign-in are in German for German browsers, and in English on request', options, async () => {
  const { page, context } = await openConsole(world, world.people.editor, { locale: 'de-DE', isAsked: true });
  await page.getByRole('button', { name: 'Neuer Ordner' }).waitFor();
  assert.equal(await page.getAttribute('html', 'lang'), 'de');
  await page.getByRole('button', { name: 'Konto' }).click();
  await page.getByRole('menuitem', { name: 'English' }).click();
  await page.getByRole('button', { name: 'New folder' }).waitFor();
  await page.goto(`${world.base}/oauth2/logout`);
  await page.getByRole('button', { name: 'Abmelden' }).click();
  await page.getByText('Sie sind abgemeldet.').waitFor();
  assert.equal(await page.getAttribute('html', 'lang'), 'de');
  await context.close();
});

for (const { locale, heading, trash } of [
  { locale: 'fr-FR', heading: 'Gestion', trash: 'Corbeille' },
  { locale: 'es-ES', heading: 'Gestión', trash: 'Papelera' },
]) {
  test(`the console speaks ${locale}, fits a phone, and has no barriers`, options, async () => {
    const viewport = { width: 390, height: 720 };
    const { page, context, problems } = await openConsole(world, world.people.manager, { locale, viewport });
    const [language = ''] = locale.split('-');
    for (const path of ['/', '/trash', '/search?q=a', '/account', '/manage/people', '/manage/applications', '/links']) {
      await walkTo(page, path);
      await page.locator('h1').first().waitFor();
      await checkView(page, `${language}${path.replaceAll(/\W/g, '-')}`);
      if (path === '/trash') await page.getByRole('heading', { level: 1, name: trash }).waitFor();
    }
    assert.equal(await page.getAttribute('html', 'lang'), language);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('link', { name: heading, exact: true }).waitFor();
    assert.deepEqual(problems, []);
    await context.close();
  });
}

test('an unknown address shows a page to people, and the refusal to programs', options, async () => {
  const { page, context } = await openConsole(world, world.people.editor);
  const answer = await page.goto(`${world.base}/no/such/page`);
  assert.equal(answer?.status(), 404);
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await page.getByRole('main').getByRole('link', { name: 'Files' }).click();
  await page.locator('.entries, .empty').first().waitFor();
  const refused = await fetch(`${world.base}/no/such/page`);
  assert.deepEqual([refused.status, refused.headers.get('content-type')?.split(';')[0]], [404, 'application/json']);
  await context.close();
});

test('a person without a space sees what to do', options, async () => {
  const person = await addUser(world.dataFolder, 'stranger');
  const made = await world.browser.newContext();
  const page = await made.newPage();
  await page.goto(world.base);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.fill('#user', person.User);
  await page.fill('#password', person.Password);
  await page.keyboard.press('Enter');
  await page.getByText('You are in no space yet').waitFor();
  await made.close();
});
