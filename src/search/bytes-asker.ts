// Asks the main thread, where the blob store lives, for the bytes of blobs.

import { parentPort } from 'node:worker_threads';
import type { FromIndexer } from './indexer-host.ts';

type Bytes = Uint8Array<ArrayBuffer> | null;

export class BytesAsker {
  readonly #waiting = new Map<number, (bytes: Bytes) => void>();
  #asked = 0;
  #isClosed = false;

  /** Null: they cannot be had. */
  ask(blob: string, sizeBytes: number): Promise<Bytes> {
    if (this.#isClosed) return Promise.resolve(null);
    this.#asked += 1;
    const ask = this.#asked;
    return new Promise((resolve) => {
      this.#waiting.set(ask, resolve);
      parentPort?.postMessage({ ask, blob, sizeBytes } satisfies FromIndexer);
    });
  }

  receive({ answer, bytes }: { answer: number; bytes: Bytes }): void {
    this.#waiting.get(answer)?.(bytes);
    this.#waiting.delete(answer);
  }

  /** Whoever waits is told that there is nothing to be had. */
  close(): void {
    this.#isClosed = true;
    for (const resolve of this.#waiting.values()) resolve(null);
    this.#waiting.clear();
  }
}
