// PDFs of office documents, made by the converter that the operator configured: one at a time, in turns by who asks. Made ones are
// cached for each space, so that no answer is faster because another space has the same content.

import { LRUCache } from 'lru-cache';
import { DisposableCache } from '../runtime/disposable-cache.ts';
import { FairQueue, QueueFull } from '../runtime/fair-queue.ts';
import { Converter, type ConverterLimits } from './converter.ts';
import type { OfficeType } from './office-type.ts';

/** Larger documents are not converted: they would have to be held in memory. */
export const maxDocumentBytes = 64 * 1024 * 1024;

const maxWaiting = 20;
const maxSources = 200;
const maxKnownFailures = 10_000;
const keptMs = 7 * 24 * 60 * 60 * 1000;

export interface PreviewSource {
  space: number;
  sha256: Uint8Array;
  type: OfficeType;
  /** Reads all of it. */
  read(): Promise<Buffer>;
}

interface PreviewsOptions {
  folder: string;
  cacheBytes: number;
  converter: string;
  limits?: ConverterLimits;
}

export class Previews {
  readonly #queue = new FairQueue({ concurrency: 1, maxWaiting, maxSources });
  readonly #cache: DisposableCache;
  readonly #converter: Converter;
  readonly #underway = new Map<string, Promise<Buffer | null>>();
  readonly #failures = new LRUCache<string, true>({ max: maxKnownFailures });

  constructor({ folder, cacheBytes, converter, limits }: PreviewsOptions) {
    this.#cache = new DisposableCache(folder, cacheBytes);
    this.#converter = new Converter(converter, limits);
  }

  /** Null: the document cannot be converted. `by`: who takes turns. */
  async find(source: PreviewSource, by: string): Promise<Buffer | null | 'busy'> {
    const name = `${source.space}-${Buffer.from(source.sha256).toString('hex')}-${source.type}`;
    if (this.#failures.has(name)) return null;
    const cached = await this.#cache.read(name);
    if (cached !== null) return cached;
    let made = this.#underway.get(name);
    if (made === undefined) {
      made = this.#queue.run(by, () => this.#make(name, source)).finally(() => this.#underway.delete(name));
      this.#underway.set(name, made);
    }
    return await made.catch(toBusy);
  }

  async #make(name: string, { type, read }: PreviewSource): Promise<Buffer | null> {
    const converted = await this.#converter.convert(await read(), type);
    if (converted === 'unavailable') return null;
    if (converted.pdf === null) this.#failures.set(name, true);
    else await this.#cache.write(name, converted.pdf);
    return converted.pdf;
  }

  /** Previews of removed contents do not stay longer than this. */
  async deleteOld(now: number): Promise<void> {
    await this.#cache.deleteBefore(now - keptMs);
  }

  async close(): Promise<void> {
    await this.#converter.close();
  }
}

function toBusy(error: unknown): 'busy' {
  if (error instanceof QueueFull) return 'busy';
  throw error;
}
