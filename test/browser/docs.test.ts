// The page that shows the description, in a real browser: it enforces what the page's Content-Security-Policy says.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type Caller, createFolder, saveFile } from '../interface/client.ts';
import { addCaller, makeDataFolder, removeDataFolder } from '../service/service.ts';
import { type StartedHere, startServiceHere } from '../service/service-here.ts';
import { type OpenedBrowser, openBrowser, withoutBrowser } from './browser.ts';

const dataFolder = makeDataFolder();
const options = { skip: withoutBrowser };
let service: StartedHere;
let caller: Caller;
let browser: OpenedBrowser;
/** A page with the credentials, and one on which every operation is open: a page is large. */
let signedIn: Opened | null = null;
let whole: Opened | null = null;

before(async () => {
  if (withoutBrowser) return;
  service = await startServiceHere(dataFolder, { environment: { CABINET_TEST_PORT: '0' } });
  caller = await addCaller(dataFolder, service.production, 'reader');
  browser = await openBrowser();
});

after(async () => {
  if (withoutBrowser) return;
  await browser.close();
  await service.stop();
  removeDataFolder(dataFolder);
});

interface Opened {
  page: Page;
  /** Messages of the browser console, exceptions, and requests to other addresses. */
  problems: string[];
}

async function openDocs(base: string, hash = ''): Promise<Opened> {
  const page = await browser.context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (request) => {
    if (!/^(blob|data):/.test(request.url()) && !request.url().startsWith(base)) problems.push(request.url());
  });
  await page.goto(`${base}/docs${hash}`);
  await page.waitForSelector('.operation');
  return { page, problems };
}

async function openAll(page: Page, count: number): Promise<void> {
  await page.evaluate("for (const one of document.querySelectorAll('.operation')) one.open = true");
  await page
    .locator('.operation .body')
    .nth(count - 1)
    .waitFor();
}

async function enterCredentials(page: Page): Promise<void> {
  await page.fill('#appkey', caller.application.AppKey);
  await page.fill('#secret', caller.application.Secret);
  await page.click('#identity button');
  await page.waitForSelector('#identity-state.good');
}

/** At an operation, with the credentials. */
async function openSignedIn(operation: string): Promise<Opened> {
  signedIn?.problems.splice(0);
  if (signedIn === null) {
    signedIn = await openDocs(service.production, `#${operation}`);
    await enterCredentials(signedIn.page);
  }
  // Loads nothing: it differs in what follows the #.
  await signedIn.page.goto(`${service.production}/docs#${operation}`);
  await signedIn.page.waitForSelector(`#${operation}[open] .try`);
  return signedIn;
}

/** In production, with every operation open. */
async function openWhole(): Promise<Opened> {
  whole ??= await openDocs(service.production);
  await openAll(whole.page, await whole.page.locator('.operation').count());
  return whole;
}

async function sendIt(page: Page, operation: string): Promise<string> {
  await page.click(`#${operation} .try button[type=submit]`);
  await page.waitForSelector(`#${operation} .try .status`);
  return (await page.textContent(`#${operation} .try [role=status]`)) ?? '';
}

