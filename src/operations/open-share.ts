// Using a share: whoever has its secret acts as `share:<id>`, and reaches the shared entry and what is beneath it, or sends files
// into it. Whatever makes a link unusable has the same refusal, before a password is looked at.

import { LRUCache } from 'lru-cache';
import type { OpenedShare } from '../catalog/verbs/share-uses.ts';
import { actingForItself, type Caller } from '../domain/caller.ts';
import type { Entry } from '../domain/entry.ts';
import { Refusal } from '../domain/refusal.ts';
import { toShareActor } from '../domain/share.ts';
import { atMost } from '../runtime/cache-size.ts';
import type { Cabinet } from './cabinet.ts';
import { byCaller } from './origin.ts';
import { checkSharePassword, type ShownPassword } from './share-passwords.ts';
import { shareNotFound, toSecretHash } from './shares.ts';

export interface ShareUse extends ShownPassword {
  secret: string;
  requestId: string;
}

export interface UsedShare extends OpenedShare {
  /** Whoever uses it. */
  caller: Caller;
  address: string;
}

/** A share that can be used, without looking at a password. */
export async function findUsable(
  cabinet: Cabinet,
  { secret, requestId, address }: Pick<ShareUse, 'secret' | 'requestId' | 'address'>,
  isExhaustedMeant = false,
): Promise<UsedShare> {
  const { catalog, clock, sharePolicy } = cabinet;
  if (!sharePolicy.isOn) throw shareNotFound();
  const opened = await catalog.openShare({ hash: toSecretHash(secret), isExhaustedMeant, at: clock.now() });
  if (opened === null) throw shareNotFound();
  return { ...opened, caller: toCaller(opened, requestId), address };
}

/** Its role holds for the space; every operation for a share finds the entry beneath the shared one first. */
function toCaller({ share, space }: OpenedShare, requestId: string): Caller {
  const isUpload = share.access === 'upload';
  const actor = toShareActor(share);
  const access = { space: share.space, spaceId: space.id, spaceName: space.name, rootId: space.root };
  return {
    ...actingForItself,
    ...{ appKey: actor, actor, spaceId: null, requestId },
    scopes: [isUpload ? 'content.write' : 'content.read'],
    spaces: [{ ...access, role: isUpload ? 'editor' : 'viewer' }],
  };
}

export async function useShare(cabinet: Cabinet, use: ShareUse): Promise<UsedShare> {
  const used = await findUsable(cabinet, use);
  await checkUse(cabinet, used, use);
  return used;
}

async function checkUse(cabinet: Cabinet, used: UsedShare, use: ShareUse): Promise<void> {
  cabinet.quotas.countRequest(used.caller);
  await checkSharePassword(cabinet, used.share, use);
}

/** For reading. A link for uploads shows nothing. */
export async function useForReading(cabinet: Cabinet, use: ShareUse): Promise<UsedShare> {
  const used = await useShare(cabinet, use);
  if (used.share.access === 'upload') throw shareNotFound();
  return used;
}

export async function useForUploading(cabinet: Cabinet, use: ShareUse): Promise<UsedShare> {
  const used = await useShare(cabinet, use);
  checkIsUpload(used);
  return used;
}

function checkIsUpload({ share }: UsedShare): void {
  if (share.access === 'upload') return;
  throw new Refusal('Forbidden', 'This link allows downloads, not uploads.');
}

/** Reading a body may have taken long: the link counts as it is at this moment. */
export async function renewUse(cabinet: Cabinet, { secret, requestId, address }: ShareUse): Promise<Caller> {
  const used = await findUsable(cabinet, { secret, requestId, address });
  checkIsUpload(used);
  return used.caller;
}

