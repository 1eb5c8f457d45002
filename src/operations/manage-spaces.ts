// Lists, creates and renames the caller's spaces.

import { randomUUIDv7 } from 'node:crypto';
import type { Caller, SpaceAccess } from '../domain/caller.ts';
import { authorize } from '../domain/permission.ts';
import { Refusal } from '../domain/refusal.ts';
import { checkPlainName } from './admin/applications.ts';
import type { Cabinet } from './cabinet.ts';
import { byCaller } from './origin.ts';
import { reloadQuotas } from './quotas.ts';

/** Sorted by name. */
export function listSpaces(caller: Caller): readonly SpaceAccess[] {
  authorize(caller, 'read');
  return caller.spaces.toSorted((one, other) => (one.spaceName < other.spaceName ? -1 : 1));
}

export function showSpace(caller: Caller, spaceId: string): SpaceAccess {
  authorize(caller, 'read');
  return requireSpaceById(caller, spaceId);
}

function requireSpaceById({ spaces }: Caller, spaceId: string): SpaceAccess {
  const access = spaces.find((one) => one.spaceId === spaceId);
  if (access === undefined) throw new Refusal('SpaceNotFound', 'There is no such space.');
  return access;
}

/** A manager of any space can create another one, and becomes its manager. */
export async function addSpace(cabinet: Cabinet, caller: Caller, name: string): Promise<SpaceAccess> {
  const person = admitNewSpace(caller);
  const added = await cabinet.catalog.addSpace({
    name: checkPlainName(name, 'Name'),
    spaceId: randomUUIDv7(),
    rootId: randomUUIDv7(),
    manager: person,
    quotaBytes: cabinet.limits.spaceQuotaBytes,
    maxSpaces: cabinet.limits.spacesPerPerson,
    ...byCaller(cabinet, caller),
  });
  await reloadQuotas(cabinet);
  return added;
}

/** The person who would be the manager, if the caller may create a space. */
export function admitNewSpace(caller: Caller): string {
  authorize(caller, 'manage');
  const { person, spaces } = caller;
  if (person === null) throw new Refusal('Forbidden', 'An application has one space and cannot create others.');
  if (spaces.some(({ role }) => role === 'manager')) return person;
  throw new Refusal('Forbidden', 'You need the role "manager" in a space.', { target: 'manager' });
}

interface RenameRequest {
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