test('every operation of the description is shown, in both environments', options, async () => {
  for (const base of [service.production, String(service.test)]) {
    const opened = await openDocs(base);
    const { page, problems } = opened;
    const { paths } = (await (await fetch(`${base}/openapi.json`)).json()) as { paths: Record<string, object> };
    const methods = Object.values(paths).flatMap((operations) => Object.keys(operations));
    const count = methods.filter((method) => method !== 'head').length;
    assert.equal(await page.locator('.operation').count(), count);
    assert.equal(await page.locator('nav li').count(), count);
    assert.equal(await page.title(), 'The interface – Cabinet');
    await openAll(page, count);
    assert.doesNotMatch(await page.innerText('main'), /\[object|undefined|NaN/);
    assert.deepEqual(problems, []);
    if (base === service.production) whole = opened;
    else await page.close();
  }
});

test('a folder is created with typed credentials, and the secret is not stored', options, async () => {
  const { page, problems } = await openSignedIn('FoldersPOST');
  assert.equal(await page.inputValue('#secret'), '');
  assert.match(await sendIt(page, 'FoldersPOST'), /200 OK.*"Name": "Invoices"/s);
  // The second time the name is taken: a refusal is shown like any answer.
  await page.evaluate("document.querySelector('#FoldersPOST .try [role=status]').replaceChildren()");
  assert.match(await sendIt(page, 'FoldersPOST'), /400.*"Code": "NameAlreadyExists"/s);
  assert.deepEqual(await page.evaluate('[localStorage.length, sessionStorage.length, document.cookie]'), [0, 0, '']);
  const curl = (await page.textContent('#FoldersPOST pre[aria-label=curl]')) ?? '';
  assert.match(curl, /-X POST 'http.*\/v1\/contentmanagement\/folders'.*"Authorization: Bearer \$TOKEN"/s);
  assert.deepEqual(
    problems.filter((text) => !text.includes('400')),
    [],
  );
});

test('a file is saved through the page, and read back', options, async () => {
  const { page } = await openSignedIn('SaveFilesPost');
  const buffer = Buffer.from('%PDF-1.7 größer');
  await page.setInputFiles('#SaveFilesPost input[type=file]', {
    name: 'Größe 1.pdf',
    mimeType: 'application/pdf',
    buffer,
  });
  const answer = await sendIt(page, 'SaveFilesPost');
  assert.match(answer, /200 OK.*"Name": "Größe 1.pdf"/s);
  const id = /"Id": "([^"]+)",\s+"Name": "Größe 1.pdf"/.exec(answer)?.[1] ?? '';
  await page.goto(`${service.production}/docs#FilesContentGet`);
  await page.fill('#FilesContentGet .try input[required]', id);
  assert.match(await sendIt(page, 'FilesContentGet'), /200 OK 17 bytes.*Save the bytes/s);
});

test(
  'a batch of several files is saved, and the bytes of an upload are sent under the type of its protocol',
  options,
  async () => {
    const { page } = await openSignedIn('FilesBatchPost');
    await page.setInputFiles(
      '#FilesBatchPost input[type=file]',
      ['one.txt', 'two.txt'].map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) })),
    );
    assert.match(await sendIt(page, 'FilesBatchPost'), /200 OK.*"Name": "one.txt".*"Name": "two.txt"/s);
    await page.goto(`${service.production}/docs#UploadsPost`);
    const upload = page.locator('#UploadsPost');
    await upload.locator('.choice select').selectOption('application/offset+octet-stream');
    const file = { name: 'three.txt', mimeType: 'text/plain', buffer: Buffer.from('three') };
    await upload.locator('input[type=file]').setInputFiles(file);
    await upload.getByLabel('Tus-Resumable').fill('1.0.0');
    await upload.getByLabel('Upload-Length').fill('5');
    await upload.getByLabel('Upload-Metadata').fill('filename dGhyZWUudHh0');
    assert.match(await sendIt(page, 'UploadsPost'), /201 /);
  },
);

test('hostile names are shown as text', options, async () => {
  const name = '<img src=x onerror=document.title=1> & "quotes"';
  const folder = await createFolder(caller, '-root-', name, { Properties: { turn: '\u202eabc', '<b>': '<script>' } });
  await saveFile(caller, { FolderId: folder.Id, FileName: '<svg onload=document.title=2>.html' }, '<script>1</script>');
  const { page, problems } = await openSignedIn('FoldersGet');
  await page.fill('#FoldersGet .try input[required]', folder.Id);
  const answer = await sendIt(page, 'FoldersGet');
  assert.ok(answer.includes(JSON.stringify(name)));
  assert.ok(answer.includes('\\u202eabc'), 'what turns text around is written as an escape');
  assert.equal(await page.locator('.try img, .try svg, .try script, .try b').count(), 0);
  assert.equal(await page.title(), 'The interface – Cabinet');
  assert.deepEqual(problems, []);
});

