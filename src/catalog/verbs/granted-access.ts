// What grants allow: a grant on an entry holds for it and for everything beneath it. An entry in the trash counts as beneath
// the folder that it was trashed from, so that those who could see it before still see it there.

import type { GrantedSpace, GrantRole } from '../../domain/caller.ts';
import { deepestLevel } from '../../domain/entry.ts';
import { read } from '../declaration.ts';
import { row, rows, type Verb } from '../sql.ts';
import { join, type Sql, sql } from '../statement.ts';
import { hiddenId, trashId } from './tree.ts';

/** A list of values for `IN (…)`. */
export function toList(values: readonly (string | number)[]): Sql {
  return join(
    values.map((value) => sql`${value}`),
    ', ',
  );
}

export interface FindGrantedSpaces {
  /** The person's id. */
  user: string;
  /** Names of groups that an outside issuer says the person is in. */
  groups: readonly string[];
}

/** The spaces in which the person, or a group of the person, has a grant. */
export const findGrantedSpaces = read({}, function* findGrantedSpaces(input: FindGrantedSpaces): Verb<GrantedSpace[]> {
  const found = new Map<number, { role: GrantRole; principals: string[] }>();
  for (const { space, principal, role } of yield* findPrincipals(input)) {
    const known = found.get(space) ?? { role, principals: [] };
    if (role === 'editor') known.role = role;
    if (!known.principals.includes(principal)) known.principals.push(principal);
    found.set(space, known);
  }
  const granted: GrantedSpace[] = [];
  for (const [space, grant] of found) {
    const named = yield* row<{ id: string; name: string; root: string }>(
      sql`SELECT id, name, root FROM spaces WHERE space = ${space}`,
    );
    if (named === undefined) continue;
    granted.push({ space, spaceId: named.id, spaceName: named.name, rootId: named.root, ...grant });
  }
  return granted.sort((one, other) => (one.spaceName < other.spaceName ? -1 : 1));
});

interface SpacePrincipal {
  space: number;
  principal: string;
  role: GrantRole;
}

/** Those that have a grant. */
function* findPrincipals({ user, groups }: FindGrantedSpaces): Verb<SpacePrincipal[]> {
  const own = `user:${user}`;
  const found = yield* rows<SpacePrincipal>(
    sql`SELECT DISTINCT space, principal, role FROM grants WHERE principal = ${own}`,
  );
  for (const { space, name } of yield* findGroups({ user, groups })) {
    const principal = `group:${name}`;
    const ofGroup = yield* rows<SpacePrincipal>(
      sql`SELECT DISTINCT space, principal, role FROM grants WHERE principal = ${principal} AND space = ${space}`,
    );
    found.push(...ofGroup);
  }
  return found;
}

function* findGroups({ user, groups }: FindGrantedSpaces): Verb<{ space: number; name: string }[]> {
  const own = sql`SELECT space, name FROM group_members WHERE user_id = ${user}`;
  if (groups.length === 0) return yield* rows<{ space: number; name: string }>(own);
  return yield* rows<{ space: number; name: string }>(
    sql`${own} UNION SELECT space, name FROM people_groups WHERE name IN (${toList(groups)})`,
  );
}

/** An entry on the path from an entry up to the root. */
interface Step {
  entry: number;
  id: string;
  name: string;
  role: GrantRole | null;
}

export interface GrantedEntry {
  entry: number;
  role: GrantRole;
  /** The role in the folder that contains it, or that it was trashed from; null: that folder is not visible. */
  parentRole: GrantRole | null;
  /** From the topmost entry that the grants show, which is directly beneath `/`. */
  path: string;
  isTrashed: boolean;
}

export interface ResolveGrants {
  space: number;
  id: string;
  principals: readonly string[];
}

/** Null: there is no such entry, or no grant shows it. */
export const resolveGrants = read(
  { key: ({ space, id, principals }) => JSON.stringify([space, id, principals]) },
  function* resolveGrants(input: ResolveGrants): Verb<GrantedEntry | null> {
    return yield* resolveEntry(input);
  },
);

export function* resolveEntry({ space, id, principals }: ResolveGrants): Verb<GrantedEntry | null> {
  const { steps, trashedAt } = (yield* findSteps(space, sql`id = ${id}`, principals)) ?? { steps: [], trashedAt: null };
  const [own, ...above] = steps;
  const top = steps.findLastIndex(({ role }) => role !== null);
  const role = toHighest(steps);
  if (own === undefined || role === null) return null;
  // In the trash with a folder above what the grants show.
  if (trashedAt !== null && trashedAt > top) return null;
  const isTrashed = trashedAt !== null;
  const names = steps.slice(0, top + 1).map(({ name }) => name);
  return { entry: own.entry, role, parentRole: toHighest(above), path: `/${names.reverse().join('/')}`, isTrashed };
}

/** The role that grants give a person in a visible entry, also through groups of the space; null: none. */
export function* findHeldRole(held: { space: number; id: string; user: string }): Verb<GrantRole | null> {
  const { space, id, user } = held;
  const groups = yield* rows<{ name: string }>(
    sql`SELECT name FROM group_members WHERE user_id = ${user} AND space = ${space}`,
  );
  const principals = [`user:${user}`, ...groups.map(({ name }) => `group:${name}`)];
  const resolved = yield* resolveEntry({ space, id, principals });
  return resolved === null || resolved.isTrashed ? null : resolved.role;
}

function toHighest(steps: readonly Step[]): GrantRole | null {
  if (steps.some(({ role }) => role === 'editor')) return 'editor';
  return steps.some(({ role }) => role === 'viewer') ? 'viewer' : null;
}

/** Folders on the way up, at most: the deepest tree in the trash of another, some times over. */
const maxSteps = (deepestLevel + 3) * 10;

