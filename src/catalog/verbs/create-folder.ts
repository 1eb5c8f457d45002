// Creates a folder, and the missing folders on the path to it.

import type { ConflictBehavior, Entry, EntryTimes } from '../../domain/entry.ts';
import { checkEntryPrecondition, checkPrecondition, type Precondition } from '../../domain/precondition.ts';
import { Refusal } from '../../domain/refusal.ts';
import { write } from '../declaration.ts';
import { type PageChange, toPageChange } from '../page-cache/page-change.ts';
import { append, type Origin, toChangeDetails, type Verb } from '../sql.ts';
import { type EntryRow, findRowByName, insertRow, toEntry, toNewFolder, toStoredProperties } from './entries.ts';
import { claimsOfKey, type Idempotency, recall, remember } from './idempotency.ts';
import { checkLocks } from './lock-checks.ts';
import { settleName, toNameClaim } from './naming.ts';
import { checkLevel, type LocatedEntry, raiseHeights, requireFolder, toDetails } from './tree.ts';
import { addUsage, checkQuota } from './usage.ts';

/** A folder that may have to be created, with its id in that case. */
export interface WantedFolder {
  id: string;
  name: string;
  nameKey: string;
}

export interface CreateFolder extends WantedFolder, Origin {
  space: number;
  parent: string;
  /** The folders between `parent` and the new one, top first: missing ones are created. */
  way?: readonly WantedFolder[];
  objectType: string | null;
  properties: Record<string, string> | null;
  conflict: ConflictBehavior;
  /** Of the entry that has the name. */
  precondition?: Precondition | null;
  /** For imported folders; otherwise the current time. */
  times?: EntryTimes;
  idempotency: Idempotency | null;
}

export interface CreatedFolder {
  folder: Entry;
  isExisting: boolean;
  isReplayed: boolean;
  /** All created folders, top first; empty if nothing changed. */
  made: FolderCreation[];
}

export interface FolderCreation {
  /** The id of the folder that contains it. */
  holder: string;
  folder: Entry;
  /** The position of the change in the journal. */
  position: number;
}

export const createFolder = write(
  {
    space: ({ space }) => space,
    lock: 'shared',
    pages: toFoldersPage,
    readsPendingSums: true,
    claims,
    newRows: ({ way = [] }) => 1 + way.length,
  },
  function* createFolder(input: CreateFolder): Verb<CreatedFolder> {
    const earlier = yield* recall<CreatedFolder>(input.idempotency, input.at);
    if (earlier !== null) return { ...earlier, isReplayed: true };
    const created = yield* create(input);
    yield* remember(input.idempotency, input.at, created);
    return created;
  },
);

/** With a path, its first folder is the name that may be taken. */
function claims({ space, parent, nameKey, way, idempotency }: CreateFolder): string[] {
  return [toNameClaim(space, parent, way?.[0]?.nameKey ?? nameKey), ...claimsOfKey(idempotency)];
}

function toFoldersPage({ isReplayed, isExisting, made }: CreatedFolder): PageChange | null {
  if (isReplayed || isExisting) return null;
  return toPageChange(
    [],
    made.map(({ holder, folder, position }) => ({ holder, entry: folder, position })),
  );
}

function* create(input: CreateFolder): Verb<CreatedFolder> {
  const { space, conflict, by } = input;
  const parent = yield* requireFolder(space, input.parent, 'ParentFolderId');
  const { holder, missing } = yield* walk(parent, input);
  const { id, name, nameKey, way } = input;
  const target = way === undefined ? 'FolderName' : 'RelativePath';
  const wanted = { space, parent: holder.entry, name, nameKey, conflict, kind: 'folder', target } as const;
  const naming = missing.length > 0 ? { free: { name, nameKey } } : yield* settleName(wanted);
  if (input.precondition) yield* checkNamed(input.precondition, holder, missing.length > 0 ? null : wanted);
  if ('taken' in naming) return { folder: toEntry(naming.taken), isExisting: true, isReplayed: false, made: [] };
  yield* checkLocks(input, space, { folders: [holder] });
  const folders = [...missing, { id, ...naming.free }];
  checkLevel(holder, way === undefined ? 'ParentFolderId' : target, folders.length);
  const added = { entries: folders.length, bytes: 0 };
  yield* checkQuota(space, by, added);
  const made = yield* makeAll(input, holder, folders);
  yield* raiseHeights(holder, folders.length - 1);
  yield* addUsage(space, by, added);
  const { folder } = made.at(-1) as FolderCreation;
  return { folder, isExisting: false, isReplayed: false, made };
}

/** The precondition is about whatever has the name, also if the folder gets another one. `wanted` is null if the holder is missing. */
function* checkNamed(
  precondition: Precondition,
  holder: LocatedEntry,
  wanted: { space: number; nameKey: string } | null,
): Verb<void> {
  const named = wanted === null ? undefined : yield* findRowByName(wanted.space, holder.entry, wanted.nameKey);
  if (named === undefined) checkPrecondition(precondition, null);
  else checkEntryPrecondition(precondition, yield* toDetails({ ...named, above: [holder, ...holder.above] }));
}

/** Follows the path as far as folders exist. */
function* walk(
  parent: LocatedEntry,
  { space, way = [] }: CreateFolder,
): Verb<{ holder: LocatedEntry; missing: WantedFolder[] }> {
  let holder = parent;
  for (const [index, { nameKey }] of way.entries()) {
    const found = yield* findRowByName(space, holder.entry, nameKey);
    if (found === undefined) return { holder, missing: way.slice(index) };
    if (found.kind !== 0) throw fileInTheWay(found);
    holder = { ...found, above: [holder, ...holder.above] };
  }
  return { holder, missing: [] };
}

function fileInTheWay(taken: EntryRow): Refusal {
  const message = `${JSON.stringify(taken.name)}, on the way, is a file; a folder is needed there.`;
  return new Refusal('NameAlreadyExists', message, {
    target: 'RelativePath',
    hint: 'Choose another path, or move that file away.',
    conflicts: [toEntry(taken)],
  });
}

/** Creates each folder in the one before it. */
function* makeAll(input: CreateFolder, holder: LocatedEntry, folders: readonly WantedFolder[]): Verb<FolderCreation[]> {
  const { space, at, by, request } = input;
  const made: FolderCreation[] = [];
  let under: Pick<LocatedEntry, 'entry' | 'id'> = holder;
  for (const [index, wanted] of folders.entries()) {
    const height = folders.length - 1 - index;
    const row = { ...toNewFolder({ ...wanted, parent: under.entry, at, by }), height };
    const folder = height === 0 ? { ...row, ...toOwn(input) } : row;
    const entry = yield* insertRow(space, folder);
    const details = toChangeDetails(input, { parent: under.id, name: folder.name });
    const position = yield* append({ at, space, by, action: 'folder.created', entry: folder.id, request, details });
    made.push({ holder: under.id, folder: toEntry(folder), position });
    under = { entry, id: folder.id };
  }
  return made;
}

/** Values of the new folder itself, which those on the path do not get. */
function toOwn({ objectType, properties, times, at }: CreateFolder) {
  return {
    object_type: objectType,
    properties: toStoredProperties(properties),
    created_at: times?.createdAt ?? at,
    modified_at: times?.modifiedAt ?? at,
  };
}
