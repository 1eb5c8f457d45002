// The scenario `console`: what somebody waits for in the web console, in Debian's Chromium: the first page, the first list after the
// sign-in, tiles of photos, work in a large folder. `--size`: how many entries that folder has.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { applicationToken, type Cabinet, connect, createFolder, saveFile, saveFiles } from '@cabinet/client';
import type { CDPSession, Page } from 'playwright-core';
import { openBrowser } from '../test/browser/browser.ts';
import { openConsole, type World, walkToFolder } from '../test/browser/console-world.ts';
import type { Person } from '../test/service/operator.ts';
import type { Children } from './children.ts';
import { describeConditions } from './conditions.ts';
import { Neighbours } from './cost.ts';
import type { Options } from './options.ts';
import { type Scenario, say } from './scenario.ts';
import { startService, toEnvironment } from './service.ts';
import { layOut, median, show } from './table.ts';

const photoCount = 12;
const photoBytes = 3_000_000;
const slowdown = 4;
/** After an interaction, until the browser has said how long it took. */
const restMs = 400;
/** What WebPageTest and Lighthouse call fast 3G: 1.6 Mbit/s and 150 ms there and back. */
const fast3g = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 };
const person: Person = { User: 'reader', Password: 'a long word for the benchmark' };

interface Figure {
  what: string;
  value: number;
  unit: 'bytes' | 'ms';
  most: number | null;
}

type Place = Pick<World, 'base' | 'browser' | 'kept'>;
type Folder = { Id: string; Name: string };

export const consoleScenario: Scenario = {
  what: 'the web console in a browser: bytes of the first page and of tiles, time of the first list, of interactions and of deletions',
  size: 5000,
  async run(children, options) {
    const { base, cabinet } = await openService(children, options);
    const neighbours = new Neighbours();
    const browser = await openBrowser();
    const place: Place = { base, browser, kept: new Map() };
    try {
      const size = options.size ?? 0;
      say(`saving ${photoCount} photos and ${size} files`);
      const photos = await addPhotos(cabinet);
      const figures = [
        ...(await measureFirstPage(place)),
        await measureFirstList(place, options.rounds),
        await measureTiles(place, photos),
        ...(await measureLargeFolder(place, cabinet, { size, rounds: options.rounds })),
      ];
      const facts = [`${size} entries`, `others used ${show(neighbours.percent(), 0)} %`];
      return {
        markdown: `${describeConditions(options, facts)}\n\n${toTable(figures)}\n`,
        isHeld: figures.every(({ value, most }) => most === null || value <= most),
        figures: { figures },
      };
    } finally {
      await browser.close();
    }
  },
};

async function openService(children: Children, options: Options): Promise<{ base: string; cabinet: Cabinet }> {
  const { base, application } = await startService(children, options);
  const run = (...args: string[]) =>
    children.run({ program: options.program, args: [...args, '--json'], env: toEnvironment(children, options) });
  const file = join(children.folder, 'password');
  writeFileSync(file, `${person.Password}\n`);
  await run('user', 'add', person.User, '--password-file', file);
  await run('user', 'role', person.User, 'editor', '--space', 'bench');
  const { AppKey, Secret } = application;
  return { base, cabinet: connect({ url: base, appKey: AppKey, token: applicationToken({ secret: Secret }) }) };
}

