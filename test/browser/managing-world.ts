// A service with a space that someone manages, with the mutual-TLS address and a secret among its settings; the pages for
// managing, and the way from one to the other.

import type { Page } from 'playwright-core';
import { openWorld, type World } from './console-world.ts';

export const hiddenToken = 'a-token-that-nobody-sees';

export function openManagedWorld(): Promise<World> {
  return openWorld({
    CABINET_MTLS_PORT: '0',
    CABINET_METRICS_TOKEN: hiddenToken,
    CABINET_WEBHOOK_NETWORKS: '127.0.0.0/8',
  });
}

export const managingPages = [
  'applications',
  'people',
  'links',
  'webhooks',
  'spaces',
  'usage',
  'audit',
  'health',
  'settings',
] as const;
export type ManagingPage = (typeof managingPages)[number];

/** By its link, and until what it shows is there. */
export async function goToManaging(page: Page, name: ManagingPage): Promise<void> {
  await page.locator(`.manage-way[href^="/manage/${name}"]`).click();
  await page.locator(`.manage-way[aria-current=page][href^="/manage/${name}"]`).waitFor();
  await page.locator('.manage-body h1').waitFor();
  await page.locator('.manage-body .skeleton').first().waitFor({ state: 'detached' });
}
