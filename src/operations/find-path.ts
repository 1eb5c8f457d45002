// Finds an entry by its path in a space, with its folder.

import type { FoundPath } from '../catalog/verbs/find-path.ts';
import type { Caller, SpaceAccess } from '../domain/caller.ts';
import { toNameKey } from '../domain/name.ts';
import { authorize } from '../domain/permission.ts';
import type { Cabinet } from './cabinet.ts';

/** `names`: from the root of the space down. */
export async function findPath(
  { catalog }: Cabinet,
  caller: Caller,
  { access, names }: { access: SpaceAccess; names: readonly string[] },
): Promise<FoundPath> {
  authorize(caller, 'read', access);
  return await catalog.findPath({ space: access.space, root: access.rootId, nameKeys: names.map(toNameKey) });
}
