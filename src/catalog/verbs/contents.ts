// Reads contents, finds blobs that a record refers to, and replaces lost ones.

import { Fault } from '../../domain/fault.ts';
import { noSpace, read, write } from '../declaration.ts';
import { type ChecksummedVersion, isChecksumWrong, toEntryChecksum, toVersionChecksum } from '../row-checksums.ts';
import { returning, row, together, type Verb } from '../sql.ts';
import { sql } from '../statement.ts';
import type { EntryRow } from './entries.ts';
import { takeOver } from './leases.ts';
import type { StoredContent } from './stored-content.ts';
import { findVisible } from './tree.ts';

export interface FindContent {
  space: number;
  id: string;
  /** Null: the current one. */
  version: number | null;
}

/** A content with what is needed to verify it while it is read. */
export interface FileContent {
  name: string;
  version: number;
  contentType: string;
  modifiedAt: number;
  /** Whether no neighbouring version has the same `modifiedAt` in seconds. */
  isDated: boolean;
  sizeBytes: number;
  sha256: Uint8Array;
  bytes: Uint8Array | null;
  blob: string | null;
  checksums: Uint8Array | null;
}

interface FileContentRow extends ChecksummedVersion {
  seal: number | null;
  size: number;
  bytes: Uint8Array | null;
  blob: string | null;
  checksums: Uint8Array | null;
  is_dated: 0 | 1;
}

/** Null if there is no such file, or no such version of it. */
export const findContent = read(
  { key: ({ space, id, version }) => `${space} ${id} ${version ?? ''}` },
  function* findContent({ space, id, version }: FindContent): Verb<FileContent | null> {
    const file = yield* findVisible(space, id);
    if (file === undefined) return null;
    const found =
      yield* row<FileContentRow>(sql`SELECT entry, version, versions.content AS content, content_type, created_at,
        created_by, comment, seal, size, sha256, bytes, blob, checksums, CASE WHEN EXISTS (SELECT 1
        FROM versions AS other WHERE other.entry = versions.entry
        AND other.version IN (versions.version - 1, versions.version + 1)
        AND other.created_at / 1000 = versions.created_at / 1000) THEN 0 ELSE 1 END AS is_dated FROM versions
        JOIN contents ON contents.content = versions.content WHERE versions.entry = ${file.entry}
        AND versions.version = ${version ?? file.version}`);
    if (found === undefined) return null;
    requireSealed(id, file, found);
    const {
      content_type: contentType,
      created_at: modifiedAt,
      size: sizeBytes,
      sha256,
      bytes,
      blob,
      checksums,
    } = found;
    const content = { sha256, bytes, blob, checksums };
    const isDated = found.is_dated === 1;
    return { name: file.name, version: found.version, contentType, modifiedAt, isDated, sizeBytes, ...content };
  },
);

/** The digest verifies the bytes; the row checksums verify that the bytes belong to this file. */
function requireSealed(id: string, file: EntryRow, found: FileContentRow): void {
  if (
    file.id !== id ||
    isChecksumWrong(file.seal, toEntryChecksum(file)) ||
    isChecksumWrong(found.seal, toVersionChecksum(found))
  )
    throw new Fault('other', `the record of file ${id} or of its version ${found.version} is damaged`);
}

/** Those of these blobs that no record refers to and none will: neither leased nor part of an upload. */
export const findUnreferencedBlobs = read({}, function* findUnreferencedBlobs({ blobs }: { blobs: string[] }): Verb<
  string[]
> {
  const wanted = yield* together(blobs.map(isWanted));
  return blobs.filter((_, index) => !wanted[index]);
});

function* isWanted(blob: string): Verb<boolean> {
  const found = yield* row(sql`SELECT blob FROM contents WHERE blob = ${blob}
    UNION ALL SELECT blob FROM leases WHERE blob = ${blob}
     UNION ALL SELECT blob FROM uploads WHERE blob = ${blob}`);
  return found !== undefined;
}

export interface StoredBlob {
  blob: string;
  checksums: Uint8Array | null;
}

export interface FindBlob {
  space: number;
  file: string;
  version: number;
  sha256: Uint8Array;
}

/** The blob that a version refers to, if it has one with these bytes. */
export const findBlob = read(
  {},
  function* findBlob({ space, file, version, sha256 }: FindBlob): Verb<StoredBlob | null> {
    const found = yield* row<StoredBlob>(sql`SELECT blob, checksums FROM entries
    JOIN versions ON versions.entry = entries.entry JOIN contents ON contents.content = versions.content
    WHERE entries.space = ${space} AND entries.id = ${file} AND versions.version = ${version}
      AND sha256 = ${sha256} AND blob IS NOT NULL`);
    return found ?? null;
  },
);

export interface ReplaceBlob {
  /** The lost blob. */
  lost: string;
  /** The same bytes, in another blob. */
  content: StoredContent;
}

/** Lets every version that refers to a lost blob refer to a good one. False if nothing refers to the lost one any more. */
export const replaceBlob = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* replaceBlob({ lost, content }: ReplaceBlob): Verb<boolean> {
    const replaced = yield* returning(
      sql`UPDATE contents SET blob = ${content.blob}, checksums = ${content.checksums} WHERE blob = ${lost}
        AND sha256 = ${content.sha256} RETURNING content`,
    );
    if (replaced.length > 0 && content.blob !== null && content.isLeased === true) yield* takeOver(content.blob);
    return replaced.length > 0;
  },
);
