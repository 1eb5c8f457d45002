// A blob store whose writes and reads are counted, timed and traced: a wrapper with the same contract.

import type { Append, AppendState, BlobChunks, Blobs } from '../blobs/blobs.ts';
import type { EnvironmentMetrics } from './environment-metrics.ts';
import type { Span, Tracer } from './tracer.ts';

export function observeBlobs(blobs: Blobs, metrics: EnvironmentMetrics, tracer: Tracer | null): Blobs {
  return {
    put: (id, blocks) => put(blobs, metrics, { id, blocks, span: tracer?.part('blobs put') ?? null }),
    append: (id, append) => appendTo(blobs, metrics, { id, append, span: tracer?.part('blobs append') ?? null }),
    complete: (id, grown) => blobs.complete(id, grown),
    abandon: (id, grown) => blobs.abandon(id, grown),
    open: (id, start, end) => new ObservedChunks(blobs.open(id, start, end), metrics, tracer),
    discard: (id) => blobs.discard(id),
    list: () => blobs.list(),
    ...(blobs.stamp !== undefined && { stamp: blobs.stamp.bind(blobs) }),
    ...(blobs.tidy !== undefined && { tidy: blobs.tidy.bind(blobs) }),
    close: () => blobs.close(),
  };
}

interface Put {
  id: string;
  blocks: Parameters<Blobs['put']>[1];
  span: Span | null;
}

async function put(blobs: Blobs, metrics: EnvironmentMetrics, { id, blocks, span }: Put): Promise<void> {
  const begunAt = performance.now();
  const counted = new CountedBlocks(blocks);
  metrics.putsUnderWay += 1;
  let isStored = false;
  try {
    await blobs.put(id, counted);
    isStored = true;
  } finally {
    metrics.putsUnderWay -= 1;
    metrics.blobPuts[isStored ? 'stored' : 'failed'].add();
    metrics.blobPutSeconds.observe((performance.now() - begunAt) / 1000);
    metrics.blobPutBytes.add(counted.bytes);
    endSpan(span, counted.bytes, isStored);
  }
}

interface AppendTo {
  id: string;
  append: Append;
  span: Span | null;
}

async function appendTo(
  blobs: Blobs,
  metrics: EnvironmentMetrics,
  { id, append, span }: AppendTo,
): Promise<AppendState> {
  const counted = new CountedBlocks(append.blocks);
  let isStored = false;
  metrics.putsUnderWay += 1;
  try {
    const grown = await blobs.append(id, { ...append, blocks: counted });
    isStored = true;
    return grown;
  } finally {
    metrics.putsUnderWay -= 1;
    metrics.blobPutBytes.add(counted.bytes);
    endSpan(span, counted.bytes, isStored);
  }
}

class CountedBlocks implements AsyncIterable<readonly Uint8Array[]> {
  bytes = 0;
  readonly #blocks: AsyncIterable<readonly Uint8Array[]>;

  constructor(blocks: AsyncIterable<readonly Uint8Array[]>) {
    this.#blocks = blocks;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly Uint8Array[]> {
    for await (const block of this.#blocks) {
      for (const { length } of block) this.bytes += length;
      yield block;
    }
  }
}

class ObservedChunks implements BlobChunks {
  readonly #chunks: BlobChunks;
  readonly #metrics: EnvironmentMetrics;
  readonly #span: Span | null;
  #bytes = 0;
  #isOver = false;

  constructor(chunks: BlobChunks, metrics: EnvironmentMetrics, tracer: Tracer | null) {
    this.#chunks = chunks;
    this.#metrics = metrics;
    this.#span = tracer?.part('blobs open') ?? null;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Buffer, unknown>> {
    try {
      const next = await this.#chunks.next();
      if (next.done === true) this.#end(true);
      else this.#bytes += next.value.length;
      return next;
    } catch (error) {
      this.#end(false);
      throw error;
    }
  }

  async return(): Promise<IteratorResult<Buffer, unknown>> {
    this.#end(true);
    await this.#chunks.return?.();
    return { done: true, value: undefined };
  }

  release(): void {
    this.#end(true);
    this.#chunks.release?.();
  }

  #end(isWell: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#metrics.blobOpens.add();
    this.#metrics.blobOpenBytes.add(this.#bytes);
    endSpan(this.#span, this.#bytes, isWell);
  }
}

function endSpan(span: Span | null, bytes: number, isWell: boolean): void {
  if (span === null) return;
  span.attributes['cabinet.bytes'] = bytes;
  span.isFailed = !isWell;
  span.end();
}
