// Groups of people. A group belongs to one space; what is granted to it is granted to its members.

import { Refusal } from '../../domain/refusal.ts';
import { read, write } from '../declaration.ts';
import { execute, insert, note, type Origin, returning, row, rows, type Verb } from '../sql.ts';
import { insertInto, sql } from '../statement.ts';
import { ensureTrustedUser } from './members.ts';

const intoGroups = insertInto('people_groups', 'space name created_at created_by');
const intoGroupMembers = insertInto('group_members', 'space name user_id');

export interface Group {
  name: string;
  /** Ids of people, in order. */
  members: string[];
}

interface NamedGroup {
  space: number;
  name: string;
}

/** `after`: the name of the last group of the page before; null: the first page. */
export const listGroups = read(
  {},
  function* listGroups(input: { space: number; after: string | null; limit: number }): Verb<Group[]> {
    const { space, after, limit } = input;
    const found = yield* rows<{ name: string }>(sql`SELECT name FROM people_groups
      WHERE space = ${space} AND name > ${after ?? ''} ORDER BY name LIMIT ${limit}`);
    const groups: Group[] = [];
    for (const { name } of found) groups.push({ name, members: yield* listMembersOf({ space, name }) });
    return groups;
  },
);

function* listMembersOf({ space, name }: NamedGroup): Verb<string[]> {
  const found = yield* rows<{ user_id: string }>(
    sql`SELECT user_id FROM group_members WHERE space = ${space} AND name = ${name} ORDER BY user_id`,
  );
  return found.map(({ user_id: id }) => id);
}

function* isGroup(space: number, name: string): Verb<boolean> {
  return (yield* row(sql`SELECT name FROM people_groups WHERE space = ${space} AND name = ${name}`)) !== undefined;
}

export function* requireGroup(space: number, name: string): Verb<void> {
  if (!(yield* isGroup(space, name))) throw new Refusal('GroupNotFound', 'The space has no such group.');
}

export interface AddGroup extends Origin, NamedGroup {
  members: readonly string[];
}

export const addGroup = write(
  { space: ({ space }) => space, lock: 'exclusive', pages: 'unchanged' },
  function* addGroup(input: AddGroup): Verb<Group> {
    const { space, name } = input;
    if (yield* isGroup(space, name)) {
      throw new Refusal('NameAlreadyExists', `A group named ${JSON.stringify(name)} already exists in this space.`, {
        target: 'Name',
      });
    }
    yield* insert(intoGroups, [space, name, input.at, input.by]);
    yield* note(input, space, 'group.added', name, {});
    for (const id of new Set(input.members)) yield* addToGroup(input, id);
    return { name, members: yield* listMembersOf(input) };
  },
);

function* addToGroup(group: Origin & NamedGroup, id: string): Verb<void> {
  const { space, name } = group;
  yield* ensureTrustedUser(group, { id, space, isRemoval: false });
  yield* insert(intoGroupMembers, [space, name, id]);
  yield* note(group, space, 'group.member-added', name, { member: id });
}

export interface ChangeGroup extends Origin, NamedGroup {
  add: readonly string[];
  remove: readonly string[];
}

/** Who is in it already is not added again, and who is not in it need not be removed. */
export const changeGroup = write(
  { space: ({ space }) => space, lock: 'exclusive', pages: 'unchanged' },
  function* changeGroup(input: ChangeGroup): Verb<Group> {
    const { space, name, add, remove } = input;
    yield* requireGroup(space, name);
    const members = new Set(yield* listMembersOf(input));
    const removed = new Set(remove);
    for (const id of new Set([...add, ...remove])) {
      if (removed.has(id)) yield* removeFromGroup(input, id, members);
      else if (!members.has(id)) yield* addToGroup(input, id);
    }
    return { name, members: yield* listMembersOf(input) };
  },
);

function* removeFromGroup(group: Origin & NamedGroup, id: string, members: ReadonlySet<string>): Verb<void> {
  const { space, name } = group;
  yield* ensureTrustedUser(group, { id, space, isRemoval: true });
  if (!members.has(id)) return;
  yield* execute(sql`DELETE FROM group_members WHERE space = ${space} AND name = ${name} AND user_id = ${id}`);
  yield* noteRemoved(group, id);
}

/** Says on what the group has grants, so that the member's change feed can report that these entries are gone. */
function* noteRemoved(group: Origin & NamedGroup, member: string): Verb<void> {
  const { space, name } = group;
  const granted = yield* rows<{ id: string }>(sql`SELECT id FROM grants JOIN entries ON entries.entry = grants.entry
    WHERE grants.principal = ${`group:${name}`} AND grants.space = ${space} ORDER BY entries.entry`);
  yield* note(group, space, 'group.member-removed', name, { member, granted: granted.map(({ id }) => id) });
}

/** Its grants end with it. */
export const removeGroup = write(
  { space: ({ space }) => space, lock: 'exclusive', pages: 'unchanged' },
  function* removeGroup(input: Origin & NamedGroup): Verb<Group> {
    const { space, name } = input;
    yield* requireGroup(space, name);
    const members = yield* listMembersOf(input);
    for (const member of members) yield* noteRemoved(input, member);
    yield* execute(sql`DELETE FROM group_members WHERE space = ${space} AND name = ${name}`);
    const principal = `group:${name}`;
    const ended = yield* returning<{ entry: number }>(
      sql`DELETE FROM grants WHERE principal = ${principal} AND space = ${space} RETURNING entry`,
    );
    for (const { entry } of ended) {
      const found = yield* row<{ id: string }>(sql`SELECT id FROM entries WHERE entry = ${entry}`);
      if (found !== undefined) yield* note(input, space, 'access.revoked', found.id, { principal });
    }
    yield* execute(sql`DELETE FROM people_groups WHERE space = ${space} AND name = ${name}`);
    yield* note(input, space, 'group.removed', name, {});
    return { name, members };
  },
);