/** Each another picture: shapes as large as those of a photo, with its grain. */
async function addPhotos(cabinet: Cabinet): Promise<Folder> {
  const { default: sharp } = await import('sharp');
  const folder = await createFolder(cabinet, { parent: '-root-', name: 'photos' });
  for (let index = 0; index < photoCount; index += 1) {
    const noise = (width: number, height: number, sigma: number) =>
      sharp({
        create: { width, height, channels: 3, background: '#888', noise: { type: 'gaussian', mean: 128, sigma } },
      });
    const shapes = await noise(24, 16, 60).resize(2400, 1600, { kernel: 'cubic' }).png().toBuffer();
    const grain = await noise(2400, 1600, 24).png().toBuffer();
    const photo = sharp(shapes).composite([{ input: grain, blend: 'soft-light' }]);
    const bytes = await photo.jpeg({ quality: 92 }).toBuffer();
    const content = Buffer.concat([bytes, Buffer.alloc(Math.max(0, photoBytes - bytes.length))]);
    await saveFile(cabinet, { folder: folder.Id, name: `photo ${index}.jpg`, content, contentType: 'image/jpeg' });
  }
  return folder;
}

const resourcesOf = `performance.getEntriesByType('resource').map(({ name }) => name)`;

/** What a browser without a cache loads until the first list is there, as gzip. */
async function measureFirstPage(place: Place): Promise<Figure[]> {
  const { page, context } = await openConsole(place, person);
  await page.locator('.entries').waitFor();
  const names = (await page.evaluate(resourcesOf)) as string[];
  const assets = names.filter((name) => /\.(js|css)$/.test(name));
  const sizes = await Promise.all([`${place.base}/`, ...assets].map(readZippedBytes));
  await context.close();
  const value = sizes.reduce((sum, bytes) => sum + bytes, 0);
  return [{ what: `first page: ${sizes.length} files, gzip`, value, unit: 'bytes', most: 200_000 }];
}

/** `fetch` unpacks what it receives: the length is in the header. */
async function readZippedBytes(address: string): Promise<number> {
  const answer = await fetch(address, { headers: { 'Accept-Encoding': 'gzip' } });
  await answer.arrayBuffer();
  if (answer.headers.get('content-encoding') !== 'gzip') throw new Error(`${address} is not compressed`);
  return Number(answer.headers.get('content-length'));
}

/** From the moment at which the password is sent. */
async function measureFirstList(place: Place, rounds: number): Promise<Figure> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const context = await place.browser.context.browser()?.newContext();
    if (context === undefined) throw new Error('the browser is gone');
    const page = await context.newPage();
    await emulate(page, (cdp) => cdp.send('Network.emulateNetworkConditions', fast3g));
    await page.goto(place.base);
    // As long as a person needs to press the button, the page goes on loading.
    await page.waitForLoadState('networkidle');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.fill('#user', person.User);
    await page.fill('#password', person.Password);
    const begin = performance.now();
    await page.keyboard.press('Enter');
    await page.locator('[role=row][aria-rowindex]').first().waitFor();
    times.push(performance.now() - begin);
    await context.close();
  }
  return { what: 'first list after the sign-in, fast 3G', value: median(times), unit: 'ms', most: 1000 };
}

async function emulate(page: Page, run: (cdp: CDPSession) => Promise<unknown>): Promise<void> {
  await run(await page.context().newCDPSession(page));
}

async function measureTiles(place: Place, photos: Folder): Promise<Figure> {
  const { page, context } = await openConsole(place, person);
  await page.locator('.entries').waitFor();
  await page.getByRole('button', { name: 'Grid' }).click();
  const cdp = await context.newCDPSession(page);
  await cdp.send('Network.enable');
  let value = 0;
  cdp.on('Network.loadingFinished', ({ encodedDataLength }) => {
    value += encodedDataLength;
  });
  await walkToFolder(page, photos);
  await page
    .locator('.tile img')
    .nth(photoCount - 1)
    .waitFor();
  await context.close();
  return { what: `${photoCount} photos of 3 MB in tiles`, value, unit: 'bytes', most: 400_000 };
}

const watchEvents = `globalThis.longest = 0;
new PerformanceObserver((list) => {
  for (const { interactionId, duration } of list.getEntries()) {
    if (interactionId > 0) globalThis.longest = Math.max(globalThis.longest, duration);
  }
}).observe({ type: 'event', durationThreshold: 16 });`;

