// The trash. A tree is trashed, restored or removed by moving its top, whatever its size. In the trash the top is in the
// hidden folder `-trash-`, so that its name is free again. A tree that is removed for good is in `-hidden-` until it is
// purged.

import type { ConflictBehavior } from '../../domain/entry.ts';
import { toNameKey } from '../../domain/name.ts';
import { checkEntryPrecondition, type Precondition } from '../../domain/precondition.ts';
import { Refusal } from '../../domain/refusal.ts';
import { allSpaces, read, write } from '../declaration.ts';
import { type ChecksummedTrash, toTrashChecksum } from '../row-checksums.ts';
import { execute, insert, note, type Origin, row, rows, together, type Verb } from '../sql.ts';
import { insertInto, sql } from '../statement.ts';
import { checkIsNotRoot } from './change-entry.ts';
import { type EntryRow, findRow, requireRow, toEntry, toKind, updateRow } from './entries.ts';
import { putInto, takeOut } from './hidden-folders.ts';
import { checkLocks, dropLocks } from './lock-checks.ts';
import { settleName } from './naming.ts';
import { remove } from './removal.ts';
import {
  addToSizes,
  checkTreeLevel,
  type EntryDetails,
  findVisible,
  type LocatedEntry,
  locate,
  raiseHeights,
  requireFolder,
  toDetails,
  toDetailsAt,
  trashId,
} from './tree.ts';

const intoTrash = insertInto('trash', 'entry space parent path trashed_at trashed_by seal');

interface EntryInput extends Origin {
  space: number;
  id: string;
}

export interface TrashEntry extends EntryInput {
  /** Of the entry. */
  precondition?: Precondition | null;
}

interface TrashRow {
  entry: number;
  parent: string;
  path: string;
  trashed_at: number;
  trashed_by: string;
}

/** Null if there is no such entry. */
export const trashEntry = write(
  { space: ({ space }) => space, lock: 'exclusive', pages: 'all' },
  function* trashEntry(input: TrashEntry): Verb<EntryDetails | null> {
    const found = yield* findVisible(input.space, input.id);
    if (found === undefined) return null;
    const details = yield* toDetails(found);
    checkEntryPrecondition(input.precondition, details);
    checkIsNotRoot(found);
    yield* checkLocks(input, input.space, { leaving: found });
    yield* dropLocks(input.space, found, input.at);
    const from = yield* takeOut(found);
    yield* putInto(input.space, trashId, found);
    const trash = {
      entry: found.entry,
      parent: from.id,
      path: details.path,
      trashed_at: input.at,
      trashed_by: input.by,
    };
    yield* insertTrash({ ...trash, space: input.space });
    yield* note(input, input.space, 'entry.trashed', found.id, {
      kind: toKind(found.kind),
      parent: from.id,
      name: found.name,
    });
    return details;
  },
);

function* insertTrash(trash: ChecksummedTrash): Verb<void> {
  yield* insert(intoTrash, [
    trash.entry,
    trash.space,
    trash.parent,
    trash.path,
    trash.trashed_at,
    trash.trashed_by,
    toTrashChecksum(trash),
  ]);
}

interface TrashTop {
  found: LocatedEntry;
  trash: TrashRow;
}

/** Finds only tops of trashed trees: what is beneath them moves with them. */
function* findTrashed({ space, id }: { space: number; id: string }): Verb<TrashTop | null> {
  const found = yield* findRow(space, id);
  if (found === undefined) return null;
  const trash = yield* row<TrashRow>(
    sql`SELECT entry, parent, path, trashed_at, trashed_by FROM trash WHERE entry = ${found.entry}`,
  );
  return trash === undefined ? null : { found: yield* locate(found), trash };
}

export const isInTrash = read({}, function* isInTrash(input: { space: number; id: string }): Verb<boolean> {
  return (yield* findTrashed(input)) !== null;
});

/** As it was before. Null if it is not the top of a tree in the trash. */
export const findInTrash = read(
  {},
  function* findInTrash(input: { space: number; id: string }): Verb<EntryDetails | null> {
    const trashed = yield* findTrashed(input);
    return trashed === null ? null : yield* toFormerDetails(trashed.found, trashed.trash);
  },
);

export interface RestoreEntry extends TrashEntry {
  /** Null: its former folder. */
  parent: string | null;
  /** Null: its former name. */
  name: string | null;
  conflict: ConflictBehavior;
}

