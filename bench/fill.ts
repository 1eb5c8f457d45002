// Fills a catalog with very many entries while no service runs, with the catalog's own verbs, as fast as its writer commits.
// Names, times and sizes are in random order, so that neighbours in a listing did not arrive together.

import { hash, randomUUIDv7 } from 'node:crypto';
import { type Catalog, toCatalog } from '../src/catalog/catalog.ts';
import { openSqlite } from '../src/catalog/sqlite/sqlite.ts';
import type { Application } from './service.ts';

/** At most this many writes are in flight. */
const mostWaiting = 2048;
const largestSizeBytes = 256;
const longestAgoMs = 365 * 24 * 60 * 60 * 1000;

export type Filled = { id: string; name: string; sha256: string };

export class Filling {
  readonly root: string;
  readonly #catalog: Catalog;
  readonly #space: number;
  readonly #now = Date.now();
  readonly #noise = Buffer.from(Array.from({ length: largestSizeBytes }, () => Math.floor(256 * Math.random())));
  #entries = 0;
  #waiting = 0;
  #proceed: (() => void) | null = null;
  #failure: unknown = null;

  private constructor(catalog: Catalog, { space, root }: { space: number; root: string }) {
    this.#catalog = catalog;
    this.#space = space;
    this.root = root;
  }

  static async open(path: string, { AppKey }: Application): Promise<Filling> {
    const onFatal = (error: unknown) => {
      throw error;
    };
    const catalog = toCatalog(await openSqlite({ path, onFatal }));
    const access = (await catalog.findApplication({ appKey: AppKey }))?.access;
    if (!access) throw new Error('the application has no space');
    return new Filling(catalog, { space: access.space, root: access.rootId });
  }

  /** How many entries were added. */
  get entries(): number {
    return this.#entries;
  }

  /** Its children may be added at once: writes keep their order. */
  async addFolder(parent: string, name: string): Promise<string> {
    const id = randomUUIDv7();
    const fields = { id, name, nameKey: name, parent, objectType: null, properties: null };
    await this.#add(() => this.#catalog.createFolder({ ...fields, ...this.#origin(), conflict: 'Fail' }));
    return id;
  }

  /** Returns some of them, taken evenly. `first`: where the counting of names begins, in a folder that has some. */
  async addFiles(folder: string, count: number, returned = 0, first = 0): Promise<Filled[]> {
    const some: Filled[] = [];
    const every = returned === 0 ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(count / returned));
    for (let index = 0; index < count; index++) {
      const id = randomUUIDv7();
      const bytes = this.#makeBytes(id);
      const file = { id, name: toName(first + index), sha256: hash('sha256', bytes) };
      if (index % every === 0 && some.length < returned) some.push(file);
      await this.#add(() => this.#save(folder, file, bytes));
    }
    return some;
  }

  #makeBytes(id: string): Buffer {
    const sizeBytes = Math.floor(largestSizeBytes * Math.random() ** 2);
    return Buffer.concat([Buffer.from(id), this.#noise]).subarray(0, sizeBytes);
  }

  #save(folder: string, { id, name, sha256 }: Filled, bytes: Buffer): Promise<unknown> {
    const digest = Buffer.from(sha256, 'hex');
    const content = { sha256: digest, sizeBytes: bytes.length, bytes, blob: null, checksums: null };
    return this.#catalog.saveFile({
      ...this.#origin(),
      folder,
      id,
      name,
      nameKey: name,
      contentType: 'application/octet-stream',
      isContentTypeDeclared: false,
      objectType: null,
      properties: null,
      content,
      comment: null,
      keptVersions: null,
      conflict: 'Fail',
    });
  }

  #origin() {
    const at = this.#now - Math.floor(longestAgoMs * Math.random());
    return { space: this.#space, by: 'app:bench', at, request: randomUUIDv7(), idempotency: null };
  }

  async #add(write: () => Promise<unknown>): Promise<void> {
    if (this.#failure !== null) throw this.#failure;
    this.#entries += 1;
    this.#waiting += 1;
    const settle = () => {
      this.#waiting -= 1;
      if (this.#waiting <= mostWaiting / 2) this.#proceed?.();
    };
    write()
      .catch((error) => {
        this.#failure ??= error;
      })
      .finally(settle);
    if (this.#waiting >= mostWaiting) await this.#untilRoom();
  }

  #untilRoom(): Promise<void> {
    return new Promise((resolve) => {
      this.#proceed = resolve;
    });
  }

  async close(): Promise<void> {
    await this.#catalog.close();
    if (this.#failure !== null) throw this.#failure;
  }
}

/** Multiplying by an odd number permutes the 32-bit integers: names that come in no order. */
function toName(index: number): string {
  return `${(Math.imul(index, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0')}-filled.bin`;
}
