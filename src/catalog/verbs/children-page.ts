// Reads a page of the children of a folder, in any order: after a position, before one, or from the child with a number on. Each
// order has its index, so that the cost of a page does not depend on the number of children. A number is found by stepping over index
// entries, from the end that its sign names.

import type { Order } from '../../domain/entry.ts';
import { toNaturalKey } from '../../domain/name.ts';
import { row, tuples, type Verb } from '../sql.ts';
import { exactSize, raw, type Sql, sql } from '../statement.ts';
import { type EntryRow, selection, toRow } from './entries.ts';

/** A position in the order of a folder: the kind (folders come before files), the value that orders, and what decides between several
 *  with that value: the name in natural order, otherwise the id. Names are ordered by the bytes of their NFC form. */
export type FolderCursor = readonly [kind: 0 | 1, key: string | number, tie: string];

export interface ChildrenRequest {
  space: number;
  /** By name if omitted. */
  order?: Order;
  limit: number;
  /** At most one of `after`, `before` and `offset`. */
  after?: FolderCursor;
  /** The page ends before this position. */
  before?: FolderCursor;
  /** The page begins with this child, counted from 0; a negative number counts from the end. */
  offset?: number;
  /** An entry to leave out, because the caller already has it. */
  exclude?: string;
}

export interface ChildrenPage {
  children: EntryRow[];
  /** Where the next page begins; null on the last page. */
  next: FolderCursor | null;
  /** Where the page before ends, if the request had `before` or `offset`; null on the first page. */
  previous?: FolderCursor | null;
}

/** A thousand entries can have 64 MiB of properties: a page ends when it has this much. */
const maxPropertiesLength = 4 * 1024 * 1024;

export function* readChildren(parent: number, request: ChildrenRequest): Verb<ChildrenPage> {
  const { before, offset } = request;
  if (before !== undefined) return yield* readBackward(parent, { ...request, before });
  if (offset !== undefined) return yield* readFromNumber(parent, request, offset);
  return yield* readForward(parent, request);
}

function* readForward(parent: number, request: ChildrenRequest): Verb<ChildrenPage> {
  const { limit, exclude, after } = request;
  // One more than the limit shows whether there is a next page; one more replaces the excluded entry.
  const wanted = limit + (exclude === undefined ? 1 : 2);
  const found = yield* readRows(parent, request, { isBackward: false, from: after, limit: wanted });
  const { shown, further } = cut(
    found.filter(({ id }) => id !== exclude),
    request,
  );
  return { children: shown, next: further };
}

function* readBackward(parent: number, request: ChildrenRequest & { before: FolderCursor }): Verb<ChildrenPage> {
  const { limit, before: from, order = 'name' } = request;
  const found = yield* readRows(parent, request, { isBackward: true, from, limit: limit + 1 });
  const { shown, further } = cut(found, request);
  const [last] = shown;
  return {
    children: shown.toReversed(),
    // What was there when the cursor was made: the page may turn out to be empty.
    next: last === undefined ? null : toFolderCursor(last, order),
    previous: further,
  };
}

function* readFromNumber(parent: number, request: ChildrenRequest, offset: number): Verb<ChildrenPage> {
  const isBackward = offset < 0;
  if (offset === 0) return { ...(yield* readForward(parent, request)), previous: null };
  const after = yield* findNumber(parent, request, { isBackward, number: isBackward ? -offset : offset - 1 });
  if (after === null && !isBackward) return { children: [], next: null, previous: null };
  if (after === null) return { ...(yield* readForward(parent, request)), previous: null };
  const page = yield* readForward(parent, { ...request, after });
  const [first] = page.children;
  return { ...page, previous: first === undefined ? null : toFolderCursor(first, request.order ?? 'name') };
}

function cut(found: readonly EntryRow[], { limit, order = 'name' }: ChildrenRequest) {
  const shown = found.slice(0, Math.min(limit, countWithin(found)));
  const last = found.length > shown.length ? shown.at(-1) : undefined;
  return { shown, further: last === undefined ? null : toFolderCursor(last, order) };
}

/** At least one, so that readers always make progress. */
function countWithin(children: readonly EntryRow[]): number {
  let length = 0;
  for (const [index, { properties }] of children.entries()) {
    length += properties?.length ?? 0;
    if (length > maxPropertiesLength) return Math.max(1, index);
  }
  return children.length;
}

