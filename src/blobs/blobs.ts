// The contract of a blob store: everything that is bytes too large for the catalog. Whoever calls it counts, hashes and
// limits; an engine only keeps bytes.
//
// A blob is written once under a new id and never changed. Ids are 32 hexadecimal digits, chosen by the caller.

import { randomBytes } from 'node:crypto';

export interface BlobInfo {
  id: string;
  /** When it became whole. */
  storedAtMs: number;
}

export interface Blobs {
  /** Stores the bytes. When it resolves they survive a power cut, and so does the name that leads to them. When it
   *  rejects, for a reason of its own or because `blocks` threw, nothing is left. Asks for the next block while the
   *  last one is being written, and holds no more than those two. Rejects with a `Fault`: `full` when there is no
   *  space, `fatal` when a sync failed (it is never tried again). */
  put(id: string, blocks: AsyncIterable<readonly Uint8Array[]>): Promise<void>;

  /** The bytes from `start` up to but not including `end`. Rejects with a `Fault` when there are fewer. */
  open(id: string, start: number, end: number): AsyncIterable<Buffer>;

  /** Removes a blob. One that is not there is not an error. */
  discard(id: string): Promise<void>;

  /** Every whole blob, in no order. One that is stored or discarded meanwhile may or may not be listed. */
  list(): AsyncIterable<BlobInfo>;

  close(): Promise<void>;
}

export function newBlobId(): string {
  return randomBytes(16).toString('hex');
}
