// Somebody without an account who opens a link on a phone, and what their browser complains of.

import type { BrowserContext, Page } from 'playwright-core';
import type { World } from './console-world.ts';

export interface Stranger {
  page: Page;
  context: BrowserContext;
  /** Violated policies, faults, failed or foreign requests. */
  problems: string[];
}

interface StrangerOptions {
  viewport?: { width: number; height: number };
  /** Where the service is reached. */
  base?: string;
  /** The language of the browser. */
  locale?: string;
}

/** A browser of its own, without anything kept. */
export async function openStranger(world: World, options: StrangerOptions = {}): Promise<Stranger> {
  const { viewport = { width: 390, height: 844 }, base = world.base, locale = 'en-US' } = options;
  const context = await world.browser.newContext({ viewport, hasTouch: true, acceptDownloads: true, locale });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    // axe looks for itself in frames, also in those of another origin.
    if (message.text().includes("'postMessage' on 'DOMWindow'")) return;
    if (message.type() === 'error' || message.type() === 'warning') {
      problems.push(`${message.text()} (${message.location().url})`);
    }
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('dialog', (dialog) => {
    problems.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(base)) problems.push(`requested ${request.url()}`);
  });
  return { page, context, problems };
}
