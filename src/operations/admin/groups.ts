// Groups of people of any space, without a permission check.

import type { Group } from '../../catalog/verbs/groups.ts';
import { Refusal } from '../../domain/refusal.ts';
import type { Cabinet } from '../cabinet.ts';
import { checkGroupName } from '../manage-groups.ts';
import { byOperator } from '../origin.ts';
import { toUserId } from './people.ts';

interface NamedGroup {
  /** The name of the space. */
  space: string;
  name: string;
}

const pageSize = 1000;

export async function listGroups({ catalog }: Cabinet, spaceName: string): Promise<Group[]> {
  const space = await requireSpace(catalog, spaceName);
  const groups: Group[] = [];
  for (let after: string | null = null; ; after = groups.at(-1)?.name ?? null) {
    const page: Group[] = await catalog.listGroups({ space, after, limit: pageSize });
    groups.push(...page);
    if (page.length < pageSize) return groups;
  }
}

export async function showGroup(cabinet: Cabinet, { space, name }: NamedGroup): Promise<Group> {
  const found = (await listGroups(cabinet, space)).find((group) => group.name === name);
  if (found === undefined) throw new Refusal('GroupNotFound', 'The space has no such group.');
  return found;
}

export async function addGroup(
  cabinet: Cabinet,
  { space, name, members }: NamedGroup & { members: readonly string[] },
): Promise<Group> {
  const group = { name: checkGroupName(name), members: members.map((id) => toUserId(id, 'members')) };
  return await cabinet.catalog.addGroup({
    space: await requireSpace(cabinet.catalog, space),
    ...group,
    ...byOperator(cabinet),
  });
}

export async function changeGroup(
  cabinet: Cabinet,
  { space, name, add, remove }: NamedGroup & { add: readonly string[]; remove: readonly string[] },
): Promise<Group> {
  return await cabinet.catalog.changeGroup({
    space: await requireSpace(cabinet.catalog, space),
    name,
    add: add.map((id) => toUserId(id, 'add')),
    remove: remove.map((id) => toUserId(id, 'remove')),
    ...byOperator(cabinet),
  });
}

/** What was granted to it ends with it. */
export async function removeGroup(cabinet: Cabinet, { space, name }: NamedGroup): Promise<Group> {
  return await cabinet.catalog.removeGroup({
    space: await requireSpace(cabinet.catalog, space),
    name,
    ...byOperator(cabinet),
  });
}

async function requireSpace(catalog: Cabinet['catalog'], name: string): Promise<number> {
  const found = await catalog.findSpace({ name });
  if (found !== null) return found.space;
  throw new Refusal('SpaceNotFound', `There is no space ${JSON.stringify(name)}.`, { target: 'Space' });
}
