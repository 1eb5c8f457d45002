// Shows an entry with what its record does not tell: where it is, and what it can be compared by.

import { hash } from 'node:crypto';
import type { EntryDetails } from '../catalog/entries.ts';
import { type Caller, chooseSeat } from '../domain/caller.ts';
import type { Entry } from '../domain/entry.ts';
import { toNameKey } from '../domain/name.ts';
import { authorize } from '../domain/permission.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Cabinet } from './cabinet.ts';
import { enter } from './enter.ts';

export interface EntryView {
  entry: Entry;
  path: string;
  etag: string;
  /** Hexadecimal; null for folders. */
  sha256: string | null;
  version: number;
}

export async function showEntry(cabinet: Cabinet, caller: Caller, { id }: { id: string }): Promise<EntryView> {
  const missing = () => new Refusal('EntryNotFound', 'There is no such entry.');
  const { space } = await enter(cabinet, caller, { action: 'read', id, missing });
  const found = await cabinet.catalog.findDetails({ space, id });
  if (found === null) throw missing();
  return toView(found);
}

export interface PathRequest {
  path: string;
  missing: () => Refusal;
}

/** By the names from the root down, in the space that the caller means. */
export async function showByPath(cabinet: Cabinet, caller: Caller, { path, missing }: PathRequest): Promise<EntryView> {
  const seat = chooseSeat(caller);
  authorize(caller, 'read', seat);
  const nameKeys = path === '/' ? [] : path.slice(1).split('/').map(toNameKey);
  const found = await cabinet.catalog.findByPath({ space: seat.space, root: seat.rootId, nameKeys });
  if (found === null) throw missing();
  return toView(found);
}

function toView({ entry, parentId, names, sha256, version }: EntryDetails): EntryView {
  const digest = sha256 === null ? null : Buffer.from(sha256).toString('hex');
  const { sizeBytes: _, ...record } = entry;
  // A folder's size changes with what is saved beneath it; the folder itself does not.
  const etag = `"${hash('sha256', JSON.stringify([record, parentId, digest, version]), 'base64url')}"`;
  return { entry, path: `/${names.join('/')}`, etag, sha256: digest, version };
}
