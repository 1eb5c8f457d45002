// Decides whether the caller may act on an entry, and in which space it is. First by the role in the space, which costs nothing
// more than before there were grants; only when there is none, or it is not enough, by the grants on the entry and above it.

import type { GrantedEntry } from '../catalog/verbs/granted-access.ts';
import {
  type Caller,
  checkSelected,
  type GrantedSpace,
  guestSpaces,
  type SpaceAccess,
  selectSpace,
  selectView,
} from '../domain/caller.ts';
import { entryNotFound, folderNotFound } from '../domain/missing.ts';
import { type Action, authorize, isAllowed } from '../domain/permission.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Cabinet } from './cabinet.ts';

export interface AccessRequest {
  action: Action;
  id: string;
  /** The refusal when the id names nothing that the caller can see. */
  missing: () => Refusal;
  /** Also an entry in the trash. */
  isTrashMeant?: boolean;
  /** The entry leaves its folder, or leaves the trash: the right to change that folder is needed too. */
  isLeaving?: boolean;
}

/** The space of the entry, with the role that the caller has in the entry. */
export async function requireAccess(cabinet: Cabinet, caller: Caller, request: AccessRequest): Promise<SpaceAccess> {
  const { action, missing } = request;
  authorize(caller, action);
  if (caller.spaceId !== null) checkSelected(caller);
  const access = await findSpaceAccess(cabinet, caller, request.id);
  if (access !== null && isAllowed(access, action)) return access;
  const granted = await findGranted(cabinet, caller, access, request);
  if (granted !== null) return requireGranted(caller, granted, request);
  // "may see the folder, may not write: 403": the 403 must not reveal an entry that the caller cannot see.
  if (access === null || !(await isSeen(cabinet, access, request))) throw missing();
  authorize(caller, action, access);
  return access;
}

async function isSeen(
  { catalog }: Cabinet,
  { space }: SpaceAccess,
  { id, isTrashMeant = false }: AccessRequest,
): Promise<boolean> {
  if ((await catalog.findEntry({ space, id })) !== null) return true;
  return isTrashMeant && (await catalog.isInTrash({ space, id }));
}

/** The space of a request that names no entry, if the caller has a role there that allows it. */
export function requireSpace(caller: Caller, action: Action): SpaceAccess {
  authorize(caller, action);
  const access = selectSpace(caller);
  authorize(caller, action, access);
  return access;
}

/** The space of a request that shows whatever the caller may see there. With `view`: only what the grants show. */
export function requireView(caller: Caller): SpaceAccess {
  authorize(caller, 'read');
  const access = selectView(caller);
  authorize(caller, 'read', access);
  return access;
}

async function findSpaceAccess({ catalog }: Cabinet, caller: Caller, id: string): Promise<SpaceAccess | null> {
  const { spaces } = caller;
  // Where the caller can see one space only, an entry of another one is found to be missing by the operation.
  if (spaces.length <= 1 && guestSpaces(caller).length === 0) return spaces[0] ?? null;
  if (spaces.length === 0) return null;
  const space = await catalog.findSpaceOf({ id, spaces: spaces.map((access) => access.space) });
  return spaces.find((access) => access.space === space) ?? null;
}

interface Granted {
  space: GrantedSpace;
  entry: GrantedEntry;
  /** The role in the space; null: grants alone give access. */
  access: SpaceAccess | null;
}

/** What grants allow on an entry. `access`: the role in its space, which is not enough; null: there is none. */
async function findGranted(
  { catalog }: Cabinet,
  caller: Caller,
  access: SpaceAccess | null,
  { id, isTrashMeant = false }: AccessRequest,
): Promise<Granted | null> {
  const { grants = [] } = caller;
  const places = access === null ? guestSpaces(caller) : grants.filter(({ space }) => space === access.space);
  for (const place of places) {
    const { space, principals } = place;
    const entry = await catalog.resolveGrants({ space, id, principals });
    if (entry !== null && (isTrashMeant || !entry.isTrashed)) return { space: place, entry, access };
  }
  return null;
}

