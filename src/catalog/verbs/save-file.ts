// Saves a file: a new one, or a new version of the file with that name.

import type { ConflictBehavior, Entry, EntryTimes } from '../../domain/entry.ts';
import { checkPrecondition, type Precondition } from '../../domain/precondition.ts';
import { toSortedProperties } from '../../domain/properties.ts';
import { read, write } from '../declaration.ts';
import { type PageChange, toPageChange } from '../page-cache/page-change.ts';
import { append, type Origin, toChangeDetails, type Verb } from '../sql.ts';
import {
  type EntryRow,
  findRowByName,
  insertRow,
  type NewEntry,
  requireRow,
  requireRowToChange,
  toEntry,
  toStoredProperties,
  updateRow,
} from './entries.ts';
import { claimsOfKey, type Idempotency, recall, recallFiles, remember } from './idempotency.ts';
import { checkLocks } from './lock-checks.ts';
import { type Naming, settleName, toNameClaim } from './naming.ts';
import { takePlaceholder } from './placeholder.ts';
import {
  claimsOfContent,
  findContentDigest,
  findContentState,
  hasContent,
  mendBytes,
  type StoredContent,
  storeContent,
} from './stored-content.ts';
import {
  addToSizes,
  type EntryDetails,
  findHolder,
  findVisible,
  type LocatedEntry,
  requireFolder,
  toDetails,
  toFileDetails,
} from './tree.ts';
import { settleUpload } from './uploads.ts';
import { addUsage, checkQuota, type FinishingUpload } from './usage.ts';
import { dropOldVersions, insertVersion, requireVersion, supersede, updateVersion } from './versions.ts';

export interface SaveFile extends Origin {
  space: number;
  folder: string;
  id: string;
  name: string;
  nameKey: string;
  contentType: string;
  /** Whether the client declared the content type; a guessed one never counts as a difference. */
  isContentTypeDeclared: boolean;
  objectType: string | null;
  properties: Record<string, string> | null;
  content: StoredContent;
  /** The client's comment on this version. */
  comment: string | null;
  /** How many versions a file keeps; null: all. */
  keptVersions: number | null;
  /** For imported files; otherwise the current time. */
  times?: EntryTimes;
  conflict: ConflictBehavior;
  /** Of the content of the file that has the name. */
  precondition?: Precondition | null;
  /** Whether the result includes the details of the file. */
  isShown?: true;
  idempotency: Idempotency | null;
  /** The upload that this save completes. */
  upload?: FinishingUpload;
}

/** Common to all ways of saving bytes. */
type Save = Omit<SaveFile, 'folder' | 'id' | 'name' | 'nameKey' | 'conflict' | 'isShown' | 'idempotency'>;

export interface SavedFile {
  folder: Entry;
  file: Entry;
  version: number;
  isReplayed: boolean;
  /** Whether a record refers to the blob of the request; if not, it can be discarded. */
  isBlobUsed: boolean;
  /** Blobs that nothing refers to any more. */
  freedBlobs: string[];
  /** The folders above `folder` whose size has changed. */
  above: string[];
  /** The position of the change in the journal; null if nothing changed. */
  position: number | null;
  /** As of this commit, if `isShown`. */
  details?: EntryDetails;
}

export const saveFile = write(
  {
    space: ({ space }) => space,
    lock: 'shared',
    pages: toSavedPage,
    readsPendingSums: true,
    claims: claimsOfFile,
    newRows: () => 1,
  },
  function* saveFile(input: SaveFile): Verb<SavedFile> {
    const saved = yield* saveOrRecall(input);
    if (input.upload !== undefined) yield* settleUpload(input.upload, saved.file.id);
    return saved;
  },
);

function claimsOfFile({ space, folder, nameKey, content, idempotency }: SaveFile): string[] {
  return [toNameClaim(space, folder, nameKey), ...claimsOfContent(space, content), ...claimsOfKey(idempotency)];
}

function toSavedPage(saved: SavedFile | null): PageChange | null {
  if (saved === null || saved.isReplayed || saved.position === null) return null;
  const { file, folder, position, above } = saved;
  return toPageChange(above, [{ holder: folder.id, entry: file, folder, position }]);
}

export interface CheckNaming {
  space: number;
  folder: string;
  name: string;
  nameKey: string;
  conflict: ConflictBehavior;
  precondition?: Precondition | null;
}

/** Refuses a name or a precondition as saving would, before there are bytes to save. */
export const checkNaming = read({}, function* checkNaming(wanted: CheckNaming): Verb<null> {
  const { space, name, nameKey, conflict } = wanted;
  const folder = yield* findVisible(space, wanted.folder);
  if (folder === undefined) return null;
  const parent = folder.entry;
  yield* settleName({ space, parent, name, nameKey, conflict, kind: 'file', target: 'FileName' });
  if (wanted.precondition) yield* checkNamed(wanted.precondition, yield* findRowByName(space, parent, nameKey));
  return null;
});

