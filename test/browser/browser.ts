// A real browser for tests: Debian's Chromium, with a profile of its own.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';
import { skipWithout } from '../service/programs.ts';

export const withoutBrowser = skipWithout('chromium');

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The first page in a fresh browser takes long on a machine that is busy with other tests. */
export const patientMs = 120_000;

export interface OpenedBrowser {
  context: BrowserContext;
  close(): Promise<void>;
}

export async function openBrowser(): Promise<OpenedBrowser> {
  const executablePath = spawnSync('sh', ['-c', 'command -v chromium']).stdout.toString().trim();
  const profile = mkdtempSync(join(tmpdir(), 'cabinet-browser-'));
  const context = await chromium.launchPersistentContext(profile, { executablePath, args: flags });
  context.setDefaultTimeout(patientMs);
  return {
    context,
    async close() {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}