function requireGranted(caller: Caller, { space, entry, access }: Granted, request: AccessRequest): SpaceAccess {
  const { action, isLeaving = false } = request;
  const granted = toAccess(space, entry);
  if (action === 'manage') {
    authorize(caller, action, access ?? granted);
    return granted;
  }
  authorize(caller, action, granted);
  if (isLeaving && entry.parentRole !== 'editor') {
    throw new Refusal('Forbidden', 'You need the role "editor" in the folder that contains the entry.', {
      target: 'editor',
      hint: 'What was shared with you can be changed, but not moved or deleted.',
    });
  }
  if (access === null) return granted;
  // A member sees the whole space.
  return { ...access, role: entry.role };
}

function toAccess({ principals, ...space }: GrantedSpace, { role, path, parentRole }: GrantedEntry): SpaceAccess {
  return { ...space, role, view: { principals, path, parentRole } };
}

/** Whether the role in the space allows it, so that no grant need be looked at. */
function hasRole({ spaces }: Caller, { space }: SpaceAccess, action: Action): boolean {
  const access = spaces.find((one) => one.space === space);
  return access !== undefined && isAllowed(access, action);
}

interface Target {
  /** The space of what is put there. */
  access: SpaceAccess;
  /** The folder. */
  parent: string;
  missing?: () => Refusal;
}

/** Requires the right to change the folder into which something is put. Whoever may change the whole space has it. */
export async function requireTarget(cabinet: Cabinet, caller: Caller, target: Target): Promise<void> {
  const { access, parent, missing = () => folderNotFound('ParentFolderId') } = target;
  if (hasRole(caller, access, 'write')) return;
  const { space } = await requireAccess(cabinet, caller, { action: 'write', id: parent, missing });
  if (space !== access.space) throw missing();
}

/** Requires the rights to take an entry out of its folder and to put it into another one. */
export async function requireMove(
  cabinet: Cabinet,
  caller: Caller,
  { id, ...target }: Target & { id: string },
): Promise<void> {
  if (hasRole(caller, target.access, 'write')) return;
  await requireAccess(cabinet, caller, { action: 'write', id, missing: entryNotFound, isLeaving: true });
  await requireTarget(cabinet, caller, target);
}

/** Requires the right to read what is copied, and that the caller may write somewhere in its space. */
export async function requireSource(cabinet: Cabinet, caller: Caller, id: string): Promise<SpaceAccess> {
  authorize(caller, 'write');
  const editable = (caller.grants ?? []).filter(({ role }) => role === 'editor');
  if (editable.length > 0) {
    const access = await requireAccess(cabinet, caller, { action: 'read', id, missing: entryNotFound });
    if (editable.some(({ space }) => space === access.space)) return access;
  }
  return await requireAccess(cabinet, caller, { action: 'write', id, missing: entryNotFound });
}

/** Reading a body may have taken long: the rights of this moment count. A role in the space is in the caller already. */
export async function renewAccess(
  cabinet: Cabinet,
  caller: Caller,
  before: SpaceAccess,
  request: AccessRequest,
): Promise<SpaceAccess> {
  const { action, missing } = request;
  const current = caller.spaces.find(({ space }) => space === before.space);
  const isEnough = current !== undefined && isAllowed(current, action);
  if (!isEnough && (caller.grants ?? []).length > 0) return await requireAccess(cabinet, caller, request);
  if (current === undefined) throw missing();
  authorize(caller, action, current);
  return current;
}

/** What to show of an entry that was changed: to someone without a role in the space, the path from what they see. */
export async function toVisible<View extends { entry: { id: string; name: string }; path: string }>(
  { catalog }: Cabinet,
  { space, view }: SpaceAccess,
  shown: View,
): Promise<View> {
  if (view === undefined) return shown;
  const { id, name } = shown.entry;
  const entry = await catalog.resolveGrants({ space, id, principals: view.principals });
  return { ...shown, path: entry?.path ?? `/${name}` };
}
