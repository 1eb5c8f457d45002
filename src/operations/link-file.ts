// Links to one version of a file. Version and expiry are fixed when the link is created; later saves do not change it.

import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../domain/caller.ts';
import { fileNotFound } from '../domain/missing.ts';
import { mayDo } from '../domain/permission.ts';
import { Refusal } from '../domain/refusal.ts';
import { atMost } from '../runtime/cache-size.ts';
import { requireAccess } from './access.ts';
import type { Cabinet } from './cabinet.ts';
import { type OpenedFile, openFile, requireContent } from './open-file.ts';
import { byCaller } from './origin.ts';

export const defaultLinkSeconds = 60;
export const maxLinkSeconds = 24 * 60 * 60;

interface LinkFileRequest {
  fileId: string;
  /** Null for the current one. */
  version: number | null;
  lifetimeSeconds: number;
}

export interface LinkedVersion {
  id: string;
  space: number;
  fileId: string;
  version: number;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

export async function linkFile(cabinet: Cabinet, caller: Caller, request: LinkFileRequest): Promise<LinkedVersion> {
  const { fileId, version, lifetimeSeconds } = request;
  const { space, content } = await requireContent(cabinet, caller, { fileId, version });
  const linked = {
    ...{ id: randomBytes(12).toString('base64url'), space, fileId, version: content.version },
    expiresAt: cabinet.clock.now() + lifetimeSeconds * 1000,
  };
  const { person: user, appKey } = caller;
  await cabinet.catalog.addLink({ ...linked, entry: fileId, user, appKey, ...byCaller(cabinet, caller) });
  return linked;
}

/** Ends the links to a file that the caller made; those of everybody, if the caller manages the space. */
export async function endLinks(cabinet: Cabinet, caller: Caller, fileId: string): Promise<number> {
  const access = await requireAccess(cabinet, caller, { action: 'read', id: fileId, missing: fileNotFound });
  const { space } = access;
  if ((await cabinet.catalog.findEntry({ space, id: fileId }))?.kind !== 'file') throw fileNotFound();
  const { person: user, appKey } = caller;
  const maker = mayDo(caller, 'manage', access) ? null : { user, appKey };
  return await cabinet.catalog.endLinks({ space, entry: fileId, maker, ...byCaller(cabinet, caller) });
}

interface LinkUse {
  requestId: string;
  /** Of whoever uses it. */
  address: string;
}

/** Opens the file with the current rights of the link's creator, in the space of the link. Every refusal is the same, so that
 *  the holder of a link learns nothing else. */
export async function openLinked(
  cabinet: Cabinet,
  creator: Caller | null,
  { id, space, fileId, version }: Omit<LinkedVersion, 'expiresAt'>,
): Promise<OpenedFile> {
  if (creator === null || !(await cabinet.catalog.hasLink({ id, at: cabinet.clock.now() }))) throw linkNotFound();
  const spaces = creator.spaces.filter((access) => access.space === space);
  try {
    return await openFile(cabinet, { ...creator, spaces }, { fileId, version });
  } catch (error) {
    throw error instanceof Refusal ? linkNotFound() : error;
  }
}

/** Uses that were recorded a moment ago, by link and address: a video is read in many pieces. */
const recorded = new LRUCache<string, number>(atMost(10_000));
const recordEveryMs = 60 * 1000;

/** Resolves when the journal says durably that the link was used. */
export async function recordLinkUse(
  cabinet: Cabinet,
  { id, space, fileId: entry, version }: Omit<LinkedVersion, 'expiresAt'>,
  { requestId: request, address }: LinkUse,
): Promise<void> {
  const at = cabinet.clock.now();
  const key = `${id} ${address}`;
  if (at - (recorded.get(key) ?? Number.NEGATIVE_INFINITY) < recordEveryMs) return;
  recorded.set(key, at);
  const use = { id, space, entry, version, address, at, by: `link:${id}`, request };
  await cabinet.catalog.noteLinkUse(use).catch((error) => {
    recorded.delete(key);
    throw error;
  });
}

export function linkNotFound(): Refusal {
  return new Refusal('LinkNotFound', 'This link does not exist, or can no longer be used.');
}
