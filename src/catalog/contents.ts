// Reading contents back, and knowing which blobs a record points to.

import { row, rows, type Verb } from './sql.ts';

export interface FindContent {
  space: number;
  id: string;
}

/** The current content of a file and what is needed to verify it while it is read. */
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

export function* findContent({ space, id }: FindContent): Verb<FileContent | null> {
  const found = yield* row<FileContentRow>(
    `SELECT name, versions.content_type AS content_type, versions.created_at AS modified_at, contents.size AS size, sha256,
       bytes, blob, checksums
     FROM entries
     JOIN versions ON versions.entry = entries.entry AND versions.version = entries.version
     JOIN contents ON contents.content = versions.content
     WHERE entries.space = $1 AND entries.id = $2`,
    space,
    id,
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
