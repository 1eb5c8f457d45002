// Lists the children of a folder in pages, in any order. Each order has its index, so that the cost of a page does not depend
// on the number of children.

import type { Entry, Order } from '../../domain/entry.ts';
import { toNaturalKey } from '../../domain/name.ts';
import { read, write } from '../declaration.ts';
import { execute, row, rows, tuples, type Verb } from '../sql.ts';
import { raw, type Sql, sql } from '../statement.ts';
import { type EntryRow, findRow, selection, toEntry, toRow } from './entries.ts';
import { isVisible, locate } from './tree.ts';

/** A position in the order of a folder: the kind (folders come before files), the value that orders, and what decides between several
 *  with that value: the name in natural order, otherwise the id. Names are ordered by the bytes of their NFC form. */
export type FolderCursor = readonly [kind: 0 | 1, key: string | number, tie: string];

export interface ListFolder {
  space: number;
  folder: string;
  /** By name if omitted. */
  order?: Order;
  limit: number;
  after?: FolderCursor;
  /** An entry to leave out, because the caller already has it. */
  exclude?: string;
  /** A cached page may be used if it is correct as of this position: the last one that the caller knows. */
  atLeast?: number | null;
}

export interface FolderPage {
  folder: Entry;
  children: Entry[];
  /** Where the next page begins; null on the last page. */
  next: FolderCursor | null;
  /** The last position of the journal that this page includes. */
  asOf: number;
  /** The entries come from the cache and are the same objects every time. */
  isKept?: boolean;
}

interface CountChildren {
  space: number;
  folder: string;
}

/** A thousand entries can have 64 MiB of properties: a page ends when it has this much. */
const maxPropertiesLength = 4 * 1024 * 1024;

export const listFolder = read(
  { catchUp: ({ order }) => (order?.endsWith('size') ? 'sums' : null) },
  function* listFolder(input: ListFolder): Verb<FolderPage | null> {
    const { space, folder, limit, exclude } = input;
    const found = yield* findRow(space, folder);
    if (found === undefined) return null;
    const parent = yield* locate(found);
    if (!isVisible(parent)) return null;
    // One more than the limit shows whether there is a next page; one more replaces the excluded entry.
    const wanted = limit + (exclude === undefined ? 1 : 2);
    let children = yield* listChildren(parent.entry, { ...input, limit: wanted });
    if (exclude !== undefined) children = children.filter((child) => child.id !== exclude);
    const journal = yield* row<{ position: number | null }>(sql`SELECT max(position) AS position FROM journal`);
    const shown = children.slice(0, Math.min(limit, countWithin(children)));
    const last = children.length > shown.length ? shown.at(-1) : undefined;
    return {
      folder: toEntry(parent),
      children: shown.map(toEntry),
      next: last === undefined ? null : toFolderCursor(last, input.order ?? 'name'),
      asOf: journal?.position ?? 0,
    };
  },
);

/** How many children a folder has. Reads an index entry for each. */
export const countChildren = read({}, function* countChildren(input: CountChildren): Verb<number> {
  const folder = yield* findRow(input.space, input.folder);
  if (folder === undefined) return 0;
  const found = yield* row<{ children: number }>(
    sql`SELECT count(*) AS children FROM entries WHERE space = ${input.space} AND parent = ${folder.entry}`,
  );
  return Number(found?.children ?? 0);
});

/** At least one, so that readers always make progress. */
function countWithin(children: readonly EntryRow[]): number {
  let length = 0;
  for (const [index, { properties }] of children.entries()) {
    length += properties?.length ?? 0;
    if (length > maxPropertiesLength) return Math.max(1, index);
  }
  return children.length;
}

const rising = { direction: raw('ASC'), beyond: raw('>') };
const falling = { direction: raw('DESC'), beyond: raw('<') };

const orders = {
  name: { column: 'name_key', tie: 'name_key', ...rising },
  '-name': { column: 'name_key', tie: 'name_key', ...falling },
  natural: { column: 'natural_key', tie: 'name_key', ...rising },
  '-natural': { column: 'natural_key', tie: 'name_key', ...falling },
  modified: { column: 'modified_at', tie: 'id', ...rising },
  '-modified': { column: 'modified_at', tie: 'id', ...falling },
  size: { column: 'size', tie: 'id', ...rising },
  '-size': { column: 'size', tie: 'id', ...falling },
} as const satisfies Record<Order, OrderColumns>;

interface OrderColumns {
  column: 'name_key' | 'natural_key' | 'modified_at' | 'size';
  tie: 'name_key' | 'id';
  direction: Sql;
  beyond: Sql;
}

export function toFolderCursor(child: EntryRow, order: Order): FolderCursor {
  const { column, tie } = orders[order];
  return [child.kind, column === 'natural_key' ? toNaturalKey(child.name_key) : child[column], child[tie]];
}

function* listChildren(parent: number, input: ListFolder): Verb<EntryRow[]> {
  const { after, limit } = input;
  const folders = after?.[0] === 1 ? [] : yield* listKind(parent, 0, input);
  if (folders.length >= limit) return folders;
  const rest = { ...input, limit: limit - folders.length };
  return folders.concat(yield* listKind(parent, 1, rest));
}

function* listKind(parent: number, kind: 0 | 1, { space, order = 'name', after, limit }: ListFolder): Verb<EntryRow[]> {
  const { column: name, tie, direction, beyond } = orders[order];
  const [column, second] = [raw(name), raw(tie)];
  const isUnique = name === tie;
  let from = nothing;
  if (after?.[0] === kind) {
    // A row of values is compared from left to right.
    from = isUnique
      ? sql`AND ${column} ${beyond} ${after[1]}`
      : sql`AND (${column}, ${second}) ${beyond} (${after[1]}, ${after[2]})`;
  }
  const ties = isUnique ? nothing : sql`, ${second} ${direction}`;
  const found = yield* tuples(sql`SELECT ${selection} FROM entries
    WHERE space = ${space} AND parent = ${parent} AND kind = ${kind} ${from}
    ORDER BY ${column} ${direction}${ties} LIMIT ${limit}`);
  return found.map(toRow);
}

const nothing = raw('');

const keysAtOnce = 500;

/** Entries of earlier releases, and of nodes that are not updated yet, have no key for the natural order. Whether the folder has
 *  some of them. */
export const lacksNaturalKeys = read({}, function* lacksNaturalKeys(input: CountChildren): Verb<boolean> {
  return (yield* findWithoutKey(input, 1)).length > 0;
});

/** Gives keys to some of them; returns to how many. */
export const addNaturalKeys = write(
  { space: ({ space }) => space, lock: 'exclusive', pages: 'unchanged', isAnnounced: false },
  function* addNaturalKeys(input: CountChildren): Verb<number> {
    const found = yield* findWithoutKey(input, keysAtOnce);
    for (const { entry, name_key: nameKey } of found) {
      yield* execute(sql`UPDATE entries SET natural_key = ${toNaturalKey(nameKey)} WHERE entry = ${entry}`);
    }
    return found.length;
  },
);

function* findWithoutKey({ space, folder }: CountChildren, limit: number): Verb<{ entry: number; name_key: string }[]> {
  const parent = yield* findRow(space, folder);
  if (parent === undefined) return [];
  return yield* rows<{ entry: number; name_key: string }>(sql`SELECT entry, name_key FROM entries
    WHERE space = ${space} AND parent = ${parent.entry} AND kind IN (0, 1) AND natural_key IS NULL LIMIT ${limit}`);
}
