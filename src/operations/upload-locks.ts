// Locks on uploads within the process: a newer request ends the older one and takes over. Also keeps the running digests of uploads
// in this thread, so that received bytes need not be read again.

import { LRUCache } from 'lru-cache';
import type { Upload } from '../catalog/verbs/uploads.ts';
import type { Hasher, StreamDigest } from './hasher.ts';

const maxDigests = 1000;
const keepDigestMs = 10 * 60 * 1000;

/** Ends the request that holds the upload and waits until it has stored what arrived. `end` will end the new holder. Returns the
 *  function that releases the upload. */
export type AcquireUpload = (id: string, end: () => void) => Promise<() => void>;

interface Holder {
  end(): void;
  released: Promise<void>;
}

/** One for the whole process. */
export class UploadLocks {
  readonly #holders = new Map<string, Holder>();

  async acquire(id: string, end: () => void): Promise<() => void> {
    for (let other = this.#holders.get(id); other !== undefined; other = this.#holders.get(id)) {
      other.end();
      await other.released;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#holders.set(id, { end, released: promise });
    return () => {
      this.#holders.delete(id);
      resolve();
    };
  }
}

export class ActiveUploads {
  readonly #acquire: AcquireUpload;
  /** Requests of this thread that hold an upload or wait for one. */
  readonly #requests = new Set<Promise<void>>();
  readonly #digests = new LRUCache<string, StreamDigest>({
    max: maxDigests,
    // An upload that resumes later, or in another process, is read again when it finishes.
    ttl: keepDigestMs,
    ttlAutopurge: true,
    dispose: (digest, _, reason) => (reason === 'delete' ? undefined : digest.drop()),
  });

  constructor(acquire: AcquireUpload) {
    this.#acquire = acquire;
  }

  async acquire(id: string, end: () => void): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#requests.add(promise);
    const forget = () => {
      this.#requests.delete(promise);
      resolve();
    };
    const release = await this.#acquire(id, end).catch((error) => {
      forget();
      throw error;
    });
    return () => {
      release();
      forget();
    };
  }

  /** Removes and returns the digest of the bytes received so far; null when this thread has none. The caller puts it back. */
  takeDigest({ id, sizeBytes }: Upload, hasher: Hasher): StreamDigest | null {
    const known = this.#digests.get(id) ?? null;
    this.#digests.delete(id);
    if (known?.sizeBytes === sizeBytes) return known;
    known?.drop();
    return sizeBytes === 0 ? hasher.begin() : null;
  }

  putDigest(id: string, digest: StreamDigest): void {
    this.#digests.set(id, digest);
  }

  /** Resolves when no request holds an upload or waits for one. */
  async settle(): Promise<void> {
    while (this.#requests.size > 0) await Promise.all(this.#requests);
  }
}
