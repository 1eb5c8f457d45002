// Lists the children of a folder in pages, counts them, and gives them what an order sorts by.

import type { Entry } from '../../domain/entry.ts';
import { toNaturalKey } from '../../domain/name.ts';
import { read, write } from '../declaration.ts';
import { execute, row, rows, type Verb } from '../sql.ts';
import { sql } from '../statement.ts';
import { type ChildrenRequest, type FolderCursor, readChildren } from './children-page.ts';
import { findRow, toEntry } from './entries.ts';
import { isVisible, locate } from './tree.ts';

export interface ListFolder extends ChildrenRequest {
  folder: string;
  /** A cached page may be used if it is correct as of this position: the last one that the caller knows. */
  atLeast?: number | null;
}

export interface FolderPage {
  folder: Entry;
  children: Entry[];
  /** Where the next page begins; null on the last page. */
  next: FolderCursor | null;
  /** Where the page before ends, if the request had `before` or `offset`; null on the first page. */
  previous?: FolderCursor | null;
  /** The last position of the journal that this page includes. */
  asOf: number;
  /** The entries come from the cache and are the same objects every time. */
  isKept?: boolean;
}

interface CountChildren {
  space: number;
  folder: string;
}

export const listFolder = read(
  { catchUp: ({ order }) => (order?.endsWith('size') ? 'sums' : null) },
  function* listFolder(input: ListFolder): Verb<FolderPage | null> {
    const found = yield* findRow(input.space, input.folder);
    if (found === undefined) return null;
    const parent = yield* locate(found);
    if (!isVisible(parent)) return null;
    const page = yield* readChildren(parent.entry, input);
    const journal = yield* row<{ position: number | null }>(sql`SELECT max(position) AS position FROM journal`);
    const children = page.children.map(toEntry);
    return { folder: toEntry(parent), ...page, children, asOf: journal?.position ?? 0 };
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
