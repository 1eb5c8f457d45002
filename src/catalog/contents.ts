// Reading contents back, knowing which blobs a record points to, and mending what points to a lost one.

import type { StoredContent } from './save-file.ts';
import { row, rows, type Verb } from './sql.ts';

export interface FindContent {
  space: number;
  id: string;
  /** Null: the current one. */
  version: number | null;
}

/** A content of a file and what is needed to verify it while it is read. */
export interface FileContent {
  name: string;
  contentType: string;
  modifiedAt: number;
  sizeBytes: number;
  sha256: Uint8Array;
  bytes: Uint8Array | null;
  blob: string | null;
  checksums: Uint8Array | null;
}

interface FileContentRow {
  name: string;
  content_type: string;
  modified_at: number;
  size: number;
  sha256: Uint8Array;
  bytes: Uint8Array | null;
  blob: string | null;
  checksums: Uint8Array | null;
}

export function* findContent({ space, id, version }: FindContent): Verb<FileContent | null> {
  const found = yield* row<FileContentRow>(
    `SELECT name, versions.content_type AS content_type, versions.created_at AS modified_at, contents.size AS size, sha256,
       bytes, blob, checksums
     FROM entries
     JOIN versions ON versions.entry = entries.entry AND versions.version = coalesce($3, entries.version)
     JOIN contents ON contents.content = versions.content
     WHERE entries.space = $1 AND entries.id = $2`,
    space,
    id,
    version,
  );
  if (found === undefined) return null;
  const { content_type: contentType, modified_at: modifiedAt, size: sizeBytes, ...rest } = found;
  return { contentType, modifiedAt, sizeBytes, ...rest };
}

/** Of these blobs, the ones that no record points to. */
export function* findUnreferencedBlobs({ blobs }: { blobs: string[] }): Verb<string[]> {
  const found = yield* rows<{ blob: string }>(
    'SELECT blob FROM contents WHERE blob IN (SELECT value FROM json_each($1))',
    JSON.stringify(blobs),
  );
  const referenced = new Set(found.map(({ blob }) => blob));
  return blobs.filter((blob) => !referenced.has(blob));
}

/** The blob that holds these bytes, if one does. */
export function* findBlob({ sha256 }: { sha256: Uint8Array }): Verb<string | null> {
  const found = yield* row<{ blob: string }>(
    'SELECT blob FROM contents WHERE sha256 = $1 AND blob IS NOT NULL',
    sha256,
  );
  return found?.blob ?? null;
}

export interface ReplaceBlob {
  /** The blob that is lost. */
  lost: string;
  /** The same bytes, in another blob. */
  content: StoredContent;
}

/** Lets every version that pointed to a lost blob point to a good one. False if nothing points to the lost one any more. */
export function* replaceBlob({ lost, content }: ReplaceBlob): Verb<boolean> {
  const replaced = yield* rows(
    'UPDATE contents SET blob = $1, checksums = $2 WHERE blob = $3 AND sha256 = $4 RETURNING content',
    content.blob,
    content.checksums,
    lost,
    content.sha256,
  );
  return replaced.length > 0;
}
