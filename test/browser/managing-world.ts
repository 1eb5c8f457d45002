// A service with a space that someone manages, with the mutual-TLS address and a secret among its settings; the pages for
// managing, and the way from one to the other.

import type { Page } from 'playwright-core';
import { fetchToken } from '../interface/client.ts';
import { manage, type User } from '../interface/managing.ts';
import { cabinetJson, makeDataFolder, type Registered, removeDataFolder, startService } from '../service/service.ts';
import { openBrowser } from './browser.ts';
import type { World } from './console-world.ts';

export const hiddenToken = 'a-token-that-nobody-sees';

export async function openManagedWorld(): Promise<World> {
  const dataFolder = makeDataFolder();
  const environment = { CABINET_MTLS_PORT: '0', CABINET_METRICS_TOKEN: hiddenToken };
  const service = await startService(dataFolder, { environment });
  const base = service.production;
  const words = ['app', 'add', 'office', '--scopes', 'content.read content.write content.admin'];
  const application = { Name: 'office', ...(await cabinetJson<Registered>(dataFolder, words)) };
  const caller = { base, application, token: await fetchToken(base, application) };
  const enter = async (id: string, role: string) => {
    const { Password = '' } = await manage<User>(caller, 'POST', '/users', { Id: id, Role: role });
    return { User: id, Password };
  };
  const people = {
    editor: await enter('edith', 'editor'),
    viewer: await enter('victor', 'viewer'),
    manager: await enter('mona', 'manager'),
  };
  const browser = await openBrowser();
  const close = async () => {
    await browser.close();
    await service.stop();
    removeDataFolder(dataFolder);
  };
  return { dataFolder, service, base, caller, browser, people, close };
}

export const managingPages = ['applications', 'people', 'spaces', 'usage', 'audit', 'health', 'settings'] as const;
export type ManagingPage = (typeof managingPages)[number];

/** By its link, and until what it shows is there. */
export async function goToManaging(page: Page, name: ManagingPage): Promise<void> {
  await page.locator(`.manage-way[href^="/manage/${name}"]`).click();
  await page.locator(`.manage-way[aria-current=page][href^="/manage/${name}"]`).waitFor();
  await page.locator('.manage-body h1').waitFor();
  await page.locator('.manage-body .skeleton').first().waitFor({ state: 'detached' });
}
