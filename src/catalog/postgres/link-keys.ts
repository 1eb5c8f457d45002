// The key of the journal's links, as one of several nodes knows it. Another node may have added a newer one; that shows at the end of
// the chain, which nobody else changes while it is looked at.

import { type JournalKey, keyOfLink } from '../../domain/chain.ts';
import type { ChainEnd } from '../journal-keys.ts';

/** The newest key; null: the chain has none, as in earlier releases. */
export type ReadKey = (end: ChainEnd) => Promise<JournalKey | null>;

export class LinkKeys {
  readonly #read: ReadKey;
  #key: JournalKey | null = null;

  constructor(read: ReadKey = async () => null) {
    this.#read = read;
  }

  /** The key for the next link of a chain that ends there. */
  async after(end: ChainEnd): Promise<JournalKey | null> {
    if (this.#key === null || this.#key.id !== keyOfLink(end.link)) this.#key = await this.#read(end);
    return this.#key;
  }

  /** Another key was added. */
  forget(): void {
    this.#key = null;
  }
}
