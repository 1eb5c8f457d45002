// Finds an entry by its path in a space, with its folder.

import type { FoundPath } from '../catalog/verbs/find-path.ts';
import type { EntryDetails } from '../catalog/verbs/tree.ts';
import type { Caller, SpaceAccess } from '../domain/caller.ts';
import { toNameKey } from '../domain/name.ts';
import { authorize } from '../domain/permission.ts';
import { toVisible } from './access.ts';
import type { Cabinet } from './cabinet.ts';
import { findSharedStart } from './shared-tops.ts';

/** `names`: from the root of the space down; without a role there, from what was shared. */
export async function findPath(
  cabinet: Cabinet,
  caller: Caller,
  { access, names }: { access: SpaceAccess; names: readonly string[] },
): Promise<FoundPath> {
  authorize(caller, 'read', access);
  const { space, rootId } = access;
  if (access.view === undefined) {
    return await cabinet.catalog.findPath({ space, root: rootId, nameKeys: names.map(toNameKey) });
  }
  const start = await findSharedStart(cabinet, access, names);
  if (start === null) return { found: null, parent: null };
  const { root } = start;
  const { found, parent } = await cabinet.catalog.findPath({ space, root, nameKeys: start.names.map(toNameKey) });
  const show = async (details: EntryDetails | null) =>
    details === null ? null : await toVisible(cabinet, access, details);
  return { found: await show(found), parent: await show(parent) };
}