/** The share, and a file at or beneath its entry. `isResuming`: also if no download is left, but one was begun here. */
export async function useFile(
  cabinet: Cabinet,
  use: ShareUse,
  { fileId, isResuming }: { fileId: string; isResuming: boolean },
): Promise<UsedShare> {
  const used = await findUsable(cabinet, use, isResuming);
  const { share, address } = used;
  if (share.state === 'exhausted') {
    const begun = { id: share.id, entry: fileId, address, at: cabinet.clock.now() };
    if (!(await cabinet.catalog.isDownloadBegun(begun))) throw shareNotFound();
  }
  await checkUse(cabinet, used, use);
  if (share.access === 'upload') throw shareNotFound();
  const entry = await findShared(cabinet, used, fileId);
  if (entry?.kind !== 'file') throw share.state === 'exhausted' ? shareNotFound() : notBeneath('FileNotFound', 'file');
  return used;
}

/** Refuses a folder that is neither the shared one nor beneath it. */
export async function checkFolder(cabinet: Cabinet, used: UsedShare, folderId: string): Promise<void> {
  if ((await findShared(cabinet, used, folderId)) === null) throw notBeneath('FolderNotFound', 'folder');
}

/** Visitors know nothing of the root folder, of paths and of the trash, which other refusals speak of. */
function notBeneath(code: 'FileNotFound' | 'FolderNotFound', kind: string): Refusal {
  return new Refusal(code, `The link leads to no such ${kind}.`, { target: 'id' });
}

/** Null: it is neither the shared entry nor beneath it. */
export async function findShared({ catalog }: Cabinet, { share }: UsedShare, id: string): Promise<Entry | null> {
  return await catalog.findBeneath({ space: share.space, top: share.entryId, id });
}

/** Uses that were recorded a moment ago, by share and address: pages of a list are one visit. */
const recorded = new LRUCache<string, number>(atMost(10_000));
const recordEveryMs = 60 * 1000;

/** Resolves when the journal says durably that the link was opened. */
export async function recordOpened(cabinet: Cabinet, used: UsedShare): Promise<void> {
  const { share, address } = used;
  const at = cabinet.clock.now();
  const key = `${share.id} ${address}`;
  if (at - (recorded.get(key) ?? Number.NEGATIVE_INFINITY) < recordEveryMs) return;
  recorded.set(key, at);
  await cabinet.catalog.noteShareOpened(toNote(cabinet, used, share.entryId)).catch((error) => {
    recorded.delete(key);
    throw error;
  });
}

function toNote(cabinet: Cabinet, { share, caller, address }: UsedShare, entry: string) {
  return { id: share.id, space: share.space, entry, address, ...byCaller(cabinet, caller) };
}

/** Counts a download that begins now. Refuses when none is left, as if the link were unknown. */
export async function countDownload(
  cabinet: Cabinet,
  used: UsedShare,
  { entry, isResumable }: { entry: string; isResumable: boolean },
): Promise<void> {
  const isCounted = await cabinet.catalog.countDownload({ ...toNote(cabinet, used, entry), isResumable });
  if (!isCounted) throw shareNotFound();
}

/** Counts a file that was sent. */
export async function countUpload(cabinet: Cabinet, used: UsedShare, fileId: string): Promise<void> {
  await cabinet.catalog.countUpload(toNote(cabinet, used, fileId));
}

/** As the settings limit files that are sent by links. */
export function toUploadCabinet(cabinet: Cabinet): Cabinet {
  const { limits, sharePolicy } = cabinet;
  return { ...cabinet, limits: { ...limits, fileBytes: Math.min(limits.fileBytes, sharePolicy.uploadMaxBytes) } };
}

/** Refusals that would tell a visitor of the space: who has locked it, and how much it holds. */
export async function withoutDetails<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code === 'Locked') throw new Refusal('Locked', 'The folder is locked at the moment. Nothing was saved.');
    if (error.code === 'QuotaExceeded') throw new Refusal('QuotaExceeded', 'There is no room for this file.');
    if (error.code === 'FolderNotFound') throw shareNotFound();
    throw error;
  }
}
