// The public page of links as a stranger uses it on a phone, in a real browser against a real service.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createFolder, saveFile } from '../interface/client.ts';
import { dayMs, makeShare, type Share, showShare } from '../interface/shares.ts';
import { patientMs, readDownload, withoutBrowser } from './browser.ts';
import { openWorld, type World } from './console-world.ts';
import { drawPicture } from './sample-picture.ts';
import { openStranger } from './stranger.ts';
import { checkView } from './view.ts';

const options = { skip: withoutBrowser, timeout: 3 * patientMs };
const hostile = '<img src=x onerror=alert(1)>';
let world: World;
let folder: string;

before(async () => {
  if (withoutBrowser) return;
  world = await openWorld({}, { hasClock: true });
  folder = (await createFolder(world.caller, '-root-', 'Holiday')).Id;
  const inner = await createFolder(world.caller, folder, 'Days');
  await createFolder(world.caller, folder, 'Empty');
  const save = (name: string, body: string | Buffer, type: string, into = folder) =>
    saveFile(world.caller, { FolderId: into, FileName: name, 'Content-Type': type }, body);
  await save('sunset.png', drawPicture(), 'image/png');
  await save('letter.txt', 'Dear Ms Ames', 'text/plain');
  await save('page.html', '<script>alert(2)</script>', 'text/html');
  await save(hostile, 'hostile', 'text/plain');
  await save('day 1.txt', 'It rained.', 'text/plain', inner.Id);
});

after(async () => {
  if (withoutBrowser === false) await world.close();
});

const address = ({ Url }: Share) => String(Url);
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

test('a stranger lists a folder, goes into it and back, and sees what can be shown', options, async () => {
  const share = await makeShare(world.caller, folder, {
    Name: 'Our <i>holiday</i>',
    Note: 'Two lines\n<b>of text</b>',
  });
  const { page, context, problems } = await openStranger(world);
  await page.goto(address(share));
  await heading(page, 'Our <i>holiday</i>');
  await page.getByText('<b>of text</b>').waitFor();
  assert.deepEqual(await page.locator('li .name').allTextContents(), [
    ...['Days/', 'Empty/', hostile, 'letter.txt', 'page.html', 'sunset.png'],
  ]);
  assert.equal(await page.locator('li img, main i, main b, main script').count(), 0, 'names and texts are text');
  await checkView(page, 'public-folder');
  await page.getByRole('link', { name: 'Days/' }).tap();
  await heading(page, 'Days');
  await page.getByText('day 1.txt').waitFor();
  await page.getByRole('link', { name: /^Back to/ }).tap();
  await page.getByRole('link', { name: 'Empty/' }).tap();
  await page.getByText('This folder is empty.').waitFor();
  await page.getByRole('link', { name: /^Back to/ }).tap();
  await page.getByRole('link', { name: 'sunset.png', exact: true }).tap();
  const picture = page.getByRole('img', { name: 'sunset.png' });
  await picture.waitFor();
  const width =
    "(async () => { const one = document.querySelector('main img'); await one.decode(); return one.naturalWidth; })()";
  assert.equal(await page.evaluate(width), 320);
  await page.goBack();
  await page.getByRole('link', { name: 'letter.txt', exact: true }).tap();
  await page.getByText('Dear Ms Ames').waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'page.html', exact: true }).tap();
  await page.getByText('<script>alert(2)</script>').waitFor();
  await page.goBack();
  await page.getByRole('link', { name: hostile, exact: true }).tap();
  await heading(page, hostile);
  await page.locator('.look pre', { hasText: 'hostile' }).waitFor();
  assert.deepEqual(problems, []);
  await context.close();
});

test('a browser that prefers German gets the pages in German', options, async () => {
  const share = await makeShare(world.caller, folder, { Password: 'x' });
  const { page, context, problems } = await openStranger(world, { locale: 'de-DE' });
  await page.goto(address(share));
  await heading(page, 'Dieser Link braucht ein Passwort');
  assert.equal(await page.evaluate('document.documentElement.lang'), 'de');
  await page.getByLabel('Passwort').fill('y');
  await page.getByRole('button', { name: 'Öffnen' }).tap();
  await page.getByText('Das Passwort ist falsch.').waitFor();
  await page.getByLabel('Passwort').fill('x');
  await page.getByRole('button', { name: 'Öffnen' }).tap();
  await heading(page, 'Holiday');
  await page.getByText(/^Dieser Link gilt bis zum \d+\. \p{L}+ \d{4}\.$/u).waitFor();
  await page.getByRole('link', { name: 'Alles herunterladen' }).waitFor();
  await checkView(page, 'public-german');
  await page.getByRole('link', { name: 'letter.txt', exact: true }).tap();
  await page.getByRole('link', { name: 'letter.txt herunterladen' }).waitFor();
  await page.getByText('Dear Ms Ames').waitFor();
  await page.getByRole('link', { name: 'Zurück zu Holiday' }).tap();
  await page.getByRole('link', { name: 'Empty/' }).tap();
  await page.getByText('Dieser Ordner ist leer.').waitFor();
  await page.goto(`${world.base}/s/${'A'.repeat(43)}`);
  await heading(page, 'Dieser Link funktioniert nicht');
  assert.deepEqual(
    problems.filter((problem) => !/40[14]/.test(problem)),
    [],
  );
  await context.close();
});

