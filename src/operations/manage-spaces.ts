// The spaces that the caller is in; making and renaming them.

import { randomUUIDv7 } from 'node:crypto';
import type { Caller, SpaceAccess } from '../domain/caller.ts';
import { authorize } from '../domain/permission.ts';
import { Refusal } from '../domain/refusal.ts';
import { checkPlainName } from './admin/applications.ts';
import type { Cabinet } from './cabinet.ts';
import { byCaller } from './origin.ts';

/** By name, whoever let the caller in. */
export function listSpaces(caller: Caller): readonly SpaceAccess[] {
  authorize(caller, 'read');
  return caller.spaces.toSorted((one, other) => (one.spaceName < other.spaceName ? -1 : 1));
}

export function showSpace(caller: Caller, spaceId: string): SpaceAccess {
  authorize(caller, 'read');
  return requireSpaceById(caller, spaceId);
}

function requireSpaceById({ spaces }: Caller, spaceId: string): SpaceAccess {
  const found = spaces.find((access) => access.spaceId === spaceId);
  if (found === undefined) throw new Refusal('SpaceNotFound', 'There is no such space.');
  return found;
}

/** Whoever is manager somewhere can make another space, and is manager there. */
export async function addSpace(cabinet: Cabinet, caller: Caller, name: string): Promise<SpaceAccess> {
  const person = admitNewSpace(caller);
  const ids = { spaceId: randomUUIDv7(), rootId: randomUUIDv7() };
  const asked = { name: checkPlainName(name, 'Name'), ...ids, manager: person };
  return await cabinet.catalog.addSpace({ ...asked, ...byCaller(cabinet, caller) });
}

/** Who would be the manager, if the caller may make a space at all. */
export function admitNewSpace(caller: Caller): string {
  authorize(caller, 'manage');
  const { person, spaces } = caller;
  if (person === null) throw new Refusal('Forbidden', 'An application has one space and cannot make others.');
  if (spaces.some(({ role }) => role === 'manager')) return person;
  throw new Refusal('Forbidden', 'This needs the role "manager" in some space.', { target: 'manager' });
}

export interface RenameRequest {
  spaceId: string;
  name: string;
}

export async function renameSpace(
  cabinet: Cabinet,
  caller: Caller,
  { spaceId, name }: RenameRequest,
): Promise<SpaceAccess> {
  const access = admitSpace(caller, spaceId);
  const spaceName = checkPlainName(name, 'Name');
  await cabinet.catalog.renameSpace({ space: access.space, name: spaceName, ...byCaller(cabinet, caller) });
  return { ...access, spaceName };
}

/** The space, if the caller may change it. */
export function admitSpace(caller: Caller, spaceId: string): SpaceAccess {
  authorize(caller, 'manage');
  const access = requireSpaceById(caller, spaceId);
  authorize(caller, 'manage', access);
  return access;
}
