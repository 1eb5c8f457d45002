// The contract of a blob store: everything that is bytes too large for the catalog. Whoever calls it counts, hashes and
// limits; an engine only keeps bytes.
//
// A blob is written once under a new id and never changed. Ids are 32 hexadecimal digits, chosen by the caller.

import { randomBytes } from 'node:crypto';

/** What one read gives, and what one checksum covers. */
export const chunkBytes = 1024 * 1024;

export interface BlobInfo {
  id: string;
  /** When it became whole. */
  storedAtMs: number;
}

export interface Blobs {
  /** Stores the bytes. When it resolves they survive a power cut, and so does the name that leads to them. When it
   *  rejects, for a reason of its own or because `blocks` threw, nothing is left. Asks for the next block while the
   *  last one is being written, and looks at no older one again: its memory may be gone. Rejects with a `Fault`: `full` when there is no
   *  space, `fatal` when a sync failed (it is never tried again). */
  put(id: string, blocks: AsyncIterable<readonly Uint8Array[]>): Promise<void>;

  /** The bytes from `start` up to but not including `end`, in chunks of `chunkBytes` (the last may be shorter). Rejects
   *  with a `Fault` when there are fewer. A chunk's memory is used again: it is valid until the next but one is asked
   *  for. */
  open(id: string, start: number, end: number): AsyncIterable<Buffer>;

  /** Removes a blob. One that is not there is not an error. */
  discard(id: string): Promise<void>;

  /** Every whole blob, in no order. One that is stored or discarded meanwhile may or may not be listed. */
  list(): AsyncIterable<BlobInfo>;

  /** Lets go of what uploads have left that were begun before that time and never became whole; only engines that can
   *  have such have this. `choose` is told the ids of their blobs and returns those that nobody is writing any more. */
  tidy?(beforeMs: number, choose: (ids: string[]) => Promise<string[]>): Promise<void>;

  close(): Promise<void>;
}

export function newBlobId(): string {
  return randomBytes(16).toString('hex');
}
