// The bytes of a version as rows of the catalog. Contents are immutable. A large content whose bytes already exist in the space is
// not stored again, and the caller learns that its blob is not needed. What other spaces have is not looked at: the time of a save would
// tell it.

import { type ResourceState, toContentEtag } from '../../domain/precondition.ts';
import { execute, insertNumbered, row, type Verb } from '../sql.ts';
import { insertInto, sql } from '../statement.ts';
import type { EntryRow } from './entries.ts';
import { takeOver } from './leases.ts';

const intoContents = insertInto('contents', 'space sha256 size blob checksums bytes', { numbered: 'content' });

/** Bytes that were received completely: either `bytes` (small, written with the record) or `blob` (already durable). */
export interface StoredContent {
  sha256: Uint8Array;
  sizeBytes: number;
  bytes: Uint8Array | null;
  blob: string | null;
  checksums: Uint8Array | null;
  /** Whether the blob has a lease, which ends with the commit that refers to it. */
  isLeased?: boolean;
}

/** Large contents are stored once, so that two saves of a batch must not insert the same one. */
export function claimsOfContent(space: number, { blob, sha256 }: StoredContent): string[] {
  return blob === null ? [] : [`${space} bytes ${Buffer.from(sha256).toString('hex')}`];
}

export function* storeContent(space: number, content: StoredContent): Verb<{ content: number; isBlobUsed: boolean }> {
  if (content.blob !== null) {
    const twin = yield* row<{ content: number }>(
      sql`SELECT content FROM contents WHERE space = ${space} AND sha256 = ${content.sha256} AND blob IS NOT NULL`,
    );
    if (twin !== undefined) return { content: twin.content, isBlobUsed: false };
    if (content.isLeased === true) yield* takeOver(content.blob);
  }
  const number = yield* insertNumbered(intoContents, [
    content.blob === null ? null : space,
    content.sha256,
    content.sizeBytes,
    content.blob,
    content.checksums,
    content.bytes,
  ]);
  return { content: number, isBlobUsed: content.blob !== null };
}

export function* hasContent(file: EntryRow, content: StoredContent): Verb<boolean> {
  if (file.size !== content.sizeBytes) return false;
  const current = yield* findContentDigest(file);
  return current !== null && Buffer.compare(current, content.sha256) === 0;
}

/** Saving the same bytes writes nothing, so the stored bytes must be intact: a small content that the disk changed is repaired. */
export function* mendBytes(file: EntryRow, { bytes, sha256 }: StoredContent): Verb<void> {
  if (bytes === null) return;
  const kept = yield* row<{
    content: number;
    bytes: Uint8Array | null;
  }>(sql`SELECT contents.content AS content, contents.bytes AS bytes
     FROM versions JOIN contents ON contents.content = versions.content
     WHERE versions.entry = ${file.entry} AND versions.version = ${file.version}`);
  if (kept === undefined || kept.bytes === null || Buffer.compare(kept.bytes, bytes) === 0) return;
  yield* execute(sql`UPDATE contents SET bytes = ${bytes} WHERE content = ${kept.content} AND sha256 = ${sha256}`);
}

export function* findContentDigest(file: EntryRow): Verb<Uint8Array | null> {
  const current = yield* row<{ sha256: Uint8Array }>(sql`SELECT contents.sha256 AS sha256
    FROM versions JOIN contents ON contents.content = versions.content
     WHERE versions.entry = ${file.entry} AND versions.version = ${file.version}`);
  return current?.sha256 ?? null;
}

/** What preconditions of the current content are compared with. A folder has none, but exists. */
export function* findContentState(named: EntryRow): Verb<ResourceState> {
  const current = yield* row<{ sha256: Uint8Array; created_at: number }>(sql`SELECT contents.sha256 AS sha256,
      versions.created_at AS created_at FROM versions JOIN contents ON contents.content = versions.content
     WHERE versions.entry = ${named.entry} AND versions.version = ${named.version}`);
  if (current === undefined) return { etag: '', modifiedAt: named.modified_at };
  return { etag: toContentEtag(current.sha256), modifiedAt: current.created_at };
}
