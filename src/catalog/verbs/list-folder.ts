// A folder's children, page by page, in any order. Each order has its index, so that a page costs the same however many
// children there are.

import type { Entry, Order } from '../../domain/entry.ts';
import { read } from '../declaration.ts';
import { row, tuples, type Verb } from '../sql.ts';
import { raw, type Sql, sql } from '../statement.ts';
import { type EntryRow, findRow, selection, toEntry, toRow } from './entries.ts';
import { isVisible, locate } from './tree.ts';

/** A place in a folder's order: the kind (folders come before files), what is ordered by, and the id where that can be
 *  the same for several. Names are ordered by the bytes of their NFC form. */
export type FolderCursor = readonly [kind: 0 | 1, key: string | number, id: string];

export interface ListFolder {
  space: number;
  folder: string;
  /** By name, if none is given. */
  order?: Order;
  limit: number;
  after?: FolderCursor;
  /** An entry that is not to be listed: the caller has it already. */
  exclude?: string;
  /** A page that is right as of this place of the journal will do: the asker has just written there, and knows no later one. */
  atLeast?: number | null;
}

export interface FolderPage {
  folder: Entry;
  children: Entry[];
  /** Where the next page begins; null when this was the last. */
  next: FolderCursor | null;
  /** The last place of the journal that this page has seen. */
  asOf: number;
  /** These very entries were shown before, and will be again. */
  isKept?: boolean;
}

/** Properties of a thousand entries can be 64 MiB: a page ends when it has this much of them. */
const maxPropertiesLength = 4 * 1024 * 1024;

export const listFolder = read(
  { catchUp: ({ order }) => (order?.endsWith('size') ? 'sums' : null) },
  function* listFolder(input: ListFolder): Verb<FolderPage | null> {
    const { space, folder, limit, exclude } = input;
    const found = yield* findRow(space, folder);
    if (found === undefined) return null;
    const parent = yield* locate(found);
    if (!isVisible(parent)) return null;
    // One more than asked for tells whether there is a next page; one more stands in for the excluded entry.
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

/** At least one, or nobody would get any further. */
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
  name: { column: 'name_key', ...rising },
  '-name': { column: 'name_key', ...falling },
  modified: { column: 'modified_at', ...rising },
  '-modified': { column: 'modified_at', ...falling },
  size: { column: 'size', ...rising },
  '-size': { column: 'size', ...falling },
} as const satisfies Record<Order, { column: keyof EntryRow; direction: Sql; beyond: Sql }>;

export function toFolderCursor(child: EntryRow, order: Order): FolderCursor {
  return [child.kind, child[orders[order].column], child.id];
}

function* listChildren(parent: number, input: ListFolder): Verb<EntryRow[]> {
  const { after, limit } = input;
  const folders = after?.[0] === 1 ? [] : yield* listKind(parent, 0, input);
  if (folders.length >= limit) return folders;
  const rest = { ...input, limit: limit - folders.length };
  return folders.concat(yield* listKind(parent, 1, rest));
}

function* listKind(parent: number, kind: 0 | 1, { space, order = 'name', after, limit }: ListFolder): Verb<EntryRow[]> {
  const { column: name, direction, beyond } = orders[order];
  const column = raw(name);
  const isByName = name === 'name_key';
  let from = nothing;
  if (after?.[0] === kind) {
    // Names are unique; a row of values is compared from left to right.
    from = isByName
      ? sql`AND name_key ${beyond} ${after[1]}`
      : sql`AND (${column}, id) ${beyond} (${after[1]}, ${after[2]})`;
  }
  const ties = isByName ? nothing : sql`, id ${direction}`;
  const found = yield* tuples(sql`SELECT ${selection} FROM entries
    WHERE space = ${space} AND parent = ${parent} AND kind = ${kind} ${from}
    ORDER BY ${column} ${direction}${ties} LIMIT ${limit}`);
  return found.map(toRow);
}

const nothing = raw('');
