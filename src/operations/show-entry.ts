// Shows an entry with its path and its ETag.

import type { EntryDetails } from '../catalog/verbs/tree.ts';
import type { Caller } from '../domain/caller.ts';
import { entryNotFound } from '../domain/missing.ts';
import { toNameKey } from '../domain/name.ts';
import type { Refusal } from '../domain/refusal.ts';
import { requireAccess, requireView, toVisible } from './access.ts';
import type { Cabinet } from './cabinet.ts';
import { findSharedStart } from './shared-tops.ts';

export type EntryView = EntryDetails;

export async function showEntry(cabinet: Cabinet, caller: Caller, { id }: { id: string }): Promise<EntryView> {
  const { space, view } = await requireAccess(cabinet, caller, { action: 'read', id, missing: entryNotFound });
  const details = await cabinet.catalog.findDetails({ space, id });
  if (details === null) throw entryNotFound();
  return view === undefined ? details : { ...details, path: view.path ?? '' };
}

interface PathRequest {
  path: string;
  missing: () => Refusal;
}

/** Finds an entry by the names from the root down, in the selected space; without a role there, from what was shared down. */
export async function showByPath(cabinet: Cabinet, caller: Caller, { path, missing }: PathRequest): Promise<EntryView> {
  const access = requireView(caller);
  const names = path === '/' ? [] : path.slice(1).split('/');
  const start =
    access.view === undefined ? { root: access.rootId, names } : await findSharedStart(cabinet, access, names);
  if (start === null) throw missing();
  const nameKeys = start.names.map(toNameKey);
  const details = await cabinet.catalog.findByPath({ space: access.space, root: start.root, nameKeys });
  if (details === null) throw missing();
  return await toVisible(cabinet, access, details);
}
