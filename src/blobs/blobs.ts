// The contract of a blob store: everything that is bytes too large for the catalog. Whoever calls it counts, hashes and
// limits; an engine only keeps bytes.
//
// A blob is written once under a new id and never changed. Ids are 32 hexadecimal digits, chosen by the caller.
//
// A blob can also grow, over many calls and lives of the process, until it is complete. How far it has come is for the caller to
// remember: whatever was appended beyond that is as if it had never been.

import { randomBytes } from 'node:crypto';

/** What one read gives, and what one checksum covers. */
export const chunkBytes = 1024 * 1024;

export interface BlobInfo {
  id: string;
  /** When it became whole. */
  storedAtMs: number;
}

/** How far a growing blob has come. */
export interface Grown {
  sizeBytes: number;
  /** The engine's note of how to go on from there; empty for a blob that has not begun. */
  state: string;
}

export interface Append {
  from: Grown;
  blocks: AsyncIterable<readonly Uint8Array[]>;
  /** Told now and then what is durable by now; nothing goes on before it resolves. When it rejects, so does `append`. */
  keep: (grown: Grown) => Promise<void>;
}

export interface Blobs {
  /** Stores the bytes. When it resolves they survive a power cut, and so does the name that leads to them. When it
   *  rejects, for a reason of its own or because `blocks` threw, nothing is left. Asks for the next block while the
   *  last one is being written, and looks at no older one again: its memory may be gone. Rejects with a `Fault`: `full` when there is no
   *  space, `fatal` when a sync failed (it is never tried again). */
  put(id: string, blocks: AsyncIterable<readonly Uint8Array[]>): Promise<void>;

  /** Adds the blocks behind what a blob has come to. When it resolves, all of it is durable. When it rejects, what `keep`
   *  was told last still is, and can be gone on from; so can `from`, if it was told nothing. Memory and faults are as in
   *  `put`. Two at a time for the same blob, on different nodes: what the one does never harms what the other was told. */
  append(id: string, append: Append): Promise<Grown>;
  /** Makes a blob of what has grown: from now on it is one like any other, and grows no more. Again: not an error. */
  complete(id: string, grown: Grown): Promise<void>;
  /** Lets go of one that was growing, or has become whole. One that is not there is not an error. */
  abandon(id: string, grown: Grown): Promise<void>;
  /** The bytes from `start` up to but not including `end`, in chunks of `chunkBytes` (the last may be shorter). Rejects
   *  with a `Fault` when there are fewer. A chunk's memory is used again: it is valid until the next but one is asked
   *  for. */
  open(id: string, start: number, end: number): AsyncIterable<Buffer>;

  /** Removes a blob. One that is not there is not an error. */
  discard(id: string): Promise<void>;

  /** Every whole blob, in no order; growing ones may be among them. One that is stored or discarded meanwhile may or may not be listed. */
  list(): AsyncIterable<BlobInfo>;

  /** Lets go of what uploads have left that were begun before that time and never became whole; only engines that can
   *  have such have this. `choose` is told the ids of their blobs and returns those that nobody is writing any more. */
  tidy?(beforeMs: number, choose: (ids: string[]) => Promise<string[]>): Promise<void>;

  close(): Promise<void>;
}

export function newBlobId(): string {
  return randomBytes(16).toString('hex');
}
