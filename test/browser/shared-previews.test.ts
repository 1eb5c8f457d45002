// What the page of a link shows of files, on a stranger's phone: pictures, sound, video, PDF, text and Markdown; and that nothing of
// them runs.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createFolder, saveFile } from '../interface/client.ts';
import { makeShare } from '../interface/shares.ts';
import { eventually } from '../service/service.ts';
import { patientMs, withoutBrowser } from './browser.ts';
import { openWorld, type World } from './console-world.ts';
import { makeSound, makeVideo, samplesPerSecond, video } from './sample-media.ts';
import { makePdf } from './sample-pdf.ts';
import { drawPicture } from './sample-picture.ts';
import { openStranger, type Stranger } from './stranger.ts';
import { checkView } from './view.ts';

const options = { skip: withoutBrowser, timeout: 3 * patientMs };
let world: World;
let stranger: Stranger;
let page: Page;

before(async () => {
  if (withoutBrowser) return;
  world = await openWorld();
  stranger = await openStranger(world);
  page = stranger.page;
});

after(async () => {
  if (withoutBrowser === false) await world.close();
});

interface Sample {
  name: string;
  type: string;
  body: string | Buffer;
}

/** Opens the page of a link to a file; says what to expect there. */
async function open({ name, type, body }: Sample, fields: object = {}, tab = page): Promise<void> {
  const folder = await createFolder(world.caller, '-root-', crypto.randomUUID());
  const headers = { FolderId: folder.Id, FileName: name, 'Content-Type': type };
  const { File } = await saveFile(world.caller, headers, body);
  const { Url } = await makeShare(world.caller, File.Id, fields);
  stranger.problems.length = 0;
  await tab.goto(String(Url));
  await tab.getByRole('heading', { level: 1, name }).waitFor();
}

const nothing = () => page.getByText('No preview available. Download the file to open it.').waitFor();

test('a picture is shown', options, async () => {
  await open({ name: 'sunset.png', type: 'image/png', body: drawPicture() });
  const width =
    "(async () => { const one = document.querySelector('main img'); await one.decode(); return one.naturalWidth; })()";
  assert.equal(await page.evaluate(width), 320);
  await checkView(page, 'public-picture');
  assert.deepEqual(stranger.problems, []);
});

/** Goes to a time near the end. Resolves when it is there. */
const seek = (seconds: number) => `new Promise((resolve, reject) => {
  const media = document.querySelector('main video, main audio');
  media.addEventListener('error', () => reject(new Error(media.error?.message)));
  const go = () => {
    media.addEventListener('seeked', () => resolve({ duration: Math.round(media.duration), at: Math.round(media.currentTime) }));
    media.currentTime = ${seconds};
  };
  if (media.readyState >= 1) go();
  else media.addEventListener('loadedmetadata', go);
})`;

async function assertSeeks(seconds: number, lastBytes: number): Promise<void> {
  const starts: { start: number; whole: number }[] = [];
  page.on('response', (response) => {
    const [, start, whole] = /^bytes (\d+)-\d+\/(\d+)$/.exec(response.headers()['content-range'] ?? '') ?? [];
    if (response.status() === 206) starts.push({ start: Number(start), whole: Number(whole) });
  });
  assert.deepEqual(await page.evaluate(seek(seconds - 10)), { duration: seconds, at: seconds - 10 });
  const isNearEnd = starts.some(({ start, whole }) => start > whole - lastBytes);
  assert.ok(isNearEnd, `no range near the end among ${JSON.stringify(starts)}`);
}

test('sound is played, and its end is reached by a range', options, async () => {
  await open({ name: 'silence.wav', type: 'audio/wav', body: makeSound(600) });
  await page.locator('audio[aria-label="silence.wav"]').waitFor();
  await assertSeeks(600, 60 * samplesPerSecond * 2);
  await checkView(page, 'public-sound');
  assert.deepEqual(stranger.problems, []);
});

