// Shows an entry with what its record does not tell: where it is, and what it can be compared by.

import type { EntryDetails } from '../catalog/verbs/tree.ts';
import { type Caller, selectSpace } from '../domain/caller.ts';
import { entryNotFound } from '../domain/missing.ts';
import { toNameKey } from '../domain/name.ts';
import { authorize } from '../domain/permission.ts';
import type { Refusal } from '../domain/refusal.ts';
import { requireAccess } from './access.ts';
import type { Cabinet } from './cabinet.ts';

export type EntryView = EntryDetails;

export async function showEntry(cabinet: Cabinet, caller: Caller, { id }: { id: string }): Promise<EntryView> {
  const { space } = await requireAccess(cabinet, caller, { action: 'read', id, missing: entryNotFound });
  const found = await cabinet.catalog.findDetails({ space, id });
  if (found === null) throw entryNotFound();
  return found;
}

export interface PathRequest {
  path: string;
  missing: () => Refusal;
}

/** By the names from the root down, in the space that the caller means. */
export async function showByPath(cabinet: Cabinet, caller: Caller, { path, missing }: PathRequest): Promise<EntryView> {
  const access = selectSpace(caller);
  authorize(caller, 'read', access);
  const nameKeys = path === '/' ? [] : path.slice(1).split('/').map(toNameKey);
  const found = await cabinet.catalog.findByPath({ space: access.space, root: access.rootId, nameKeys });
  if (found === null) throw missing();
  return found;
}