test('wrong credentials, a missing parameter and an invalid header show an error', options, async () => {
  const { page } = await openDocs(service.production, '#FoldersGet');
  await page.fill('#appkey', caller.application.AppKey);
  await page.fill('#secret', 'wrong');
  await page.click('#identity button');
  await page.waitForSelector('#identity-state.bad');
  await page.click('#FoldersGet .try button[type=submit]');
  assert.equal(await page.locator('#FoldersGet .try .status').count(), 0, 'the id is required');
  await page.fill('#FoldersGet .try input[required]', '-root-');
  assert.match(await sendIt(page, 'FoldersGet'), /401.*TokenInvalid/s);
  await page.goto(`${service.production}/docs#FoldersPOST`);
  await page.locator('#FoldersPOST').getByLabel('Idempotency-Key').fill('ключ');
  await page.click('#FoldersPOST .try button[type=submit]');
  await page.waitForSelector('#FoldersPOST .try .bad');
  assert.match((await page.textContent('#FoldersPOST .try .bad')) ?? '', /could not be sent/);
  await page.close();
});

test('the page is used by keyboard alone: skip, find, open', options, async () => {
  const { page, problems } = await openDocs(service.production);
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'To the operations');
  await page.keyboard.press('Enter');
  await page.waitForFunction("document.activeElement.id === 'operations'");
  await page.focus('#filter');
  await page.keyboard.type('save a file into');
  const visible = await page.locator('.operation:visible').all();
  assert.deepEqual(await Promise.all(visible.map((one) => one.getAttribute('id'))), ['SaveFilesPost']);
  await page.locator('nav a:visible').focus();
  await page.keyboard.press('Enter');
  await page.waitForSelector('#SaveFilesPost[open] .try');
  assert.equal(await page.evaluate("document.activeElement.closest('.operation').id"), 'SaveFilesPost');
  assert.deepEqual(problems, []);
  await page.close();
});

test(
  'every field has a label, ids are unique, and text has contrast, in light and dark, also on a phone',
  options,
  async () => {
    const { page } = await openWhole();
    assert.deepEqual(await page.evaluate(findNameless), []);
    const grounds: unknown[] = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await page.evaluate(findFaint), [], colorScheme);
      grounds.push(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
    }
    assert.notEqual(grounds[0], grounds[1]);
    await page.setViewportSize({ width: 360, height: 740 });
    const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    assert.equal(overflow, 0, 'nothing is wider than a phone');
    // The list of operations is folded, a moment after the page has become narrow.
    await page.waitForSelector('#contents:not([open])', { state: 'attached' });
  },
);

/** Runs in the page: fields and buttons without a name, ids that stand twice. */
const findNameless = `(() => {
  const fields = [...document.querySelectorAll('input, select, textarea')];
  const nameless = fields.filter((field) => !(field.labels[0]?.textContent.trim()));
  const silent = [...document.querySelectorAll('button, a, summary')].filter((one) => one.textContent.trim() === '');
  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
  return [...nameless, ...silent].map(({ outerHTML }) => outerHTML).concat(twice);
})()`;

/** Runs in the page: text whose contrast to what is behind it is less than 4.5 (WCAG 2.2, 1.4.3). */
const findFaint = `(() => {
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
  const behind = (element) => {
    const colour = parse(getComputedStyle(element).backgroundColor);
    return colour[3] === 0 ? behind(element.parentElement) : colour;
  };
  const faint = [...document.querySelectorAll('main *, nav *, header *')].filter((element) => {
    if (![...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '')) return false;
    if (element.checkVisibility() === false) return false;
    const pair = [light(parse(getComputedStyle(element).color)), light(behind(element))].sort((a, b) => b - a);
    return (pair[0] + 0.05) / (pair[1] + 0.05) < 4.5;
  });
  return faint.map(({ outerHTML }) => outerHTML.slice(0, 200));
})()`;