interface OrderColumns {
  column: 'name_key' | 'natural_key' | 'modified_at' | 'size';
  tie: 'name_key' | 'id';
  isFalling: boolean;
}

const byName = { column: 'name_key', tie: 'name_key' } as const;
const naturally = { column: 'natural_key', tie: 'name_key' } as const;
const byModified = { column: 'modified_at', tie: 'id' } as const;
const bySize = { column: 'size', tie: 'id' } as const;

const orders: Record<Order, OrderColumns> = {
  name: { ...byName, isFalling: false },
  '-name': { ...byName, isFalling: true },
  natural: { ...naturally, isFalling: false },
  '-natural': { ...naturally, isFalling: true },
  modified: { ...byModified, isFalling: false },
  '-modified': { ...byModified, isFalling: true },
  size: { ...bySize, isFalling: false },
  '-size': { ...bySize, isFalling: true },
};

export function toFolderCursor(child: EntryRow, order: Order): FolderCursor {
  const { column, tie } = orders[order];
  return [child.kind, column === 'natural_key' ? toNaturalKey(child.name_key) : child[column], child[tie]];
}

interface Direction {
  /** From the end of the list. */
  isBackward: boolean;
}

function* readRows(
  parent: number,
  { space, order = 'name' }: ChildrenRequest,
  { isBackward, from, limit }: Direction & { from: FolderCursor | undefined; limit: number },
): Verb<EntryRow[]> {
  const found: EntryRow[] = [];
  const kinds = toKinds(isBackward);
  for (const kind of kinds.slice(from === undefined ? 0 : kinds.indexOf(from[0]))) {
    const { within, sorted, beyond } = toClauses(parent, { space, order, kind, isBackward });
    const rest = from?.[0] === kind ? beyond(from) : nothing;
    const some = yield* tuples(
      sql`SELECT ${selection} FROM entries WHERE ${within} ${rest} ${sorted} LIMIT ${limit - found.length}`,
    );
    found.push(...some.map(toRow));
    if (found.length >= limit) break;
  }
  return found;
}

/** The position of the child with this number; null beyond the last. */
function* findNumber(
  parent: number,
  { space, order = 'name' }: ChildrenRequest,
  { isBackward, number }: Direction & { number: number },
): Verb<FolderCursor | null> {
  const { column, tie } = orders[order];
  const key = column === 'size' ? exactSize : raw(column);
  let left = number;
  for (const kind of toKinds(isBackward)) {
    const { within, sorted } = toClauses(parent, { space, order, kind, isBackward });
    const [found] = yield* tuples(
      sql`SELECT ${key}, ${raw(tie)} FROM entries WHERE ${within} ${sorted} LIMIT 1 OFFSET ${left}`,
    );
    if (found !== undefined) return [kind, found[0] as string | number, found[1] as string];
    const counted = yield* row<{ children: number }>(sql`SELECT count(*) AS children FROM entries WHERE ${within}`);
    left -= Number(counted?.children ?? 0);
  }
  return null;
}

function toKinds(isBackward: boolean): readonly (0 | 1)[] {
  return isBackward ? [1, 0] : [0, 1];
}

interface KindInOrder extends Direction {
  space: number;
  order: Order;
  kind: 0 | 1;
}

function toClauses(parent: number, { space, order, kind, isBackward }: KindInOrder) {
  const { column: name, tie, isFalling: isFallingForward } = orders[order];
  const [column, second] = [raw(name), raw(tie)];
  const isUnique = name === tie;
  const isFalling = isFallingForward !== isBackward;
  const direction = raw(isFalling ? 'DESC' : 'ASC');
  const comparison = raw(isFalling ? '<' : '>');
  const ties = isUnique ? nothing : sql`, ${second} ${direction}`;
  return {
    within: sql`space = ${space} AND parent = ${parent} AND kind = ${kind}`,
    sorted: sql`ORDER BY ${column} ${direction}${ties}`,
    // A row of values is compared from left to right.
    beyond: ([, key, second_]: FolderCursor): Sql =>
      isUnique
        ? sql`AND ${column} ${comparison} ${key}`
        : sql`AND (${column}, ${second}) ${comparison} (${key}, ${second_})`,
  };
}

const nothing = raw('');