/** The precondition is about whatever has the name, also if the file is saved under another one. */
function* checkNamed(precondition: Precondition, named: EntryRow | undefined): Verb<void> {
  checkPrecondition(precondition, named === undefined ? null : yield* findContentState(named));
}

function* saveOrRecall(input: SaveFile): Verb<SavedFile> {
  const earlier = yield* recall<SavedFile>(input.idempotency, input.at);
  if (earlier !== null) return toReplayed(earlier);
  const { space, name, nameKey, conflict } = input;
  const folder = yield* requireFolder(space, input.folder, 'FolderId');
  const parent = folder.entry;
  const naming = yield* settleName({ space, parent, name, nameKey, conflict, kind: 'file', target: 'FileName' });
  if (input.precondition) {
    // Locked, so that it is unchanged until the commit.
    const named =
      'taken' in naming ? yield* requireRowToChange(naming.taken.entry) : yield* findRowByName(space, parent, nameKey);
    yield* checkNamed(input.precondition, named);
  }
  const saved = yield* settle(input, folder, naming);
  yield* remember(input.idempotency, input.at, saved);
  return saved;
}

/** What was saved of a batch under this key, each with its index. Refuses a key of another batch. */
export const recallBatch = read({}, function* recallBatch(batch: { idempotency: Idempotency; at: number }): Verb<
  [number, SavedFile][]
> {
  const earlier = yield* recallFiles<SavedFile>(batch);
  return earlier.map(([place, saved]) => [place, toReplayed(saved)]);
});

function toReplayed(earlier: SavedFile): SavedFile {
  return { ...earlier, isReplayed: true, isBlobUsed: false, freedBlobs: [] };
}

function* settle(input: SaveFile, folder: LocatedEntry, naming: Naming): Verb<SavedFile> {
  if ('taken' in naming && input.conflict === 'Existing') {
    const kept = toUnchanged(folder, naming.taken);
    const sha256 = input.isShown ? yield* findContentDigest(naming.taken) : null;
    return sha256 === null ? kept : withDetails(kept, folder, sha256);
  }
  const saved =
    'free' in naming
      ? yield* saveNew(input, folder, { ...input, ...naming.free })
      : yield* saveOver(input, folder, yield* requireRowToChange(naming.taken.entry));
  return input.isShown ? withDetails(saved, folder, input.content.sha256) : saved;
}

function withDetails(saved: SavedFile, folder: LocatedEntry, sha256: Uint8Array): SavedFile {
  return { ...saved, details: toFileDetails(folder, saved.file, { sha256, version: saved.version }) };
}

function* saveNew(
  input: SaveFile,
  folder: LocatedEntry,
  { name, nameKey }: { name: string; nameKey: string },
): Verb<SavedFile> {
  const { space, at, by } = input;
  yield* checkLocks(input, space, { folders: [folder] });
  const added = { entries: 1, bytes: input.content.sizeBytes };
  yield* checkQuota(space, by, added, input.upload);
  const { content, isBlobUsed } = yield* storeContent(space, input.content);
  const file: NewEntry = {
    id: input.id,
    parent: folder.entry,
    kind: 1,
    name,
    name_key: nameKey,
    object_type: input.objectType,
    content_type: input.contentType,
    created_at: input.times?.createdAt ?? at,
    created_by: by,
    modified_at: input.times?.modifiedAt ?? at,
    modified_by: by,
    size: input.content.sizeBytes,
    version: 1,
    properties: toStoredProperties(input.properties),
    height: 0,
  };
  const entry = yield* insertRow(space, file);
  yield* addVersion(input, { ...file, entry }, content);
  yield* addUsage(space, by, added);
  return yield* finish(input, folder, file, { deltaBytes: file.size, action: 'file.created', isBlobUsed });
}

export interface SaveVersion extends Save {
  file: string;
}

export interface SavedVersion extends SavedFile {
  /** As of this commit, so that a client can continue with this ETag. */
  details: EntryDetails;
}

/** Saves a new version of a file, by its id; null if there is none. */
export const saveVersion = write(
  {
    space: ({ space }) => space,
    lock: 'shared',
    pages: toSavedPage,
    readsPendingSums: true,
    claims: claimsOfVersion,
    newRows: () => 1,
  },
  function* saveVersion(input: SaveVersion): Verb<SavedVersion | null> {
    const file = yield* findVisible(input.space, input.file);
    const folder = file === undefined ? null : yield* findHolder(file);
    if (file === undefined || folder === null || file.kind !== 1) return null;
    const taken = yield* requireRowToChange(file.entry);
    if (input.precondition) yield* checkNamed(input.precondition, taken);
    const saved = yield* saveOver(input, folder, taken);
    const now = yield* requireRow(file.entry);
    return { ...saved, details: yield* toDetails({ ...now, above: file.above }) };
  },
);