test('sound whose load has only begun is not taken for damaged', options, async () => {
  const tab = await page.context().newPage();
  // As it is until the browser has found time to fetch something.
  await tab.addInitScript("Object.defineProperty(HTMLMediaElement.prototype, 'networkState', { get: () => 3 })");
  await open({ name: 'short.wav', type: 'audio/wav', body: makeSound(1) }, {}, tab);
  const hasLoaded = () => tab.evaluate("document.querySelector('audio')?.readyState > 0");
  await eventually('the sound is there', async () => (await hasLoaded()) === true, patientMs);
  await tab.close();
});

test('a video is played, and its end is reached by a range', options, async () => {
  // WebCodecs need a page with a secure address.
  await page.goto(`${world.base}/docs`);
  const body = await makeVideo(page);
  assert.ok(body.length > 5_000_000, `${body.length} bytes could be fetched at once`);
  await open({ name: 'film.webm', type: 'video/webm', body });
  await page.locator('video[aria-label="film.webm"]').waitFor();
  await assertSeeks(video.seconds, body.length / 10);
  assert.equal(await page.evaluate("document.querySelector('video').videoWidth"), video.width);
  await checkView(page, 'public-film');
  assert.deepEqual(stranger.problems, []);
});

test('what the browser cannot show of a picture, a sound or a film is said', options, async () => {
  for (const type of ['image/png', 'image/heic', 'audio/mpeg', 'video/mp4', 'video/quicktime', 'image/svg+xml']) {
    await open({ name: `broken ${type.replace('/', ' ')}`, type, body: 'this is none' });
    await nothing();
  }
  await open({ name: 'a.bin', type: 'application/octet-stream', body: Buffer.alloc(9, 1) });
  await nothing();
  await checkView(page, 'public-nothing');
});

const shown = async () => String(await page.locator('.look pre').textContent());

test('text, tables, code and pages are shown as text, in their own encoding', options, async () => {
  const texts: Sample[] = [
    { name: 'letter.txt', type: 'text/plain', body: 'Grüße,\n\tЖ' },
    { name: 'latin.txt', type: 'text/plain; charset=iso-8859-1', body: Buffer.from('Grüße', 'latin1') },
    { name: 'wide.txt', type: 'text/plain', body: Buffer.from('\ufeffGrüße', 'utf16le') },
    { name: 'odd.txt', type: 'text/plain; charset=nonsense', body: 'Grüße' },
    { name: 'table.csv', type: 'text/csv', body: 'a;b\n1;2' },
    { name: 'code.py', type: 'application/octet-stream', body: 'print(1 < 2)' },
    { name: 'code.ts', type: 'video/mp2t', body: 'const answer = 42;' },
    { name: 'data.xml', type: 'application/xml', body: '<a>1</a>' },
  ];
  for (const text of texts) {
    await open(text);
    const expected = text.name === 'letter.txt' || Buffer.isBuffer(text.body) ? /^Grüße/ : String(text.body);
    if (expected instanceof RegExp) assert.match(await shown(), expected, text.name);
    else assert.equal(await shown(), expected, text.name);
    assert.deepEqual(stranger.problems, []);
  }
  await open({ name: 'empty.txt', type: 'text/plain', body: '' });
  await page.getByText('This file is empty.').waitFor();
  await open({ name: 'long.txt', type: 'text/plain', body: `${'ä long line '.repeat(30_000)}end` });
  await page.getByText('Only the first 256 KiB are shown.').waitFor();
  assert.ok(!(await shown()).endsWith('end'));
  await checkView(page, 'public-text');
});

test('Markdown is shown as it is meant', options, async () => {
  const body =
    '# Title\n\nWith **bold** words\n\n- [x] done\n- not\n\n| Name | Size |\n|---|--:|\n| a | 1 |\n\n> said\n\n`code`';
  await open({ name: 'notes.md', type: 'text/markdown', body });
  await page.locator('.look-markdown strong', { hasText: 'bold' }).waitFor();
  await page.getByRole('cell', { name: '1', exact: true }).waitFor();
  await checkView(page, 'public-markdown');
  assert.deepEqual(stranger.problems, []);
  await open({ name: 'deep.md', type: 'text/markdown', body: `${'> '.repeat(5_000)}deep` });
  await page.locator('.look', { hasText: 'deep' }).waitFor();
});

