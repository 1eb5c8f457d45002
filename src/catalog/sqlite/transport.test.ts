import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { StoredContent } from '../verbs/stored-content.ts';
import { type Batch, pack, unpack } from './transport.ts';

test('a batch arrives as it was sent, bytes and all', () => {
  const content = (bytes: Buffer | null, checksums: Buffer | null): StoredContent => ({
    sha256: randomBytes(32),
    sizeBytes: 5,
    bytes,
    blob: bytes === null ? 'ab' : null,
    checksums,
  });
  const batch: Batch = [
    ['saveFile', { name: 'ü', content: content(randomBytes(100), null), properties: { a: 'b' } }],
    ['createFolder', { name: 'x', properties: null }],
    ['saveFile', { name: 'y', content: content(null, randomBytes(8)) }],
    ['saveFile', { name: 'z', content: content(Buffer.alloc(0), null) }],
    ['saveFile', { name: 'l', content: { ...content(null, randomBytes(4)), isLeased: true } }],
  ];
  assert.deepEqual(plainBytes(unpack(pack(batch))), plainBytes(batch));
});

function plainBytes(batch: Batch): unknown {
  return batch.map(([name, input]) => {
    const { content, ...rest } = input as { content?: StoredContent };
    if (content === undefined) return [name, rest];
    const hex = (bytes: Uint8Array | null) => (bytes === null ? null : Buffer.from(bytes).toString('hex'));
    return [
      name,
      rest,
      { ...content, sha256: hex(content.sha256), bytes: hex(content.bytes), checksums: hex(content.checksums) },
    ];
  });
}
