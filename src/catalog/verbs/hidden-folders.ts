// Moves the top of a tree out of its folder and into one of the two hidden folders of its space: `-trash-`, or `-hidden-` for
// trees that are being copied or purged. Moving the top moves the whole tree.

import type { Verb } from '../sql.ts';
import { rootStays } from './change-entry.ts';
import { type EntryRow, findRow, updateRow } from './entries.ts';
import { addToSizes, findHolder, type hiddenId, type LocatedEntry, type trashId } from './tree.ts';

export function* requireHidden(space: number, id: string): Verb<LocatedEntry> {
  const folder = yield* findRow(space, id);
  if (folder === undefined) throw new Error(`the space has no folder ${id}`);
  return { ...folder, above: [] };
}

/** Returns the folder that it leaves. */
export function* takeOut(found: LocatedEntry): Verb<LocatedEntry> {
  const holder = yield* findHolder(found);
  if (holder === null) throw rootStays();
  yield* addToSizes(holder, -found.size);
  return holder;
}

/** In a hidden folder the id is the name, so that names never collide there. */
export function* putInto(space: number, hidden: typeof trashId | typeof hiddenId, found: EntryRow): Verb<void> {
  const folder = yield* requireHidden(space, hidden);
  yield* addToSizes(folder, found.size);
  yield* updateRow(found, { ...found, parent: folder.entry, name_key: found.id });
}
