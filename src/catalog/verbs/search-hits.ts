// Decides which search results are visible and match the filters: the index only proposes. Visibility follows from the
// folders up to the root, each of which is read once.

import { type Entry, folderContentType, type Kind } from '../../domain/entry.ts';
import { read } from '../declaration.ts';
import { row, together, type Verb } from '../sql.ts';
import { sql } from '../statement.ts';
import { type EntryRow, one, selection, toEntry } from './entries.ts';
import { toList } from './granted-access.ts';

export interface HitFilter {
  /** Only entries beneath this folder, at any depth; null: anywhere. */
  folder: string | null;
  kind: Kind | null;
  /** Lower case, without parameters; `image/*` matches any subtype. */
  contentType: string | null;
  /** Milliseconds since 1970; only later ones. */
  modifiedAfter: number | null;
  /** Every property must have exactly this value. */
  properties: Record<string, string>;
}

export interface ScopedFilter extends HitFilter {
  /** Only what was granted to these, with paths from there; null: anything in the space. */
  principals: readonly string[] | null;
}

export interface FindHits extends ScopedFilter {
  space: number;
  entries: readonly number[];
}

export interface Hit {
  number: number;
  entry: Entry;
  path: string;
}

interface PathToRoot {
  /** From the root, or from the topmost entry that the grants show; null: they do not show it. */
  path: string | null;
  isVisible: boolean;
  isBeneath: boolean;
}

/** In the given order. */
export const findHits = read({}, function* findHits(input: FindHits): Verb<Hit[]> {
  const ways = new Map<number, PathToRoot>();
  const hits = yield* together(input.entries.map((number) => findHit(number, input, ways)));
  return hits.filter((hit) => hit !== null);
});

function* findHit(number: number, input: FindHits, ways: Map<number, PathToRoot>): Verb<Hit | null> {
  // Most results are not in the given folder: skip them before reading the whole row.
  if (input.folder !== null && !(yield* isBeneath(number, input, ways))) return null;
  const found = yield* one(sql`SELECT ${selection} FROM entries WHERE entry = ${number} AND space = ${input.space}`);
  if (found === undefined || found.parent === null || !isWanted(found, input)) return null;
  const way = yield* findWay(found.parent, input, ways);
  if (!way.isVisible || !way.isBeneath) return null;
  const path = yield* findPathOf({ above: way.path, entry: number, name: found.name }, input.principals);
  return path === null ? null : { number, entry: toEntry(found), path };
}

/** Null: the grants do not show the entry. */
function* findPathOf(
  { above, entry, name }: { above: string | null; entry: number; name: string },
  principals: readonly string[] | null,
): Verb<string | null> {
  if (above !== null) return `${above}/${name}`;
  if (principals === null) return null;
  const grant = yield* row(
    sql`SELECT role FROM grants WHERE entry = ${entry} AND principal IN (${toList(principals)}) LIMIT 1`,
  );
  return grant === undefined ? null : `/${name}`;
}

function* isBeneath(number: number, input: FindHits, ways: Map<number, PathToRoot>): Verb<boolean> {
  const query = sql`SELECT parent FROM entries WHERE entry = ${number} AND space = ${input.space}`;
  const parent = (yield* row<{ parent: number | null }>(query))?.parent ?? null;
  return parent !== null && (yield* findWay(parent, input, ways)).isBeneath;
}

function* findWay(folder: number, filter: ScopedFilter, ways: Map<number, PathToRoot>): Verb<PathToRoot> {
  const { folder: wanted, principals } = filter;
  const known = ways.get(folder);
  if (known !== undefined) return known;
  const found = yield* row<{ id: string; name: string; parent: number | null }>(
    sql`SELECT id, name, parent FROM entries WHERE entry = ${folder}`,
  );
  if (found === undefined) throw new Error('an entry has lost its folder');
  const { id, name, parent } = found;
  const above = parent === null ? null : yield* findWay(parent, filter, ways);
  const root = principals === null ? '' : null;
  const way: PathToRoot = {
    path: above === null ? root : yield* findPathOf({ above: above.path, entry: folder, name }, principals),
    isVisible: above === null ? !id.startsWith('-') : above.isVisible,
    isBeneath: wanted === null || id === wanted || (above?.isBeneath ?? false),
  };
  ways.set(folder, way);
  return way;
}

function isWanted(found: EntryRow, { kind, contentType, modifiedAfter, properties }: HitFilter): boolean {
  if (kind !== null && found.kind !== (kind === 'folder' ? 0 : 1)) return false;
  if (modifiedAfter !== null && found.modified_at <= modifiedAfter) return false;
  if (contentType !== null && !isOfType(found.content_type ?? folderContentType, contentType)) return false;
  const wanted = Object.entries(properties);
  if (wanted.length === 0) return true;
  const { properties: actual } = toEntry(found);
  return wanted.every(([key, value]) => Object.hasOwn(actual, key) && actual[key] === value);
}

function isOfType(actual: string, wanted: string): boolean {
  const essence = (actual.split(';')[0] as string).trim().toLowerCase();
  return wanted.endsWith('/*') ? essence.startsWith(wanted.slice(0, -1)) : essence === wanted;
}

export interface NamedEntry {
  entry: number;
  id: string;
  name: string;
}

/** Names of entries, for operators. Entries that no longer exist are omitted. */
export const findNames = read({}, function* findNames({ entries }: { entries: readonly number[] }): Verb<NamedEntry[]> {
  const named: NamedEntry[] = [];
  for (const entry of entries) {
    const found = yield* row<NamedEntry>(sql`SELECT entry, id, name FROM entries WHERE entry = ${entry}`);
    if (found !== undefined) named.push(found);
  }
  return named;
});