function claimsOfVersion({ space, file, content }: SaveVersion): string[] {
  return [`${space} file ${file}`, ...claimsOfContent(space, content)];
}

function* saveOver(input: Save, folder: LocatedEntry, taken: EntryRow): Verb<SavedFile> {
  const unchanged = toUnchanged(folder, taken);
  yield* checkLocks(input, input.space, { changed: [{ ...taken, above: [folder, ...folder.above] }] });
  const isSameContent = yield* hasContent(taken, input.content);
  if (isSameContent) yield* mendBytes(taken, input.content);
  const file: EntryRow = {
    ...taken,
    object_type: input.objectType ?? taken.object_type,
    content_type: isSameContent && !input.isContentTypeDeclared ? taken.content_type : input.contentType,
    properties: input.properties === null ? taken.properties : toStoredProperties(input.properties),
    // Requests can overtake each other, and the clocks of nodes differ: the time never goes back.
    modified_at:
      input.times === undefined
        ? Math.max(input.at, taken.modified_at)
        : Math.max(input.times.modifiedAt, taken.created_at),
    modified_by: input.by,
  };
  if (isSameContent) {
    if (isSameRecord(taken, file)) return unchanged;
    yield* updateRow(taken, file);
    yield* relabelVersion(file);
    const done = { deltaBytes: 0, action: 'file.changed', isBlobUsed: false };
    return yield* finish(input, folder, file, done);
  }
  const added = { entries: 0, bytes: input.content.sizeBytes };
  yield* checkQuota(input.space, input.by, added, input.upload);
  const { content, isBlobUsed } = yield* storeContent(input.space, input.content);
  file.version = (yield* takePlaceholder(input, taken)) ? 1 : taken.version + 1;
  file.size = input.content.sizeBytes;
  yield* updateRow(taken, file);
  yield* addVersion(input, file, content);
  yield* addUsage(input.space, input.by, added);
  const done = { deltaBytes: file.size - taken.size, action: 'file.saved', isBlobUsed };
  const saved = yield* finish(input, folder, file, done);
  return { ...saved, freedBlobs: yield* dropOldVersions(input, file) };
}

function toUnchanged(folder: EntryRow, file: EntryRow): SavedFile {
  return {
    folder: toEntry(folder),
    file: toEntry(file),
    version: file.version,
    isReplayed: false,
    isBlobUsed: false,
    freedBlobs: [],
    above: [],
    position: null,
  };
}

function isSameRecord(a: EntryRow, b: EntryRow): boolean {
  return (
    a.content_type === b.content_type &&
    toEntry(a).objectType === toEntry(b).objectType &&
    sortedProperties(a) === sortedProperties(b)
  );
}

function sortedProperties(entry: EntryRow): string {
  return JSON.stringify(toSortedProperties(toEntry(entry).properties));
}

interface Finish {
  deltaBytes: number;
  action: string;
  isBlobUsed: boolean;
}

function* finish(input: Save, folder: LocatedEntry, file: NewEntry, done: Finish): Verb<SavedFile> {
  const { space, at, by, request } = input;
  const above = yield* addToSizes(folder, done.deltaBytes);
  const { name, version, size } = file;
  const details = toChangeDetails(input, { parent: folder.id, name, version, size });
  const position = yield* append({ at, space, by, action: done.action, entry: file.id, request, details });
  const grown = { ...folder, size: folder.size + done.deltaBytes };
  return {
    folder: toEntry(grown),
    file: toEntry(file),
    version: file.version,
    isReplayed: false,
    isBlobUsed: done.isBlobUsed,
    freedBlobs: [],
    above,
    position,
  };
}

type NumberedEntry = Pick<EntryRow, 'entry' | 'version' | 'modified_at'>;

function* addVersion(input: Save, { entry, version, modified_at }: NumberedEntry, content: number): Verb<void> {
  yield* insertVersion({
    entry,
    version,
    content,
    content_type: input.contentType,
    created_at: modified_at,
    created_by: input.by,
    comment: input.comment,
    sha256: input.content.sha256,
  });
  if (version > 1) yield* supersede({ entry, version }, input.at);
}

/** The same bytes with another content type are the same version. */
function* relabelVersion(file: EntryRow): Verb<void> {
  const version = yield* requireVersion(file, file.version);
  yield* updateVersion(version, { ...version, content_type: file.content_type ?? version.content_type });
}
