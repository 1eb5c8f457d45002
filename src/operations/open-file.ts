// Opens a version of a file for reading. Every byte is verified before it is returned: the SHA-256 of a small content, the checksum
// of each MiB of a large one. Corrupt bytes are a fault and never sent.

import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { chunkBytes } from '../blobs/blobs.ts';
import type { FileContent } from '../catalog/verbs/contents.ts';
import type { Caller } from '../domain/caller.ts';
import { Fault } from '../domain/fault.ts';
import { fileNotFound, versionNotFound } from '../domain/missing.ts';
import { requireAccess } from './access.ts';
import type { Cabinet } from './cabinet.ts';
import { recordRead } from './record-read.ts';

export interface OpenedFile {
  name: string;
  contentType: string;
  modifiedAt: number;
  isDated: boolean;
  sizeBytes: number;
  sha256: Uint8Array;
  /** The bytes from `start` up to but not including `end`. */
  read(range: { start: number; end: number }): AsyncIterable<Buffer>;
}

interface OpenFileRequest {
  fileId: string;
  /** Null for the current one. */
  version: number | null;
}

export async function openFile(cabinet: Cabinet, caller: Caller, request: OpenFileRequest): Promise<OpenedFile> {
  const { space, content } = await requireContent(cabinet, caller, request);
  const { fileId: entry, version } = request;
  return recordRead(cabinet, toOpenedFile(cabinet, content), { space, entry, version, caller });
}

/** The content of a version, and its space. Reads no bytes yet. */
export async function requireContent(
  cabinet: Cabinet,
  caller: Caller,
  { fileId, version }: OpenFileRequest,
): Promise<{ space: number; content: FileContent }> {
  const { space } = await requireAccess(cabinet, caller, { action: 'read', id: fileId, missing: fileNotFound });
  const content = await cabinet.catalog.findContent({ space, id: fileId, version });
  if (content === null) throw (await isFile(cabinet, space, fileId, version)) ? versionNotFound() : fileNotFound();
  return { space, content };
}

export function toOpenedFile(cabinet: Cabinet, content: FileContent): OpenedFile {
  const { name, contentType, modifiedAt, isDated, sizeBytes, sha256 } = content;
  const read = ({ start, end }: { start: number; end: number }) =>
    content.bytes === null ? readBlob(cabinet, content, start, end) : readInline(content, start, end);
  return { name, contentType, modifiedAt, isDated, sizeBytes, sha256, read };
}

async function isFile({ catalog }: Cabinet, space: number, id: string, version: number | null): Promise<boolean> {
  return version !== null && (await catalog.findEntry({ space, id }))?.kind === 'file';
}

async function* readInline({ bytes, sha256 }: FileContent, start: number, end: number): AsyncGenerator<Buffer> {
  const buffer = Buffer.from(bytes ?? new Uint8Array());
  if (!hash('sha256', buffer, 'buffer').equals(sha256)) throw new Fault('other', 'a small content is corrupt');
  yield buffer.subarray(start, end);
}

/** Reads whole chunks, because a checksum covers a whole one, and cuts them to the range. */
async function* readBlob(
  cabinet: Cabinet,
  { blob, sizeBytes, checksums }: FileContent,
  start: number,
  end: number,
): AsyncGenerator<Buffer> {
  if (blob === null || checksums === null) throw new Fault('other', 'a content has neither bytes nor a blob');
  const expected = Buffer.from(checksums);
  let index = Math.floor(start / chunkBytes);
  const lastEnd = Math.min(sizeBytes, Math.ceil(end / chunkBytes) * chunkBytes);
  for await (const chunk of cabinet.blobs.open(blob, index * chunkBytes, lastEnd)) {
    if (crc32(chunk) !== expected.readUInt32LE(index * 4))
      throw new Fault('other', `MiB ${index} of blob ${blob} is corrupt`);
    const at = index * chunkBytes;
    index += 1;
    yield chunk.subarray(Math.max(0, start - at), Math.max(0, end - at));
  }
}
