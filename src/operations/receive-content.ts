// Receives the bytes of a file: counts and hashes them, keeps a small content in memory for the catalog and streams a large one to
// the blob store. When it resolves, the content is complete and, if large, durable.

import { hash } from 'node:crypto';
import { newBlobId } from '../blobs/blobs.ts';
import type { StoredContent } from '../catalog/verbs/stored-content.ts';
import { Refusal } from '../domain/refusal.ts';
import { Chunks } from '../runtime/chunks.ts';
import { BytesInFlight } from './bytes-in-flight.ts';
import type { Cabinet } from './cabinet.ts';
import { checkFree } from './free-space.ts';
import { type ChunkSource, gatherBlocks } from './gather-blocks.ts';
import { toChecksums } from './verified-chunks.ts';

/** The leading bytes that content type detection needs. */
export const headBytes = 512;

export interface ReceivedContent {
  content: StoredContent;
  head: Uint8Array;
}

/** `inFlight` bounds what arrives, by the quotas of its destination. */
export async function receiveContent(
  cabinet: Cabinet,
  bytes: AsyncIterable<Buffer>,
  inFlight = new BytesInFlight(),
): Promise<ReceivedContent> {
  const source = bytes[Symbol.asyncIterator]();
  const small = new Chunks();
  while (small.sizeBytes <= cabinet.limits.inlineBytes) {
    const next = await source.next();
    if (next.done) {
      if (small.sizeBytes > cabinet.limits.fileBytes) throw fileTooLarge(cabinet.limits.fileBytes);
      return toInline(small.take());
    }
    small.push(next.value);
  }
  try {
    inFlight.add(small.sizeBytes);
    const limited = toLimited(cabinet, { source, inFlight }, small.sizeBytes);
    return await toBlob(cabinet, small.take(), limited);
  } finally {
    inFlight.settle();
  }
}

export function toInline(chunks: readonly Buffer[]): ReceivedContent {
  const [only] = chunks;
  const bytes = only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks);
  const sha256 = hash('sha256', bytes, 'buffer');
  return {
    content: { sha256, sizeBytes: bytes.length, bytes, blob: null, checksums: toChecksums(bytes) },
    head: bytes.subarray(0, headBytes),
  };
}

async function toBlob(cabinet: Cabinet, first: Buffer[], source: ChunkSource): Promise<ReceivedContent> {
  const blob = newBlobId();
  const head = Buffer.concat(first).subarray(0, headBytes);
  const digest = cabinet.hasher.begin();
  const lease = cabinet.leases.begin(blob);
  const blocks = unlessFailed(lease, digest.observe(gatherBlocks(source, cabinet.uploadMemory, first)));
  try {
    await cabinet.blobs.put(blob, blocks);
  } catch (error) {
    digest.drop();
    await cabinet.leases.end(blob);
    throw error;
  }
  try {
    await lease;
    const { sha256, checksums } = await digest.finish();
    const { isShared: isLeased } = cabinet.leases;
    return { content: { sha256, sizeBytes: digest.sizeBytes, bytes: null, blob, checksums, isLeased }, head };
  } catch (error) {
    digest.drop();
    await discardBlob(cabinet, blob);
    throw error;
  }
}

/** Stops receiving once the lease has failed. */
function unlessFailed<Block>(lease: Promise<void>, blocks: AsyncIterable<Block>): AsyncIterable<Block> {
  const failures: unknown[] = [];
  lease.catch((error) => failures.push(error));
  return passOn();

  async function* passOn(): AsyncGenerator<Block> {
    for await (const block of blocks) {
      if (failures.length > 0) throw failures[0];
      yield block;
    }
  }
}

/** Discards received bytes that no record references. */
export async function discardContent(cabinet: Cabinet, { blob }: StoredContent): Promise<void> {
  if (blob !== null) await discardBlob(cabinet, blob);
}

/** Best effort: the sweeper removes what cannot be removed now. */
async function discardBlob({ blobs, leases }: Cabinet, blob: string): Promise<void> {
  await blobs.discard(blob).catch(() => undefined);
  await leases.end(blob);
}

/** Refuses what exceeds a limit as soon as it is exceeded. */
function toLimited(
  cabinet: Cabinet,
  { source, inFlight }: { source: AsyncIterator<Buffer>; inFlight: BytesInFlight },
  receivedBytes: number,
): ChunkSource {
  const limitBytes = cabinet.limits.fileBytes;
  let sizeBytes = receivedBytes;
  return {
    async next() {
      if (sizeBytes > limitBytes) throw fileTooLarge(limitBytes);
      const next = await source.next();
      if (next.done) return null;
      sizeBytes += next.value.length;
      checkFree(cabinet, null);
      inFlight.add(next.value.length);
      return next.value;
    },
    close: async () => await source.return?.(),
  };
}

export function fileTooLarge(limitBytes: number): Refusal {
  return new Refusal('FileTooLarge', `A file can have at most ${limitBytes} bytes here.`);
}
