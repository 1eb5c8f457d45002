import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { Refusal } from '../domain/refusal.ts';
import { type Cabinet, UploadMemory } from './cabinet.ts';
import { Hasher } from './hasher.ts';
import { localLeases } from './leases.ts';
import { receiveContent } from './receive-content.ts';

function openCabinet(stored: Buffer[]): Cabinet {
  const blobs = {
    async put(_: string, blocks: AsyncIterable<Buffer[]>) {
      for await (const block of blocks) stored.push(Buffer.concat(block));
    },
  };
  const limits = { inlineBytes: 10, fileBytes: 1000, reserveBytes: 0 };
  const freeBytes = () => 1e12;
  const cabinet = {
    blobs,
    leases: localLeases(),
    limits,
    freeBytes,
    uploadMemory: new UploadMemory(),
    hasher: new Hasher(),
  };
  return cabinet as unknown as Cabinet;
}

async function* toStream(bytes: Buffer, chunkBytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}

for (const chunkBytes of [1, 9, 100, 1001]) {
  test(`a content above the limit is refused, and one of that size is not, in chunks of ${chunkBytes}`, async () => {
    const stored: Buffer[] = [];
    const bytes = randomBytes(1001);
    const tooLarge = receiveContent(openCabinet([]), toStream(bytes, chunkBytes));
    await assert.rejects(tooLarge, (error) => error instanceof Refusal && error.code === 'FileTooLarge');
    const { content } = await receiveContent(openCabinet(stored), toStream(bytes.subarray(0, 1000), chunkBytes));
    assert.equal(content.sizeBytes, 1000);
    assert.deepEqual(Buffer.concat(stored), bytes.subarray(0, 1000));
  });
}
