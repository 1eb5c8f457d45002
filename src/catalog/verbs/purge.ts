// Purges hidden trees in slices, so that no save waits. A slice deletes entries that have nothing beneath them; the top goes
// last.

import { read, write } from '../declaration.ts';
import { execute, note, row, rows, type Verb } from '../sql.ts';
import { exactSize, sql } from '../statement.ts';
import { requireHidden } from './hidden-folders.ts';
import { type RemovedVersion, remove } from './removal.ts';
import { addToSizes, hiddenId } from './tree.ts';
import { Tally } from './usage.ts';

/** Rows that one slice deletes, approximately. */
const sliceRows = 40;

/** The top of a tree to purge. */
export interface HiddenTree {
  space: number;
  top: number;
}

/** At most 100 of them. */
export const findHiddenTrees = read({}, function* findHiddenTrees(_: object): Verb<HiddenTree[]> {
  return yield* rows<HiddenTree>(sql`SELECT entries.space AS space, entries.entry AS top
    FROM hidden_trees
    JOIN entries ON entries.entry = hidden_trees.entry WHERE purpose = 'purge' ORDER BY entries.entry LIMIT 100`);
});

export interface PurgeSlice extends HiddenTree {
  at: number;
  request: string;
}

export interface PurgedSlice {
  isDone: boolean;
  freedBlobs: string[];
}

interface EntryToPurge {
  entry: number;
  space: number;
  id: string;
  parent: number;
  kind: 0 | 1;
  size: number;
  created_by: string;
}

export const purgeSlice = write(
  { space: ({ space }) => space, lock: 'exclusive', pages: 'unchanged' },
  function* purgeSlice({ space, top, at, request }: PurgeSlice): Verb<PurgedSlice> {
    const found = yield* findDoomed(space, top);
    if (found === undefined) return { isDone: true, freedBlobs: [] };
    const origin = { at, by: 'operator', request };
    const tally = new Tally();
    const gone: number[] = [];
    const freedBlobs: string[] = [];
    let budget = sliceRows;
    let isDone = false;
    while (budget > 0 && !isDone) {
      const doomed = yield* findLowest(found, budget);
      for (const entry of doomed) {
        const versions = entry.kind === 1 ? yield* listVersionsOf(entry) : [];
        // A file with very many versions takes several slices.
        const isLast = versions.length < sliceRows;
        isDone = isLast && entry.entry === top;
        if (isDone) yield* forgetTop(found);
        freedBlobs.push(...(yield* remove({ reason: 'purge', origin, entry, versions, isLast, tally })));
        budget -= versions.length + 1;
        if (!isLast) break;
        gone.push(entry.entry);
      }
    }
    yield* tally.write(space);
    if (gone.length > 0) {
      yield* note(origin, space, 'entries.purged', '', { entries: gone });
    }
    return { isDone, freedBlobs };
  },
);

function* findDoomed(space: number, entry: number): Verb<EntryToPurge | undefined> {
  return yield* row<EntryToPurge>(sql`SELECT entry, space, id, parent, kind, ${exactSize} AS size, created_by
    FROM entries
     WHERE entry = ${entry} AND space = ${space}`);
}

/** Entries with nothing beneath them: the files of a folder without folders, or the empty folder itself. */
function* findLowest(top: EntryToPurge, limit: number): Verb<EntryToPurge[]> {
  for (let current = top; ; ) {
    const folder = current.kind === 0 ? (yield* listDoomed(current, 0, 1))[0] : undefined;
    if (folder !== undefined) {
      current = folder;
      continue;
    }
    const files = current.kind === 0 ? yield* listDoomed(current, 1, limit) : [];
    return files.length > 0 ? files : [current];
  }
}

function* listDoomed({ space, entry }: EntryToPurge, kind: 0 | 1, limit: number): Verb<EntryToPurge[]> {
  return yield* rows<EntryToPurge>(sql`SELECT entry, space, id, parent, kind, size, created_by
    FROM entries
     WHERE space = ${space} AND parent = ${entry} AND kind = ${kind} ORDER BY name_key LIMIT ${limit}`);
}

/** As many as one slice deletes. */
function* listVersionsOf({ entry }: EntryToPurge): Verb<RemovedVersion[]> {
  return yield* rows<RemovedVersion>(sql`SELECT version, versions.content AS content, created_by, contents.size AS size
    FROM versions JOIN contents ON contents.content = versions.content WHERE versions.entry = ${entry}
    LIMIT ${sliceRows}`);
}

function* forgetTop({ space, entry, size }: EntryToPurge): Verb<void> {
  yield* execute(sql`DELETE FROM hidden_trees WHERE entry = ${entry}`);
  yield* addToSizes(yield* requireHidden(space, hiddenId), -size);
}
