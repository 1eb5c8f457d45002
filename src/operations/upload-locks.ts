// Whose turn it is at an upload in this process: the newer request takes over, the older one ends. And the digests of uploads that
// are on their way in this thread, so that what has passed by need not be read again.

import { LRUCache } from 'lru-cache';
import type { Upload } from '../catalog/verbs/uploads.ts';
import type { Hasher, StreamDigest } from './hasher.ts';

const maxDigests = 1000;
const keepDigestMs = 10 * 60 * 1000;

/** Ends whoever is at the upload, and waits until it has kept what came. `end`: ends the request that enters now. Returns
 *  what must be called when it is done. */
export type AcquireUpload = (id: string, end: () => void) => Promise<() => void>;

interface Turn {
  end(): void;
  over: Promise<void>;
}

/** Of the whole process. */
export class UploadLocks {
  readonly #turns = new Map<string, Turn>();

  async acquire(id: string, end: () => void): Promise<() => void> {
    for (let other = this.#turns.get(id); other !== undefined; other = this.#turns.get(id)) {
      other.end();
      await other.over;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#turns.set(id, { end, over: promise });
    return () => {
      this.#turns.delete(id);
      resolve();
    };
  }
}

export class ActiveUploads {
  readonly #acquire: AcquireUpload;
  /** The requests of this thread that are at an upload, or wait for their turn. */
  readonly #entered = new Set<Promise<void>>();
  readonly #digests = new LRUCache<string, StreamDigest>({
    max: maxDigests,
    // Of an upload that goes on later, or elsewhere, the bytes are read once more in the end.
    ttl: keepDigestMs,
    ttlAutopurge: true,
    dispose: (digest, _, reason) => (reason === 'delete' ? undefined : digest.drop()),
  });

  constructor(acquire: AcquireUpload) {
    this.#acquire = acquire;
  }

  async acquire(id: string, end: () => void): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#entered.add(promise);
    const forget = () => {
      this.#entered.delete(promise);
      resolve();
    };
    const leave = await this.#acquire(id, end).catch((error) => {
      forget();
      throw error;
    });
    return () => {
      leave();
      forget();
    };
  }

  /** The digest of what has come so far; null: it is not known here. Whoever takes it puts it back. */
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

  /** Resolves when no request is at an upload any more, or wants to be. */
  async settle(): Promise<void> {
    while (this.#entered.size > 0) await Promise.all(this.#entered);
  }
}
