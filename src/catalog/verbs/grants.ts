// Grants: a role for a person or a group on one entry, which everything beneath inherits. They only add rights. A grant stays
// with its entry when that is moved or trashed, is not copied with it, and ends when it is removed for good.

import type { GrantRole, Role } from '../../domain/caller.ts';
import type { Entry } from '../../domain/entry.ts';
import { entryNotFound } from '../../domain/missing.ts';
import { Refusal } from '../../domain/refusal.ts';
import { read, write } from '../declaration.ts';
import { execute, insert, note, type Origin, row, rows, type Verb } from '../sql.ts';
import { insertInto, join, raw, sql } from '../statement.ts';
import { requireRow, toEntry } from './entries.ts';
import { resolveEntry, toList } from './granted-access.ts';
import { requireGroup } from './groups.ts';
import { ensureTrustedUser } from './members.ts';
import { findVisible, type LocatedEntry, pathOf } from './tree.ts';

const intoGrants = insertInto('grants', 'entry principal space role granted_by granted_at');

/** A person by id, or a group by name. */
export interface Principal {
  kind: 'user' | 'group';
  name: string;
}

export interface PutGrant extends Origin {
  space: number;
  id: string;
  principal: Principal;
  /** Null revokes the grant. */
  role: GrantRole | null;
}

export const putGrant = write(
  { space: ({ space }) => space, lock: 'exclusive', pages: 'unchanged' },
  function* putGrant(input: PutGrant): Verb<void> {
    const { space, id, role } = input;
    const found = yield* findVisible(space, id);
    if (found === undefined) throw entryNotFound();
    if (found.parent === null) throw isRoot();
    yield* requirePrincipal(input);
    const principal = `${input.principal.kind}:${input.principal.name}`;
    const before = yield* row<{ role: GrantRole }>(
      sql`SELECT role FROM grants WHERE entry = ${found.entry} AND principal = ${principal}`,
    );
    if ((before?.role ?? null) === role) return;
    yield* execute(sql`DELETE FROM grants WHERE entry = ${found.entry} AND principal = ${principal}`);
    if (role !== null) yield* insert(intoGrants, [found.entry, principal, space, role, input.by, input.at]);
    const details = role === null ? { principal } : { principal, role };
    yield* note(input, space, role === null ? 'access.revoked' : 'access.granted', id, details);
  },
);

function isRoot(): Refusal {
  return new Refusal('InvalidField', 'The root folder cannot be shared. Give a role in the space instead.', {
    target: 'id',
    hint: 'PATCH /v1/contentmanagement/users/{id} gives a person a role in the space.',
  });
}

function* requirePrincipal({ space, principal: { kind, name }, role, ...origin }: PutGrant): Verb<void> {
  if (kind === 'group') yield* requireGroup(space, name);
  else yield* ensureTrustedUser(origin, { id: name, space, isRemoval: role === null });
}

export interface AccessLine {
  principal: string;
  role: Role;
  /** The entry that it was granted on; null: it is a role in the space. */
  from: { id: string; path: string } | null;
}

export interface ListAccess {
  space: number;
  id: string;
  /** Only theirs, with paths as they see them; null: everybody's, and the members of the space. */
  principals: readonly string[] | null;
}

/** Who may see an entry, and why: grants on it, on the folders above it from there up, and roles in the space. Null: it does
 *  not exist. */
export const listAccess = read({}, function* listAccess(input: ListAccess): Verb<AccessLine[] | null> {
  const { space, principals } = input;
  const found = yield* findVisible(space, input.id);
  if (found === undefined) return null;
  const places = [found, ...found.above];
  const granted = yield* rows<{ entry: number; principal: string; role: GrantRole }>(
    sql`SELECT entry, principal, role FROM grants WHERE entry IN (${toList(places.map(({ entry }) => entry))})
      ORDER BY principal`,
  );
  const shown = granted.filter(({ principal }) => principals === null || principals.includes(principal));
  const lines: AccessLine[] = [];
  for (const [index, place] of places.entries()) {
    const path = yield* findPathFor(input, { ...place, above: found.above.slice(index) });
    const from = { id: place.id, path };
    for (const { entry, principal, role } of shown) if (entry === place.entry) lines.push({ principal, role, from });
  }
  return principals === null ? [...lines, ...(yield* listMemberLines(space))] : lines;
});

function* findPathFor(
  { space, principals }: ListAccess,
  place: Pick<LocatedEntry, 'id' | 'name' | 'above'>,
): Verb<string> {
  if (principals === null) return pathOf(place);
  return (yield* resolveEntry({ space, id: place.id, principals }))?.path ?? '';
}

function* listMemberLines(space: number): Verb<AccessLine[]> {
  const members = yield* rows<{ user_id: string; role: Role }>(
    sql`SELECT user_id, role FROM members WHERE space = ${space} ORDER BY user_id`,
  );
  return members.map(({ user_id: id, role }) => ({ principal: `user:${id}`, role, from: null }));
}

export interface SharedEntry {
  entry: Entry;
  /** Of the entry: the place in the list. */
  number: number;
  role: GrantRole;
  space: number;
  grantedBy: string;
  grantedAt: number;
}

export interface ListShared {
  spaces: readonly { space: number; principals: readonly string[] }[];
  /** The number of the last entry of the previous page. */
  after: number;
  limit: number;
}

interface GrantRow {
  entry: number;
  space: number;
  role: GrantRole;
  granted_by: string;
  granted_at: number;
}

/** One item for each visible entry with a grant for these principals: with the largest role, and of these the newest. In the order in
 *  which the entries were created. */
export const listShared = read({}, function* listShared({ spaces, after, limit }: ListShared): Verb<SharedEntry[]> {
  if (spaces.length === 0) return [];
  const shared: SharedEntry[] = [];
  for (let last = after; shared.length < limit; ) {
    const granted = yield* listGrants(spaces, last, limit);
    if (granted.length === 0) break;
    for (const [entry, grants] of Map.groupBy(granted, (grant) => grant.entry)) {
      last = entry;
      const [best] = grants.toSorted(compareGrants);
      const found = yield* requireRow(entry);
      if (best === undefined || (yield* findVisible(best.space, found.id)) === undefined) continue;
      const { space, role, granted_by: grantedBy, granted_at: grantedAt } = best;
      shared.push({ entry: toEntry(found), number: entry, role, space, grantedBy, grantedAt });
      if (shared.length === limit) break;
    }
  }
  return shared;
});

/** All grants on the next entries. */
function* listGrants(spaces: ListShared['spaces'], after: number, limit: number): Verb<GrantRow[]> {
  const parts = spaces.map(
    ({ space, principals }, index) =>
      sql`${raw(index === 0 ? '' : 'OR ')}(space = ${space} AND principal IN (${toList(principals)}))`,
  );
  const which = join(parts, ' ');
  return yield* rows<GrantRow>(sql`SELECT entry, space, role, granted_by, granted_at FROM grants
    WHERE entry IN (SELECT DISTINCT entry FROM grants WHERE entry > ${after} AND (${which})
      ORDER BY entry LIMIT ${limit}) AND (${which}) ORDER BY entry`);
}

function compareGrants(one: GrantRow, other: GrantRow): number {
  if (one.role !== other.role) return one.role === 'editor' ? -1 : 1;
  return other.granted_at - one.granted_at;
}
