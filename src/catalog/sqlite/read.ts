// Runs read verbs on a connection of the calling thread, and keeps the results of those that declare a key until the next commit of
// any connection: SQLite itself says, in a fraction of the time of a read, whether there was one. What is kept was read from the same
// snapshot that a new read would see.

import { LRUCache } from 'lru-cache';
import { requireRead } from '../catalog.ts';
import type { Connection } from './connection.ts';

const keptBytes = 8 * 1024 * 1024;
/** About what a result takes beside the bytes of a content. */
const recordBytes = 1024;

export class Reader {
  readonly #connection: Connection;
  readonly #kept = new LRUCache<string, object>({ maxSize: keptBytes, sizeCalculation: toBytes });
  /** The state of the catalog that the kept results are of. */
  #state = -1;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  read<Input, Result>(name: string, input: Input): Promise<Result> {
    try {
      const verb = requireRead(name);
      const { key } = verb;
      if (key === null) return Promise.resolve(this.#connection.read(verb(input)) as Result);
      const state = this.#connection.readState();
      if (state !== this.#state) this.#kept.clear();
      this.#state = state;
      return Promise.resolve(
        this.#readKept(`${name} ${key(input)}`, () => this.#connection.read(verb(input))) as Result,
      );
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #readKept(key: string, read: () => unknown): unknown {
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const found = read();
    if (typeof found === 'object' && found !== null) this.#kept.set(key, found);
    return found;
  }

  close(): void {
    this.#connection.close();
  }
}

function toBytes(result: object): number {
  const { bytes } = result as { bytes?: Uint8Array | null };
  return recordBytes + (bytes?.byteLength ?? 0);
}
