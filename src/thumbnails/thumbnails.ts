// Small pictures of files. They are made in processes of their own, because decoders read untrusted bytes: a few at a time, in turns by
// who asks, with limits of time and memory. Made ones are cached for each space, so that no answer is faster because another space
// has the same content.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { ThumbnailSize } from '../domain/thumbnail-size.ts';
import { DisposableCache } from '../runtime/disposable-cache.ts';
import { FairQueue } from '../runtime/fair-queue.ts';
import { GuardedProcess } from '../runtime/guarded-process.ts';
import type { FromRenderer, SourceKind, ToRenderer } from './renderer-process.ts';

/** Larger files have no thumbnail: they would have to be held in memory. */
export const maxSourceBytes = 64 * 1024 * 1024;

const rendererProgram = join(import.meta.dirname, './renderer-process.ts');
const timeoutMs = 30_000;
const maxMemoryBytes = 768 * 1024 * 1024;
const maxWaiting = 500;
const maxSources = 1000;
const maxKnownFailures = 10_000;
const keptMs = 7 * 24 * 60 * 60 * 1000;

const pictureTypes = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif', 'image/tiff']);

/** Null: files of this type have no thumbnail. SVG has none: it is a program for its reader. */
export function toSourceKind(contentType: string): SourceKind | null {
  const essence = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (pictureTypes.has(essence)) return 'picture';
  return essence === 'application/pdf' ? 'pdf' : null;
}

export interface ThumbnailSource {
  space: number;
  sha256: Uint8Array;
  kind: SourceKind;
  /** Reads all of it. */
  read(): Promise<Buffer>;
}

interface ThumbnailsOptions {
  folder: string;
  cacheBytes: number;
  processes: number;
}

export class Thumbnails {
  readonly #queue: FairQueue;
  readonly #idle: GuardedProcess<ToRenderer, FromRenderer>[];
  readonly #cache: DisposableCache;
  readonly #underway = new Map<string, Promise<Buffer | null>>();
  readonly #failures = new LRUCache<string, true>({ max: maxKnownFailures });
  readonly #processes: readonly GuardedProcess<ToRenderer, FromRenderer>[];

  constructor({ folder, cacheBytes, processes }: ThumbnailsOptions) {
    this.#cache = new DisposableCache(folder, cacheBytes);
    this.#queue = new FairQueue({ concurrency: processes, maxWaiting, maxSources });
    const options = { program: rendererProgram, limits: { timeoutMs, maxMemoryBytes } };
    this.#processes = Array.from({ length: processes }, () => new GuardedProcess(options));
    this.#idle = [...this.#processes];
  }

  /** WebP; null: the file cannot be shown. Rejects with `QueueFull` if too much is waiting. `by`: who takes turns. */
  async find(source: ThumbnailSource, size: ThumbnailSize, by: string): Promise<Buffer | null> {
    if (!isAvailable()) return null;
    const name = `${source.space}-${Buffer.from(source.sha256).toString('hex')}-${size}`;
    if (this.#failures.has(name)) return null;
    const cached = await this.#cache.read(name);
    if (cached !== null) return cached;
    let made = this.#underway.get(name);
    if (made === undefined) {
      made = this.#queue.run(by, () => this.#make(name, source, size)).finally(() => this.#underway.delete(name));
      this.#underway.set(name, made);
    }
    return await made;
  }

  async #make(name: string, source: ThumbnailSource, size: ThumbnailSize): Promise<Buffer | null> {
    const renderer = this.#idle.pop();
    if (renderer === undefined) throw new Error('more thumbnails are made at once than there are processes');
    try {
      const result = await renderer.run({ bytes: await source.read(), kind: source.kind, size });
      const image = result.reply?.image ?? null;
      if (image === null) {
        const isInterrupted = result.reply === null && result.ended === 'stopped';
        if (!isInterrupted) this.#failures.set(name, true);
        return null;
      }
      await this.#cache.write(name, image);
      return Buffer.from(image);
    } finally {
      this.#idle.push(renderer);
    }
  }

  /** Thumbnails of removed contents do not stay longer than this. */
  async deleteOld(now: number): Promise<void> {
    await this.#cache.deleteBefore(now - keptMs);
  }

  async close(): Promise<void> {
    await Promise.all(this.#processes.map((one) => one.close()));
  }
}

let available: boolean | null = null;

/** Whether the optional packages are installed. */
function isAvailable(): boolean {
  if (available === null) {
    const { resolve } = createRequire(import.meta.url);
    try {
      resolve('sharp');
      available = true;
    } catch {
      available = false;
    }
  }
  return available;
}
