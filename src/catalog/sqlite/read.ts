// Runs read verbs on a connection of the calling thread, and keeps the results of those that declare a key until the next commit of
// any connection: SQLite itself says, in a fraction of the time of a read, whether there was one. What is kept was read from the same
// snapshot that a new read would see. Larger results are kept from the second read on: whoever reads everything once drives nothing
// out, and each of their results belongs to one reader, who can free it.

import { LRUCache } from 'lru-cache';
import { ownMemory } from '../../runtime/own-memory.ts';
import { requireRead } from '../catalog.ts';
import type { Connection } from './connection.ts';

const keptBytes = 8 * 1024 * 1024;
/** About what a result takes beside the bytes of a content. */
const recordBytes = 1024;
/** What is larger is not kept before it is read again. */
const keptAtOnceBytes = 8 * 1024;

export class Reader {
  readonly #connection: Connection;
  readonly #kept = new LRUCache<string, object>({ maxSize: keptBytes, sizeCalculation: toBytes });
  /** Larger results that were read and not kept, as many as there would be room for: reads of more than that in turns keep nothing. */
  readonly #seen = new LRUCache<string, number>({ maxSize: keptBytes, sizeCalculation: (bytes) => bytes });
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
      if (state !== this.#state) this.#forget(state);
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
    if (typeof found === 'object' && found !== null) this.#keep(key, found);
    return found;
  }

  #keep(key: string, found: object): void {
    const sizeBytes = toBytes(found);
    if (sizeBytes <= keptAtOnceBytes || this.#seen.has(key)) {
      this.#kept.set(key, found);
      return;
    }
    this.#seen.set(key, sizeBytes);
    const { bytes } = found as WithBytes;
    if (bytes) ownMemory(bytes);
  }

  #forget(state: number): void {
    this.#kept.clear();
    this.#seen.clear();
    this.#state = state;
  }

  close(): void {
    this.#connection.close();
  }
}

/** A content, among others. */
interface WithBytes {
  bytes?: Uint8Array | null;
}

function toBytes(result: object): number {
  const { bytes } = result as WithBytes;
  return recordBytes + (bytes?.byteLength ?? 0);
}