interface Way {
  /** The entry first, the root excluded. */
  steps: Step[];
  /** Which of the steps is the top of the tree in the trash that the entry is in; null: the entry is not in the trash. */
  trashedAt: number | null;
}

/** Null: the entry does not exist, or is removed for good or being copied. */
function* findSteps(space: number, which: Sql, principals: readonly string[]): Verb<Way | null> {
  const steps: Step[] = [];
  let trashedAt: number | null = null;
  for (let from: Sql | null = which; from !== null; ) {
    const part: Step[] = yield* climb(space, from, principals);
    const top = part.at(-1);
    if (top === undefined || top.id === hiddenId) return steps.length === 0 ? null : { steps, trashedAt };
    if (steps.length > maxSteps) return null;
    steps.push(...part.slice(0, -1));
    // The root itself was requested, or the trash.
    if (part.length === 1 && steps.length === 0) return null;
    const trashed: Step | undefined = top.id === trashId ? part.at(-2) : undefined;
    const left: string | null = trashed === undefined ? null : yield* findFormerFolder(trashed.entry);
    if (trashed !== undefined) trashedAt ??= steps.length - 1;
    from = left === null ? null : sql`id = ${left}`;
  }
  return { steps, trashedAt };
}

/** The folder that the top of a tree in the trash was in. */
export function* findFormerFolder(entry: number): Verb<string | null> {
  const trash = yield* row<{ parent: string }>(sql`SELECT parent FROM trash WHERE entry = ${entry}`);
  return trash?.parent ?? null;
}

/** The entry and all folders above it, up to the root or a hidden folder, in one statement. */
function* climb(space: number, which: Sql, principals: readonly string[]): Verb<Step[]> {
  const found = yield* rows<Step & { level: number }>(sql`WITH RECURSIVE up (entry, parent, id, name, level) AS (
      SELECT entry, parent, id, name, 0 FROM entries WHERE space = ${space} AND ${which}
      UNION ALL
      SELECT entries.entry, entries.parent, entries.id, entries.name, up.level + 1
      FROM up JOIN entries ON entries.entry = up.parent WHERE up.level <= ${deepestLevel + 3}
    )
    SELECT up.entry AS entry, up.id AS id, up.name AS name, up.level AS level, grants.role AS role
    FROM up LEFT JOIN grants ON grants.entry = up.entry AND grants.principal IN (${toList(principals)})
    ORDER BY up.level`);
  const steps: Step[] = [];
  for (const { entry, id, name, level, role } of found) {
    const known = steps[level];
    if (known === undefined) steps.push({ entry, id, name, role });
    else if (role === 'editor') known.role = role;
  }
  return steps;
}

/** The ids of entries with a grant for these principals that are beneath a folder, or were before they were trashed. */
export function* findGrantsBeneath({ space, principals }: Omit<ResolveGrants, 'id'>, folder: number): Verb<string[]> {
  const granted = yield* rows<{ entry: number; id: string }>(
    sql`SELECT DISTINCT entries.entry AS entry, id FROM grants JOIN entries ON entries.entry = grants.entry
      WHERE grants.principal IN (${toList(principals)}) AND grants.space = ${space} ORDER BY entries.entry`,
  );
  const beneath: string[] = [];
  for (const { entry, id } of granted) {
    const way = yield* findSteps(space, sql`entry = ${entry}`, principals);
    if (way?.steps.slice(1).some((step) => step.entry === folder)) beneath.push(id);
  }
  return beneath;
}

export interface GrantTop {
  entry: number;
  id: string;
  role: GrantRole;
}

/** The topmost entries that the grants show, by name: what the space contains for someone without a role there. */
export const listGrantTops = read({}, function* listGrantTops({ space, principals }: Omit<ResolveGrants, 'id'>): Verb<
  GrantTop[]
> {
  const granted = yield* rows<{ entry: number; id: string; parent: number | null; role: GrantRole }>(
    sql`SELECT entries.entry AS entry, id, parent, role FROM grants JOIN entries ON entries.entry = grants.entry
        WHERE grants.principal IN (${toList(principals)}) AND grants.space = ${space} ORDER BY name_key, entries.entry`,
  );
  const roles = new Map<number, GrantRole>();
  for (const { entry, role } of granted) if (role === 'editor' || !roles.has(entry)) roles.set(entry, role);
  const ways = new Map<number, 'shown' | 'above' | 'hidden'>();
  const tops: GrantTop[] = [];
  const listed = new Set<number>();
  for (const { entry, id, parent } of granted) {
    if (listed.has(entry) || parent === null) continue;
    listed.add(entry);
    if ((yield* findWay(parent, roles, ways)) !== 'above') continue;
    tops.push({ entry, id, role: roles.get(entry) ?? 'viewer' });
  }
  return tops;
});

/** `shown`: the grants show the folder. `above`: it is above what they show. `hidden`: it is in a hidden folder. */
function* findWay(
  folder: number,
  roles: ReadonlyMap<number, GrantRole>,
  ways: Map<number, 'shown' | 'above' | 'hidden'>,
): Verb<'shown' | 'above' | 'hidden'> {
  const known = ways.get(folder);
  if (known !== undefined) return known;
  const found = yield* row<{ id: string; parent: number | null }>(
    sql`SELECT id, parent FROM entries WHERE entry = ${folder}`,
  );
  if (found === undefined) throw new Error('an entry has lost its folder');
  const { id, parent } = found;
  const above = parent === null ? (id.startsWith('-') ? 'hidden' : 'above') : yield* findWay(parent, roles, ways);
  const way = above === 'above' && roles.has(folder) ? 'shown' : above;
  ways.set(folder, way);
  return way;
}
