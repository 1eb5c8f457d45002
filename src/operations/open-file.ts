// Opens a file's current content for reading. Every byte is verified before it is handed out: the SHA-256 of a small
// content, the checksum of each MiB of a large one. Rotten bytes are a fault, never an answer.

import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { FileContent } from '../catalog/contents.ts';
import type { Caller } from '../domain/caller.ts';
import { Fault } from '../domain/fault.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Cabinet } from './cabinet.ts';
import { enter } from './enter.ts';

export interface OpenedFile {
  name: string;
  contentType: string;
  modifiedAt: number;
  sizeBytes: number;
  sha256: Uint8Array;
  bytes: AsyncIterable<Buffer>;
}

export async function openFile(cabinet: Cabinet, caller: Caller, { fileId }: { fileId: string }): Promise<OpenedFile> {
  const missing = () => new Refusal('FileNotFound', 'There is no such file.');
  const { space } = await enter(cabinet, caller, { action: 'read', id: fileId, missing });
  const found = await cabinet.catalog.findContent({ space, id: fileId });
  if (found === null) throw missing();
  const { name, contentType, modifiedAt, sizeBytes, sha256 } = found;
  const bytes = found.bytes === null ? readBlob(cabinet, found) : [readInline(found)];
  return { name, contentType, modifiedAt, sizeBytes, sha256, bytes: toAsync(bytes) };
}

async function* toAsync(chunks: AsyncIterable<Buffer> | Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks;
}

function readInline({ bytes, sha256 }: FileContent): Buffer {
  const content = Buffer.from(bytes ?? new Uint8Array());
  if (!hash('sha256', content, 'buffer').equals(sha256)) throw new Fault('other', 'a small content is rotten');
  return content;
}

async function* readBlob(cabinet: Cabinet, { blob, sizeBytes, checksums }: FileContent): AsyncGenerator<Buffer> {
  if (blob === null || checksums === null) throw new Fault('other', 'a content has neither bytes nor a blob');
  const expected = Buffer.from(checksums);
  let index = 0;
  for await (const chunk of cabinet.blobs.open(blob, 0, sizeBytes)) {
    if (crc32(chunk) !== expected.readUInt32LE(index * 4))
      throw new Fault('other', `MiB ${index} of blob ${blob} is rotten`);
    index += 1;
    yield chunk;
  }
}