/** Null if it is not in the trash. */
export const restoreEntry = write(
  { space: ({ space }) => space, lock: 'exclusive', pages: 'all' },
  function* restoreEntry(input: RestoreEntry): Verb<EntryDetails | null> {
    const { space } = input;
    const trashed = yield* findTrashed(input);
    if (trashed === null) return null;
    const { found, trash } = trashed;
    if (input.precondition) checkEntryPrecondition(input.precondition, yield* toFormerDetails(found, trash));
    const to =
      input.parent === null
        ? yield* findOldPlace(space, trash)
        : yield* requireFolder(space, input.parent, 'ParentFolderId');
    const name = input.name ?? found.name;
    const { kind } = toEntry(found);
    yield* checkTreeLevel(to, space, found, 'ParentFolderId');
    yield* checkLocks(input, space, { folders: [to] });
    const wanted = {
      space,
      parent: to.entry,
      name,
      nameKey: toNameKey(name),
      kind,
      conflict: input.conflict,
      target: 'Name',
    };
    const naming = yield* settleName(wanted);
    if ('taken' in naming) throw new Error('a name was taken over');
    yield* takeOut(found);
    const restored = { ...found, parent: to.entry, name: naming.free.name, name_key: naming.free.nameKey };
    // In its former place it is unchanged; otherwise it counts as moved or renamed.
    if (to.id !== trash.parent || restored.name !== found.name) {
      restored.modified_at = Math.max(input.at, found.modified_at);
      restored.modified_by = input.by;
    }
    yield* execute(sql`DELETE FROM trash WHERE entry = ${found.entry}`);
    yield* addToSizes(to, found.size);
    if (kind === 'folder') yield* raiseHeights(to, found.height);
    yield* updateRow(found, restored);
    const places = { parent: to.id, trashedFrom: trash.parent };
    yield* note(input, input.space, 'entry.restored', restored.id, { kind, ...places, name: restored.name });
    return yield* toDetails({ ...restored, above: [to, ...to.above] });
  },
);

function* findOldPlace(space: number, { parent }: TrashRow): Verb<LocatedEntry> {
  const folder = yield* findVisible(space, parent);
  if (folder !== undefined) return folder;
  throw new Refusal('FolderNotFound', 'The folder that it was in was deleted, or is in the trash.', {
    target: 'ParentFolderId',
    hint: 'Restore that folder first, or send ParentFolderId to say where it should go.',
  });
}

export interface ListTrash {
  space: number;
  /** Only entries that were trashed before this. */
  after: readonly [trashedAt: number, entry: number] | null;
  limit: number;
}

export interface TrashedEntry {
  details: EntryDetails;
  trashedAt: number;
  trashedBy: string;
  /** In the list: the cursor after it. */
  place: readonly [trashedAt: number, entry: number];
}

export interface TrashPage {
  entries: TrashedEntry[];
  next: readonly [trashedAt: number, entry: number] | null;
}

/** Most recently trashed first. */
export const listTrash = read({}, function* listTrash({ space, after, limit }: ListTrash): Verb<TrashPage> {
  const [at, entry] = after ?? [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  const found = yield* rows<TrashRow>(sql`SELECT entry, parent, path, trashed_at, trashed_by
    FROM trash
    WHERE space = ${space} AND (trashed_at, entry) < (${at}, ${entry})
    ORDER BY trashed_at DESC, entry DESC LIMIT ${limit + 1}`);
  const entries = yield* together(found.slice(0, limit).map(toTrashed));
  const last = found.length > limit ? found[limit - 1] : undefined;
  return { entries, next: last === undefined ? null : [last.trashed_at, last.entry] };
});

function* toTrashed(trash: TrashRow): Verb<TrashedEntry> {
  const details = yield* toFormerDetails(yield* requireRow(trash.entry), trash);
  const { trashed_at: trashedAt, trashed_by: trashedBy, entry } = trash;
  return { details, trashedAt, trashedBy, place: [trashedAt, entry] };
}

/** As it was before: trashing changes neither record nor content. */
function toFormerDetails(found: EntryRow, { path, parent }: TrashRow): Verb<EntryDetails> {
  return toDetailsAt(found, { path, holder: parent });
}

/** Removes a visible entry, or the top of a tree in the trash, for good. Null if it is neither. */
export const removeEntry = write(
  { space: ({ space }) => space, lock: 'exclusive', pages: 'all' },
  function* removeEntry(input: TrashEntry): Verb<EntryDetails | null> {
    const trashed = yield* findTrashed(input);
    const found = trashed?.found ?? (yield* findVisible(input.space, input.id));
    if (found === undefined) return null;
    const details = yield* trashed === null ? toDetails(found) : toFormerDetails(found, trashed.trash);
    checkEntryPrecondition(input.precondition, details);
    if (trashed === null) {
      checkIsNotRoot(found);
      yield* checkLocks(input, input.space, { leaving: found });
      yield* dropLocks(input.space, found, input.at);
    }
    yield* remove({ reason: 'entry-removed', origin: input, space: input.space, tree: found });
    return details;
  },
);

export interface EmptyTrash extends Omit<EntryInput, 'id' | 'space'> {
  /** Null: of every space. */
  space: number | null;
  /** Only entries that were trashed before this. */
  before: number;
}

const maxTops = 100;

/** Removes at most 100 trees in the trash for good; returns how many. */
export const emptyTrash = write(
  { space: ({ space }) => space ?? allSpaces, lock: 'exclusive', pages: 'unchanged' },
  function* emptyTrash({ space, before, ...input }: EmptyTrash): Verb<number> {
    const found = yield* rows<{ entry: number; space: number }>(
      space === null
        ? sql`SELECT entry, space FROM trash WHERE trashed_at < ${before} ORDER BY trashed_at LIMIT ${maxTops}`
        : sql`SELECT entry, space FROM trash WHERE trashed_at < ${before} AND space = ${space}
            ORDER BY trashed_at LIMIT ${maxTops}`,
    );
    for (const { entry, space: of } of found) {
      const top = yield* locate(yield* requireRow(entry));
      yield* remove({ reason: 'trash-emptied', origin: input, space: of, tree: top });
    }
    return found.length;
  },
);