const interactions: Record<string, (page: Page) => Promise<unknown>> = {
  'click a row': (page) => page.locator('[role=row][aria-rowindex]').nth(3).click(),
  'arrow down': (page) => page.keyboard.press('ArrowDown'),
  'page down': (page) => page.keyboard.press('PageDown'),
  'type a letter': (page) => page.keyboard.press('f'),
  'select with Shift': (page) => page.keyboard.press('Shift+PageDown'),
  'open the menu': (page) => page.keyboard.press('Shift+F10'),
  'close the menu': (page) => page.keyboard.press('Escape'),
  'open the details': (page) => page.keyboard.press('i'),
  'select another one': (page) => page.locator('[role=row][aria-rowindex]').nth(8).click(),
  'close the details': (page) => page.getByRole('button', { name: 'Close details' }).click(),
  'select all': (page) => page.keyboard.press('Control+a'),
  'select nothing': (page) => page.keyboard.press('Escape'),
  'show tiles': (page) => page.getByRole('button', { name: 'Grid' }).click(),
  'show the list': (page) => page.getByRole('button', { name: 'List' }).click(),
};

interface Amount {
  /** How many entries the folder has. */
  size: number;
  rounds: number;
}

/** Interactions on a slowed processor, as browsers time them: from the input to the next frame. Then everything is deleted. */
async function measureLargeFolder(place: Place, cabinet: Cabinet, { size, rounds }: Amount): Promise<Figure[]> {
  const folder = await createFolder(cabinet, { parent: '-root-', name: 'large' });
  for (let first = 0; first < size; first += 1000) {
    const count = Math.min(1000, size - first);
    const files = Array.from({ length: count }, (_, index) => ({ name: `file ${first + index}.txt`, content: 'x' }));
    await saveFiles(cabinet, { folder: folder.Id, files });
  }
  const { page, context } = await openConsole(place, person);
  await walkToFolder(page, folder);
  await page.locator('.entries').focus();
  await page.keyboard.press('Control+a');
  const all = page.getByText(`${size.toLocaleString('en')} items selected`);
  await all.waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Home');
  await page.evaluate(watchEvents);
  const cdp = await context.newCDPSession(page);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  const figures = await measureInteractions(page, rounds);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  figures.push(await measureDeletion(page, all));
  await context.close();
  return figures;
}

async function measureInteractions(page: Page, rounds: number): Promise<Figure[]> {
  const times = new Map(Object.keys(interactions).map((what): [string, number[]] => [what, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [what, act] of Object.entries(interactions)) {
      await page.evaluate('globalThis.longest = 0');
      await act(page);
      await page.waitForTimeout(restMs);
      times.get(what)?.push((await page.evaluate('globalThis.longest')) as number);
    }
    await page.locator('.entries').focus();
  }
  return [...times].map(([what, values]) => ({
    what: `${what}, processor slowed ${slowdown} times`,
    value: median(values),
    unit: 'ms',
    most: 100,
  }));
}

async function measureDeletion(page: Page, all: ReturnType<Page['getByText']>): Promise<Figure> {
  await page.locator('.entries').focus();
  await page.keyboard.press('Control+a');
  await all.waitFor();
  const begin = performance.now();
  await page.keyboard.press('Delete');
  await page.locator('.notice', { hasText: 'moved to the trash' }).waitFor();
  return { what: 'all of them deleted', value: performance.now() - begin, unit: 'ms', most: 3000 };
}

function toTable(figures: readonly Figure[]): string {
  const rows = figures.map(({ what, value, unit, most }) => {
    const bar = most === null ? '' : `${most.toLocaleString('en')} ${unit}`;
    const verdict = most === null ? '' : value <= most ? 'holds' : 'missed';
    return [what, `${Math.round(value).toLocaleString('en')} ${unit}`, bar, verdict];
  });
  return layOut(['What', 'Measured', 'At most', ''], rows);
}
