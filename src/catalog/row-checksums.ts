// Row checksums: the CRC-32 of a row's columns, stored in its column `seal`, which reveals bits that the disk has changed.
// Covered are the columns that nothing else repeats; row numbers and sums are checked in other ways. docs/formats.md
// describes the text that is summed. Rows without a checksum were written by a release that had none.

import { crc32 } from 'node:zlib';
import type { Value } from './statement.ts';

/** The columns of an entry that its checksum covers. The size of a folder is a sum that others add to. */
export interface ChecksummedEntry {
  id: string;
  parent: number | null;
  kind: number;
  name: string;
  name_key: string;
  object_type: string | null;
  content_type: string | null;
  created_at: number;
  created_by: string;
  modified_at: number;
  modified_by: string;
  size: number;
  version: number;
  properties: string | null;
}

export function toEntryChecksum(row: ChecksummedEntry): number {
  return toSeal([
    row.id,
    row.parent,
    row.kind,
    row.name,
    row.name_key,
    row.object_type,
    row.content_type,
    row.created_at,
    row.created_by,
    row.modified_at,
    row.modified_by,
    row.kind === 1 ? row.size : 0,
    row.version,
    row.properties,
  ]);
}

/** The columns of a version that its checksum covers, with the digest of its content: a version cannot get other bytes. */
export interface ChecksummedVersion {
  entry: number;
  version: number;
  content: number;
  content_type: string;
  created_at: number;
  created_by: string;
  comment: string | null;
  sha256: Uint8Array;
}

export function toVersionChecksum(row: ChecksummedVersion): number {
  return toSeal([
    row.entry,
    row.version,
    row.content,
    row.content_type,
    row.created_at,
    row.created_by,
    row.comment,
    toHex(row.sha256),
  ]);
}

export interface ChecksummedTrash {
  entry: number;
  space: number;
  parent: string;
  path: string;
  trashed_at: number;
  trashed_by: string;
}

export function toTrashChecksum(row: ChecksummedTrash): number {
  return toSeal([row.entry, row.space, row.parent, row.path, row.trashed_at, row.trashed_by]);
}

/** The checksum of a row after a change. A wrong checksum stays wrong: a change never hides what the disk has done to the
 *  rest of the row. */
export function carryChecksum(kept: number | null, before: number, after: number): number {
  return kept === null ? after : (kept ^ before ^ after) >>> 0;
}

export function isChecksumWrong(kept: number | null, expected: number): boolean {
  return kept !== null && kept !== expected;
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

/** A lone surrogate is stored as another character, but JSON would escape it as it is. */
function toSeal(values: readonly Value[]): number {
  const text = JSON.stringify(values);
  return crc32(text.includes('\\ud') ? JSON.stringify(values.map(toStored)) : text);
}

function toStored(value: Value): Value {
  return typeof value === 'string' ? value.toWellFormed() : value;
}
