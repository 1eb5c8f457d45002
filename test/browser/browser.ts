// A real browser for tests: Debian's Chromium. Every test file has a context of its own, which shares nothing with others.

import { spawnSync } from 'node:child_process';
import { buffer } from 'node:stream/consumers';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Download,
  type Page,
} from 'playwright-core';
import { skipWithout } from '../service/programs.ts';

export const withoutBrowser = skipWithout('chromium');

/** What a window brings along though nobody sees it: each context would have two more pages, and processes for pages to come. */
const unwanted = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'SpareRendererForSitePerProcess',
];
/** Of several such flags the last one counts: what Playwright turns off has to stand in ours too. */
const unwantedByPlaywright = [
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${[...unwanted, ...unwantedByPlaywright].join(',')}`,
];

/** The first page in a fresh browser takes long on a machine that is busy with other tests. Less is for writing a test. */
export const patientMs = Number(process.env.TEST_PATIENT_MS ?? 120_000);

/** How many times slower pages run than they could. A test that fails with 3 presses keys or looks before the page is ready for it. */
const slowness = Number(process.env.TEST_BROWSER_SLOWNESS ?? 1);

/**
 * What a page takes away by itself after some seconds, a notice with its button, stays many times as long: on a machine that stands
 * still for a while, it would be gone before somebody has clicked. A test of just that calls `passTime()` in the page.
 */
const stays = `{
  const waiting = new Map();
  for (const kind of ['Timeout', 'Interval']) {
    const [set, clear] = [globalThis['set' + kind], globalThis['clear' + kind]];
    globalThis['set' + kind] = (run, ms, ...values) => {
      if (!(ms >= 5000)) return set(run, ms, ...values);
      const id = set(run, 20 * ms, ...values);
      waiting.set(id, run);
      return id;
    };
    globalThis['clear' + kind] = (id) => {
      waiting.delete(id);
      clear(id);
    };
  }
  globalThis.passTime = () => [...waiting.values()].forEach((run) => run());
}`;

export interface OpenedBrowser {
  context: BrowserContext;
  /** Another one, which shares nothing with it. */
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>;
  close(): Promise<void>;
}

/** A context of its own: in the browser that the whole run shares, where there is one, else in a browser of its own. */
export async function openBrowser(): Promise<OpenedBrowser> {
  const shared = process.env.TEST_BROWSER;
  const browser = shared === undefined ? await launch() : await chromium.connect(shared);
  const newContext = async (options?: BrowserContextOptions) => {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(patientMs);
    await context.addInitScript(stays);
    if (slowness > 1) context.on('page', slowDown);
    return context;
  };
  const context = await newContext();
  return {
    context,
    newContext,
    async close() {
      await context.close();
      await browser.close();
    },
  };
}

async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowness });
}

function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: findChromium(), args: flags });
}

function findChromium(): string {
  const command = 'command -v chromium-headless-shell || command -v chromium';
  return spawnSync('sh', ['-c', command]).stdout.toString().trim();
}

/** One browser for many test files. */
export async function startSharedBrowser(): Promise<{ url: string; stop(): Promise<void> }> {
  const server = await chromium.launchServer({ executablePath: findChromium(), args: flags, host: '127.0.0.1' });
  return { url: server.wsEndpoint(), stop: () => server.close() };
}

/** Not by its path: the file may be where the shared browser runs. */
export async function readDownload(download: Download): Promise<string> {
  return (await buffer(await download.createReadStream())).toString();
}
