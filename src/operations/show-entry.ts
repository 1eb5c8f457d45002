// Shows an entry with its path and its ETag.

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
  const details = await cabinet.catalog.findDetails({ space, id });
  if (details === null) throw entryNotFound();
  return details;
}

interface PathRequest {
  path: string;
  missing: () => Refusal;
}

/** Finds an entry by the names from the root down, in the selected space. */
export async function showByPath(cabinet: Cabinet, caller: Caller, { path, missing }: PathRequest): Promise<EntryView> {
  const access = selectSpace(caller);
  authorize(caller, 'read', access);
  const nameKeys = path === '/' ? [] : path.slice(1).split('/').map(toNameKey);
  const details = await cabinet.catalog.findByPath({ space: access.space, root: access.rootId, nameKeys });
  if (details === null) throw missing();
  return details;
}
