// The verb that saves a file: a new one, or a new version of the one that has the name. Contents are immutable; a large
// one whose bytes are already stored is not stored again, and the caller learns that its blob is not needed.

import type { ConflictBehavior, Entry } from '../domain/entry.ts';
import { toSortedProperties } from '../domain/properties.ts';
import { addToSizes, type EntryRow, insertRow, type NewEntry, toEntry, toStoredProperties } from './entries.ts';
import { type Idempotency, recall, remember } from './idempotency.ts';
import { requireFolder, settleName } from './naming.ts';
import { append, insert, row, rows, type Verb } from './sql.ts';

/** Bytes that have arrived whole. Either `bytes` (small, written with the record) or `blob` (already durable). */
export interface StoredContent {
  sha256: Uint8Array;
  sizeBytes: number;
  bytes: Uint8Array | null;
  blob: string | null;
  checksums: Uint8Array | null;
}

export interface SaveFile {
  space: number;
  folder: string;
  id: string;
  name: string;
  nameKey: string;
  contentType: string;
  /** Whether the client named the content type; one that was only guessed never counts as a difference. */
  isContentTypeDeclared: boolean;
  objectType: string | null;
  properties: Record<string, string> | null;
  content: StoredContent;
  conflict: ConflictBehavior;
  by: string;
  at: number;
  request: string;
  idempotency: Idempotency | null;
}

export interface SavedFile {
  folder: Entry;
  file: Entry;
  isReplayed: boolean;
  /** Whether a record now points to the blob that came with the request; if not, it can be discarded. */
  isBlobUsed: boolean;
  /** The folders above `folder` whose size changed with it. */
  above: string[];
  /** The place of the change in the journal; null when nothing changed. */
  position: number | null;
}

export function* saveFile(asked: SaveFile): Verb<SavedFile> {
  const earlier = yield* recall<SavedFile>(asked.idempotency, asked.at);
  if (earlier !== null) return { ...earlier, isReplayed: true, isBlobUsed: false };
  const { space, name, nameKey, conflict } = asked;
  const folder = yield* requireFolder(space, asked.folder, 'FolderId');
  const parent = folder.entry;
  const naming = yield* settleName({ space, parent, name, nameKey, conflict, kind: 'file', target: 'FileName' });
  const saved =
    'free' in naming
      ? yield* saveNew(asked, folder, { ...asked, ...naming.free })
      : yield* saveOver(asked, folder, naming.taken);
  yield* remember(asked.idempotency, asked.at, saved);
  return saved;
}

function* saveNew(
  asked: SaveFile,
  folder: EntryRow,
  { name, nameKey }: { name: string; nameKey: string },
): Verb<SavedFile> {
  const { space, at, by } = asked;
  const { content, isBlobUsed } = yield* storeContent(asked.content);
  const file: NewEntry = {
    id: asked.id,
    parent: folder.entry,
    kind: 1,
    name,
    name_key: nameKey,
    object_type: asked.objectType,
    content_type: asked.contentType,
    created_at: at,
    created_by: by,
    modified_at: at,
    modified_by: by,
    size: asked.content.sizeBytes,
    version: 1,
    properties: toStoredProperties(asked.properties),
  };
  const entry = yield* insertRow(space, file);
  yield* addVersion(asked, { ...file, entry }, content);
  return yield* finish(asked, folder, file, { deltaBytes: file.size, action: 'file.created', isBlobUsed });
}

function* saveOver(asked: SaveFile, folder: EntryRow, taken: EntryRow): Verb<SavedFile> {
  const unchanged = {
    folder: toEntry(folder),
    file: toEntry(taken),
    isReplayed: false,
    isBlobUsed: false,
    above: [],
    position: null,
  };
  if (asked.conflict === 'Existing') return unchanged;
  const isSameContent = yield* hasContent(taken, asked.content);
  const file: EntryRow = {
    ...taken,
    object_type: asked.objectType ?? taken.object_type,
    content_type: isSameContent && !asked.isContentTypeDeclared ? taken.content_type : asked.contentType,
    properties: asked.properties === null ? taken.properties : toStoredProperties(asked.properties),
    modified_at: asked.at,
    modified_by: asked.by,
  };
  if (isSameContent) {
    if (isSameRecord(taken, file)) return unchanged;
    yield* updateRow(file);
    yield* relabelVersion(file);
    return yield* finish(asked, folder, file, { deltaBytes: 0, action: 'file.changed', isBlobUsed: false });
  }
  const { content, isBlobUsed } = yield* storeContent(asked.content);
  file.version = taken.version + 1;
  file.size = asked.content.sizeBytes;
  yield* updateRow(file);
  yield* addVersion(asked, file, content);
  return yield* finish(asked, folder, file, { deltaBytes: file.size - taken.size, action: 'file.saved', isBlobUsed });
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

function* finish(asked: SaveFile, folder: EntryRow, file: NewEntry, done: Finish): Verb<SavedFile> {
  const { space, at, by, request } = asked;
  const above = yield* addToSizes(folder, done.deltaBytes);
  const details = JSON.stringify({ parent: folder.id, name: file.name, version: file.version, size: file.size });
  const position = yield* append({ at, space, by, action: done.action, entry: file.id, request, details });
  const grown = { ...folder, size: folder.size + done.deltaBytes };
  const { isBlobUsed } = done;
  return { folder: toEntry(grown), file: toEntry(file), isReplayed: false, isBlobUsed, above, position };
}

function* storeContent(content: StoredContent): Verb<{ content: number; isBlobUsed: boolean }> {
  if (content.blob !== null) {
    const twin = yield* row<{ content: number }>(
      'SELECT content FROM contents WHERE sha256 = $1 AND blob IS NOT NULL',
      content.sha256,
    );
    if (twin !== undefined) return { content: twin.content, isBlobUsed: false };
  }
  const number = yield* insert(
    'content',
    'INSERT INTO contents (sha256, size, blob, checksums, bytes) VALUES ($1, $2, $3, $4, $5)',
    content.sha256,
    content.sizeBytes,
    content.blob,
    content.checksums,
    content.bytes,
  );
  return { content: number, isBlobUsed: content.blob !== null };
}

function* addVersion(asked: SaveFile, file: EntryRow, content: number): Verb<void> {
  yield* rows(
    `INSERT INTO versions (entry, version, content, content_type, created_at, created_by)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    file.entry,
    file.version,
    content,
    asked.contentType,
    asked.at,
    asked.by,
  );
}

function* hasContent(file: EntryRow, content: StoredContent): Verb<boolean> {
  if (file.size !== content.sizeBytes) return false;
  const current = yield* row<{ sha256: Uint8Array }>(
    `SELECT contents.sha256 AS sha256 FROM versions JOIN contents ON contents.content = versions.content
     WHERE versions.entry = $1 AND versions.version = $2`,
    file.entry,
    file.version,
  );
  return current !== undefined && Buffer.compare(current.sha256, content.sha256) === 0;
}

function* updateRow(file: EntryRow): Verb<void> {
  yield* rows(
    `UPDATE entries SET object_type = $1, content_type = $2, modified_at = $3, modified_by = $4, size = $5, version = $6,
     properties = $7 WHERE entry = $8`,
    file.object_type,
    file.content_type,
    file.modified_at,
    file.modified_by,
    file.size,
    file.version,
    file.properties,
    file.entry,
  );
}

/** The same bytes under another content type are the same version. */
function* relabelVersion(file: EntryRow): Verb<void> {
  yield* rows(
    'UPDATE versions SET content_type = $1 WHERE entry = $2 AND version = $3',
    file.content_type,
    file.entry,
    file.version,
  );
}