const script = '<script>alert(1)</script><img src="https://evil.example/x" onerror="alert(2)"><svg onload="alert(3)">';

test('nothing of a hostile file runs, and nothing elsewhere is fetched', options, async () => {
  const links =
    '[a](javascript:alert(4)) [b](data:text/html,x) ![c](https://evil.example/y) [d](https://good.example/)';
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40" onload="alert(5)"><script>alert(6)</script>
<image href="https://evil.example/z"/><rect width="40" height="40" fill="red"/></svg>`;
  await open({ name: 'page.html', type: 'text/html', body: script });
  assert.equal(await shown(), script);
  await open({ name: '<b>"x"&.txt', type: 'text/plain', body: `</pre>${script}` });
  assert.equal(await shown(), `</pre>${script}`);
  await open({ name: 'page.md', type: 'text/markdown', body: `${script}\n\n${links}` });
  await page.getByRole('link', { name: 'd', exact: true }).waitFor();
  assert.equal(await page.locator('.look a').count(), 1, 'only the web is linked');
  assert.match(String(await page.locator('.look a').getAttribute('rel')), /noopener noreferrer/);
  assert.equal(await page.locator('.look img, .look script, .look svg').count(), 0);
  await open({ name: 'a.svg', type: 'image/svg+xml', body: svg });
  await page.evaluate("document.querySelector('main img').decode()");
  assert.equal(await page.evaluate("document.querySelector('main img').naturalWidth"), 40);
  assert.deepEqual(stranger.problems, []);
  // The bytes alone, as a page of their own.
  const source = await page.locator('main img').getAttribute('src');
  const download = page.waitForEvent('download');
  await page.goto(new URL(String(source), page.url()).href).catch(() => undefined);
  assert.equal((await download).suggestedFilename(), 'a.svg');
});

test('the pages of a PDF are drawn, and its script is not run', options, async () => {
  await open({ name: 'a.pdf', type: 'application/pdf', body: makePdf('First page', 'Second page') });
  await page.getByRole('img', { name: '2 / 2: Second page' }).waitFor();
  assert.equal(await page.getByRole('img', { name: '1 / 2: First page' }).count(), 1);
  const dark = `(() => {
    const [canvas] = document.querySelectorAll('canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return data.filter((value, at) => at % 4 === 0 && value < 100).length;
  })()`;
  assert.ok(Number(await page.evaluate(dark)) > 50, 'there is writing on it');
  await checkView(page, 'public-pdf');
  assert.deepEqual(stranger.problems, []);
  const many = Array.from({ length: 31 }, (_, index) => `Page ${index + 1}`);
  await open({ name: 'many.pdf', type: 'application/pdf', body: makePdf(...many) });
  await page.getByText('Only the first 30 pages are shown.').waitFor();
  assert.equal(await page.locator('canvas').count(), 30);
  for (const body of [script, '%PDF-1.4\n%%EOF', makePdf('cut').subarray(0, 300)]) {
    await open({ name: 'broken.pdf', type: 'application/pdf', body });
    await nothing();
  }
  assert.deepEqual(stranger.problems, []);
});

test('where downloads are limited, nothing is used up by looking', options, async () => {
  await open({ name: 'letter.txt', type: 'text/plain', body: 'text' }, { MaxDownloads: 1 });
  await page.getByText('There is no preview, because this link limits the number of downloads.').waitFor();
  assert.equal(await page.locator('.look').count(), 0);
});

test('without JavaScript, pictures are shown and files downloaded', options, async () => {
  await open({ name: 'sunset.png', type: 'image/png', body: drawPicture() });
  const context = await world.browser.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } });
  const plain = await context.newPage();
  const picture = plain.waitForResponse((response) => response.url().endsWith('inline=true'));
  await plain.goto(page.url());
  assert.equal((await picture).status(), 200);
  await plain.getByRole('img', { name: 'sunset.png' }).waitFor();
  await plain.getByRole('link', { name: 'Download sunset.png' }).waitFor();
  await context.close();
});
