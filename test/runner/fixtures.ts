// What jobs share: one PostgreSQL and one S3 for the whole run, and one service for each run of the interface suite. Each is
// started when the first job asks for it.

import { startSharedBrowser } from '../browser/browser.ts';
import { newStores, type OwnGround, startGround, toText } from '../cluster/ground.ts';
import { openTarget } from '../interface/own-target.ts';
import { hasProgram } from '../service/programs.ts';

export interface Fixture {
  environment: Record<string, string>;
  /** Resolves to what was wrong with it. */
  close(): Promise<string[]>;
}

let stores: Promise<OwnGround> | null = null;

function findStores(): Promise<OwnGround> {
  stores ??= startGround().catch((error) => {
    stores = null;
    throw error;
  });
  return stores;
}

export async function sharedStores(): Promise<Fixture> {
  return { environment: { CLUSTER_GROUND: toText(await findStores()) }, close: async () => [] };
}

/** After everything that uses them. */
export async function stopStores(): Promise<void> {
  await (await stores)?.stop();
}

/** Without Chromium there is nothing to share: the files say themselves what they skip. */
export async function sharedBrowser(): Promise<Fixture> {
  if (!hasProgram('chromium')) return { environment: {}, close: async () => [] };
  const { url, stop } = await startSharedBrowser();
  const close = async () => {
    await stop();
    return [];
  };
  return { environment: { TEST_BROWSER: url }, close };
}

/** `isWhole`: whether all files of the suite use it, so that every operation must have been used in the end. */
export async function openInterfaceTarget(options: { isShared: boolean; isWhole: boolean }): Promise<Fixture> {
  const { environment, close } = await openTarget(options.isShared ? { ...(await newStores(await findStores())) } : {});
  return { environment, close: () => close(options) };
}
