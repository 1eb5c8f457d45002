// Opens a version of a file for reading. Every byte is verified before it is returned: the SHA-256 of a small content, the checksum
// of each MiB of a large one. Corrupt bytes are a fault and never sent.

import { hash } from 'node:crypto';
import type { FileContent } from '../catalog/verbs/contents.ts';
import type { Caller } from '../domain/caller.ts';
import { Fault } from '../domain/fault.ts';
import { fileNotFound, versionNotFound } from '../domain/missing.ts';
import { freeMemory, isOwn } from '../runtime/own-memory.ts';
import { requireAccess } from './access.ts';
import type { Cabinet } from './cabinet.ts';
import { noteRecent } from './note-recent.ts';
import { BoundedChunks } from './read-memory.ts';
import { recordRead } from './record-read.ts';
import { toChecksums } from './verified-chunks.ts';

/** From `start` up to but not including `end`. */
interface Range {
  start: number;
  end: number;
}

/** `release`: as `BlobChunks` has it. Whoever reads without `for await`, or reads to the end, calls `return` when the last chunk is not
 *  used any more. */
interface Chunks extends AsyncIterableIterator<Buffer> {
  release?(): void;
}

export interface OpenedFile {
  name: string;
  contentType: string;
  modifiedAt: number;
  isDated: boolean;
  sizeBytes: number;
  sha256: Uint8Array;
  /** All bytes of a small content; null where they must be read piece by piece. */
  readSmall(): Buffer | null;
  read(range: Range): Chunks;
  /** For the only user of what `readSmall` has returned, who does not use it any more: frees its memory. Null: others may have it too. */
  release: (() => void) | null;
}

interface OpenFileRequest {
  fileId: string;
  /** Null for the current one. */
  version: number | null;
  /** Whether the person has opened the file, and finds it among the recent ones. */
  isOpenedByPerson?: boolean;
}

export async function openFile(cabinet: Cabinet, caller: Caller, request: OpenFileRequest): Promise<OpenedFile> {
  const { space, content } = await requireContent(cabinet, caller, request);
  const { fileId: entry, version, isOpenedByPerson = false } = request;
  if (isOpenedByPerson) noteRecent(cabinet, caller, { space, id: entry });
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

/** The same file again for a content that the catalog has kept in memory, so that what was derived from it can be kept as well. */
export function toOpenedFile(cabinet: Cabinet, content: FileContent): OpenedFile {
  let file = opened.get(content);
  if (file === undefined) {
    file = open(cabinet, content);
    opened.set(content, file);
  }
  return file;
}

const opened = new WeakMap<FileContent, OpenedFile>();

function open(cabinet: Cabinet, content: FileContent): OpenedFile {
  const { name, contentType, modifiedAt, isDated, sizeBytes, sha256 } = content;
  const readSmall = () => readInline(content);
  const read = (range: Range): Chunks => {
    const small = readSmall();
    return small === null ? readBlob(cabinet, content, range) : once(small.subarray(range.start, range.end));
  };
  const { bytes } = content;
  const release = bytes !== null && isOwn(bytes) ? () => freeMemory(bytes) : null;
  return { name, contentType, modifiedAt, isDated, sizeBytes, sha256, readSmall, read, release };
}

async function isFile({ catalog }: Cabinet, space: number, id: string, version: number | null): Promise<boolean> {
  return version !== null && (await catalog.findEntry({ space, id }))?.kind === 'file';
}

/** The bytes of a small content, verified. */
function readInline(content: FileContent): Buffer | null {
  const { bytes } = content;
  if (bytes === null) return null;
  if (!verified.has(content)) {
    if (!isIntact(bytes, content)) throw new Fault('other', 'a small content is corrupt');
    verified.add(content);
  }
  return Buffer.from(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength);
}

/** Small contents that are in memory and were verified there. */
const verified = new WeakSet<FileContent>();

/** By the checksum, which takes a tenth of the time of the digest. Contents that were saved by an earlier release have none, and
 *  what the disk has damaged may be the checksum itself. */
function isIntact(bytes: Uint8Array, { sizeBytes, checksums, sha256 }: FileContent): boolean {
  if (bytes.length === sizeBytes && checksums !== null && toChecksums(bytes).equals(checksums)) return true;
  return hash('sha256', bytes, 'buffer').equals(sha256);
}

function readBlob(cabinet: Cabinet, content: FileContent, range: Range): Chunks {
  const { blob, sizeBytes, checksums } = content;
  if (blob === null || checksums === null) throw new Fault('other', 'a content has neither bytes nor a blob');
  return new BoundedChunks(cabinet, { id: blob, sizeBytes, checksums }, range);
}

/** At most so many bytes from the start, in memory. */
export async function readBeginning(file: OpenedFile, maxBytes: number): Promise<Buffer> {
  const small = file.readSmall();
  if (small !== null) return small.subarray(0, maxBytes);
  const chunks: Buffer[] = [];
  for await (const chunk of file.read({ start: 0, end: Math.min(file.sizeBytes, maxBytes) })) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