test('one file and everything are downloaded', options, async () => {
  const share = await makeShare(world.caller, folder);
  const { page, context, problems } = await openStranger(world);
  await page.goto(address(share));
  const tap = async (name: string) => {
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name }).tap();
    return await download;
  };
  const one = await tap('Download page.html');
  assert.equal(one.suggestedFilename(), 'page.html');
  assert.equal(await readDownload(one), '<script>alert(2)</script>');
  const all = await tap('Download everything');
  assert.match(all.suggestedFilename(), /\.zip$/);
  assert.match(await readDownload(all), /^PK.*day 1\.txt/s);
  assert.equal((await showShare(world.caller, share)).Downloads, 2);
  assert.deepEqual(problems, []);
  await context.close();
});

test('a password is asked for once; a wrong one is said to be wrong', options, async () => {
  const share = await makeShare(world.caller, folder, { Password: 'öpen <sesame>' });
  const { page, context, problems } = await openStranger(world);
  await page.goto(address(share));
  await heading(page, 'This link needs a password');
  assert.equal(await page.getByText('Holiday').count(), 0, 'nothing is shown before');
  await checkView(page, 'public-password');
  await page.getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Open' }).tap();
  await page.getByRole('alert').waitFor();
  await checkView(page, 'public-password-wrong');
  await page.getByLabel('Password').fill('öpen <sesame>');
  await page.getByRole('button', { name: 'Open' }).tap();
  await heading(page, 'Holiday');
  await page.getByRole('link', { name: 'Days/' }).tap();
  await heading(page, 'Days');
  await page.reload();
  await heading(page, 'Days');
  assert.equal(await page.evaluate('document.cookie'), '', 'no script reads the cookie');
  // The browser reports pages with 401 as failed resources.
  assert.deepEqual(
    problems.filter((problem) => !problem.includes('401')),
    [],
  );
  await context.close();
});

test('by keyboard alone, the password is typed, a folder opened and a file downloaded', options, async () => {
  const share = await makeShare(world.caller, folder, { Password: 'x' });
  const { page, context } = await openStranger(world, { viewport: { width: 1280, height: 560 } });
  await page.goto(address(share));
  await page.getByLabel('Password').waitFor();
  await page.keyboard.type('x');
  await page.keyboard.press('Enter');
  await heading(page, 'Holiday');
  const focused = async () => String(await page.evaluate('document.activeElement.textContent'));
  const tabTo = async (text: string) => {
    for (let steps = 0; steps < 20 && (await focused()) !== text; steps += 1) await page.keyboard.press('Tab');
    assert.equal(await focused(), text);
  };
  await tabTo('Days/');
  assert.notEqual(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle'), 'none');
  await page.keyboard.press('Enter');
  await heading(page, 'Days');
  await tabTo('Download');
  const download = page.waitForEvent('download');
  await page.keyboard.press('Enter');
  assert.equal(await readDownload(await download), 'It rained.');
  await checkView(page, 'public-wide');
  await context.close();
});

test('a link that has expired or never was has one page, which says what to do', options, async () => {
  const share = await makeShare(world.caller, folder, { Name: 'Too late' });
  const { page, context, problems } = await openStranger(world);
  await page.goto(address(share));
  await heading(page, 'Too late');
  await world.advance(31 * dayMs);
  await page.reload();
  await heading(page, 'This link does not work');
  await page.getByText('Ask whoever sent it for a new one.').waitFor();
  assert.ok(!(await page.content()).includes('Too late'));
  const expired = await page.content();
  await checkView(page, 'public-expired');
  await page.goto(`${world.base}/s/${'A'.repeat(43)}`);
  assert.equal(await page.content(), expired);
  assert.deepEqual(
    problems.filter((problem) => !problem.includes('404')),
    [],
  );
  await context.close();
});
