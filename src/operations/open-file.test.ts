import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import type { FileContent } from '../catalog/verbs/contents.ts';
import { Fault } from '../domain/fault.ts';
import type { Cabinet } from './cabinet.ts';
import { toOpenedFile } from './open-file.ts';
import { toChecksums } from './verified-chunks.ts';

const bytes = Buffer.from('the bytes of a small file');

function content(change: Partial<FileContent> = {}): FileContent {
  const record = { name: 'a', version: 1, contentType: 'text/plain', modifiedAt: 0, isDated: true };
  const sha256 = hash('sha256', bytes, 'buffer');
  const stored = { sizeBytes: bytes.length, sha256, bytes, blob: null, checksums: toChecksums(bytes) };
  return { ...record, ...stored, ...change };
}

function read(change: Partial<FileContent>): Buffer | null {
  return toOpenedFile({} as Cabinet, content(change)).readSmall();
}

function damaged(from: Uint8Array): Buffer {
  const copy = Buffer.from(from);
  copy[copy.length - 1] = (copy.at(-1) ?? 0) ^ 1;
  return copy;
}

test('a small content is verified by its checksum, or by its digest if it has none', () => {
  assert.ok(read({})?.equals(bytes));
  assert.ok(read({ checksums: null })?.equals(bytes));
  const empty = { bytes: Buffer.alloc(0), sizeBytes: 0, sha256: hash('sha256', '', 'buffer') };
  assert.equal(read({ ...empty, checksums: Buffer.alloc(0) })?.length, 0);
});

test('a damaged small content is never returned, whatever of it is damaged', () => {
  for (const checksums of [null, toChecksums(bytes), damaged(toChecksums(bytes)), Buffer.alloc(0)]) {
    for (const found of [damaged(bytes), bytes.subarray(1), Buffer.alloc(0), Buffer.concat([bytes, bytes])])
      assert.throws(() => read({ bytes: found, checksums }), Fault);
  }
  assert.ok(read({ checksums: damaged(toChecksums(bytes)) })?.equals(bytes), 'the bytes are still good');
});

test('a content that was found damaged once is found damaged again', () => {
  const file = toOpenedFile({} as Cabinet, content({ bytes: damaged(bytes) }));
  for (let time = 0; time < 2; time += 1) assert.throws(() => file.readSmall(), Fault);
});
