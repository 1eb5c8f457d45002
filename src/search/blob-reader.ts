// Reads blobs through the main thread, which has the blob store.

import { parentPort } from 'node:worker_threads';
import type { FromIndexer } from './indexer-host.ts';

type Bytes = Uint8Array<ArrayBuffer> | null;

export class BlobReader {
  readonly #pending = new Map<number, (bytes: Bytes) => void>();
  #lastId = 0;
  #isClosed = false;

  /** Null when the bytes are not available. */
  read(blob: string, sizeBytes: number): Promise<Bytes> {
    if (this.#isClosed) return Promise.resolve(null);
    this.#lastId += 1;
    const read = this.#lastId;
    return new Promise((resolve) => {
      this.#pending.set(read, resolve);
      parentPort?.postMessage({ read, blob, sizeBytes } satisfies FromIndexer);
    });
  }

  receive({ reply, bytes }: { reply: number; bytes: Bytes }): void {
    this.#pending.get(reply)?.(bytes);
    this.#pending.delete(reply);
  }

  /** Pending reads resolve to null. */
  close(): void {
    this.#isClosed = true;
    for (const resolve of this.#pending.values()) resolve(null);
    this.#pending.clear();
  }
}
