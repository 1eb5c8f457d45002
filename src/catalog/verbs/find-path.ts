// Finds an entry by the names from the root down, with its folder: what a protocol needs that addresses entries by path.

import { read } from '../declaration.ts';
import type { Verb } from '../sql.ts';
import { findRow, findRowByName } from './entries.ts';
import { type EntryDetails, type FindByPath, type LocatedEntry, toDetails } from './tree.ts';

export interface FoundPath {
  found: EntryDetails | null;
  /** The folder that has, or would have, the entry. Null: it does not exist, is a file, or the path is the root's. */
  parent: EntryDetails | null;
}

export const findPath = read({}, function* findPath(input: FindByPath): Verb<FoundPath> {
  const { found, parent } = yield* walk(input);
  return {
    found: found === null ? null : yield* toDetails(found),
    parent: parent === null ? null : yield* toDetails(parent),
  };
});

function* walk({ space, root, nameKeys }: FindByPath): Verb<Record<'found' | 'parent', LocatedEntry | null>> {
  const top = yield* findRow(space, root);
  let found: LocatedEntry | null = top === undefined ? null : { ...top, above: [] };
  let parent: LocatedEntry | null = null;
  for (const nameKey of nameKeys) {
    if (found?.kind !== 0) return { found: null, parent: null };
    parent = found;
    const row = yield* findRowByName(space, parent.entry, nameKey);
    found = row === undefined ? null : { ...row, above: [parent, ...parent.above] };
  }
  return { found, parent };
}
