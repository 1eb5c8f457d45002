// The contract of a blob store, which has the contents that are too large for the catalog. The caller counts, hashes and
// limits the bytes; an engine only stores them.
//
// A blob is written once under a new id and never changed. Ids are 32 hexadecimal digits, chosen by the caller.
//
// A blob can also be appended to until it is complete, over many calls and restarts of the process. The caller stores the `AppendState`:
// bytes that were appended beyond the stored state do not count.

import { randomBytes } from 'node:crypto';

/** The size of the chunks that are read, and that one checksum covers. */
export const chunkBytes = 1024 * 1024;

export interface BlobInfo {
  id: string;
  /** When it became complete. */
  storedAtMs: number;
}

/** How much of an incomplete blob is durable. */
export interface AppendState {
  sizeBytes: number;
  /** What the engine needs to continue from there; empty for a new blob. */
  state: string;
}

export interface Append {
  from: AppendState;
  blocks: AsyncIterable<readonly Uint8Array[]>;
  /** Called from time to time with what is durable by now. Writing continues when it resolves. When it rejects, so does `append`. */
  keep: (state: AppendState) => Promise<void>;
}

/** Two buffers are used in turn: a chunk is valid until the next but one is requested. */
export interface BlobChunks extends AsyncIterableIterator<Buffer> {
  /** No chunk is used any more, not even by the system: their memory may be used for other blobs now. Who cannot know that leaves
   *  it out, and the memory is freed. `return` alone does not say so: it ends the reading, while a chunk may still be on its way. */
  release?(): void;
}

export interface Blobs {
  /** Stores the bytes. When it resolves, the bytes and their name survive a power cut. When it rejects, for a reason of its
   *  own or because `blocks` threw, nothing is left. Takes the next block while the last one is being written, and never reads an
   *  older one again: its memory may be reused. Rejects with a `Fault`: `full` when there is no space, `fatal` when a sync failed
   *  (it is never retried). */
  put(id: string, blocks: AsyncIterable<readonly Uint8Array[]>): Promise<void>;

  /** Appends blocks after `from`. When it resolves, all of them are durable. When it rejects, the state of the last call of `keep`
   *  is durable and can be continued; without such a call, `from` can. Memory and faults are as in `put`. Two nodes may
   *  append to the same blob at the same time: neither harms a state that the other has kept. */
  append(id: string, append: Append): Promise<AppendState>;
  /** Completes a blob: from now on it is like any other, and nothing can be appended. Repeating it is not an error. */
  complete(id: string, state: AppendState): Promise<void>;
  /** Removes an incomplete or complete blob. A missing one is not an error. */
  abandon(id: string, state: AppendState): Promise<void>;
  /** The bytes from `start` up to but not including `end`, in chunks of `chunkBytes` (the last may be shorter). Rejects
   *  with a `Fault` when there are fewer. */
  open(id: string, start: number, end: number): BlobChunks;

  /** Another text whenever the stored bytes were touched, without reading them; null: the blob is missing. Only engines that can say so
   *  have this. */
  stamp?(id: string): Promise<string | null>;

  /** Removes a blob. A missing one is not an error. */
  discard(id: string): Promise<void>;

  /** Every complete blob, in no order; incomplete ones may be among them. Blobs that are stored or discarded meanwhile may or may not be
   *  listed. */
  list(): AsyncIterable<BlobInfo>;

  /** Removes what uploads left that started before that time and were never completed; only engines with such remains have
   *  this. `choose` gets the ids of their blobs and returns those that nobody is writing any more. */
  tidy?(beforeMs: number, choose: (ids: string[]) => Promise<string[]>): Promise<void>;

  close(): Promise<void>;
}

export function newBlobId(): string {
  return randomBytes(16).toString('hex');
}
