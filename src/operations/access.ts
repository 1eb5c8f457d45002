// Resolves the space of a request among the caller's spaces, and checks that the caller may act there.

import { type Caller, type SpaceAccess, selectSpace } from '../domain/caller.ts';
import { type Action, authorize, isAllowed } from '../domain/permission.ts';
import type { Refusal } from '../domain/refusal.ts';
import type { Cabinet } from './cabinet.ts';

/** The space of the entry `id`. `missing` is the refusal when the id names nothing that the caller can see. */
export async function requireAccess(
  cabinet: Cabinet,
  caller: Caller,
  request: { action: Action; id: string; missing: () => Refusal; isTrashMeant?: boolean },
): Promise<SpaceAccess> {
  const { action, id, missing, isTrashMeant = false } = request;
  authorize(caller, action);
  if (caller.spaceId !== null) selectSpace(caller);
  const access = await findSpaceAccess(cabinet, caller, id);
  if (access === null) throw missing();
  // "may see the folder, may not write: 403": the 403 must not reveal an entry that the caller cannot see.
  if (!isAllowed(access, action) && !(await isSeen(cabinet, access, id, isTrashMeant))) throw missing();
  authorize(caller, action, access);
  return access;
}

async function isSeen(
  { catalog }: Cabinet,
  { space }: SpaceAccess,
  id: string,
  isTrashMeant: boolean,
): Promise<boolean> {
  if ((await catalog.findEntry({ space, id })) !== null) return true;
  return isTrashMeant && (await catalog.isInTrash({ space, id }));
}

/** The space of a request that names no entry, if the caller may do this there. */
export function requireSpace(caller: Caller, action: Action): SpaceAccess {
  authorize(caller, action);
  const access = selectSpace(caller);
  authorize(caller, action, access);
  return access;
}

async function findSpaceAccess({ catalog }: Cabinet, { spaces }: Caller, id: string): Promise<SpaceAccess | null> {
  if (spaces.length <= 1) return spaces[0] ?? null;
  const space = await catalog.findSpaceOf({ id, spaces: spaces.map((access) => access.space) });
  return spaces.find((access) => access.space === space) ?? null;
}
