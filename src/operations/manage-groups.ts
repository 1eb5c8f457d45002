// The groups of the caller's space, for its managers and for applications with `content.admin`.

import type { Group } from '../catalog/verbs/groups.ts';
import type { Caller } from '../domain/caller.ts';
import { Refusal } from '../domain/refusal.ts';
import { requireSpace } from './access.ts';
import { toUserId } from './admin/people.ts';
import type { Cabinet } from './cabinet.ts';
import { byCaller } from './origin.ts';
import { type ListRequest, type Page, toPage } from './page.ts';

export async function listGroups(
  { catalog }: Cabinet,
  caller: Caller,
  { after, limit }: ListRequest,
): Promise<Page<Group>> {
  const { space } = requireSpace(caller, 'manage');
  return toPage(await catalog.listGroups({ space, after, limit: limit + 1 }), limit, ({ name }) => name);
}

export async function addGroup(
  cabinet: Cabinet,
  caller: Caller,
  { name, members }: { name: string; members: readonly string[] },
): Promise<Group> {
  const { space } = requireSpace(caller, 'manage');
  const group = { name: checkGroupName(name), members: toIds(members, 'Members') };
  return await cabinet.catalog.addGroup({ space, ...group, ...byCaller(cabinet, caller) });
}

export async function changeGroup(
  cabinet: Cabinet,
  caller: Caller,
  { name, add, remove }: { name: string; add: readonly string[]; remove: readonly string[] },
): Promise<Group> {
  const { space } = requireSpace(caller, 'manage');
  const change = { add: toIds(add, 'Add'), remove: toIds(remove, 'Remove') };
  return await cabinet.catalog.changeGroup({ space, name, ...change, ...byCaller(cabinet, caller) });
}

export async function removeGroup(cabinet: Cabinet, caller: Caller, name: string): Promise<Group> {
  const { space } = requireSpace(caller, 'manage');
  return await cabinet.catalog.removeGroup({ space, name, ...byCaller(cabinet, caller) });
}

function toIds(ids: readonly string[], target: string): string[] {
  return ids.map((id) => toUserId(id, target));
}

/** An outside issuer may name groups in any way, so a name may have any characters that can be shown. */
export function checkGroupName(name: string): string {
  const isGood = name.isWellFormed() && !/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(name);
  if (isGood && name.trim() === name && name !== '' && [...name].length <= 100) return name;
  throw new Refusal('InvalidField', 'This is not a valid name for a group.', {
    target: 'Name',
    hint: 'Use 1 to 100 characters, without control characters and without spaces around them.',
  });
}
