// Gathers the chunks of a body into blocks for the blob store. A few large writes are much cheaper than many small ones, but a slow upload
// must not hold memory for long, and all uploads together must not hold much.

import { Chunks } from '../runtime/chunks.ts';
import type { UploadMemory } from './cabinet.ts';

const blockPatienceMs = 100;

export interface ChunkSource {
  /** Null at the end. */
  next(): Promise<Buffer | null>;
  /** Called once, whether or not everything was read. */
  close(): Promise<unknown>;
}

/** `first`: chunks that were read before; they belong to the first block. */
export async function* gatherBlocks(
  source: ChunkSource,
  memory: UploadMemory,
  first: readonly Buffer[] = [],
): AsyncGenerator<Buffer[]> {
  const block = new Chunks();
  for (const chunk of first) block.push(chunk);
  let heldBytes = 0;
  let startedAt = performance.now();
  try {
    for (let chunk = await source.next(); chunk !== null; chunk = await source.next()) {
      block.push(chunk);
      heldBytes += chunk.length;
      memory.usedBytes += chunk.length;
      if (heldBytes < memory.blockBytes && performance.now() - startedAt < blockPatienceMs) continue;
      yield block.take();
      memory.usedBytes -= heldBytes;
      heldBytes = 0;
      startedAt = performance.now();
    }
    if (block.sizeBytes > 0) yield block.take();
  } finally {
    memory.usedBytes -= heldBytes;
    await source.close();
  }
}
