// Counts the commits whose page changes the writer sends to every thread, in memory that all of them share. A thread that
// has received the last one knows that its pages are up to date.

const lastSent = 0;
const isWatchedFlag = 1;

export class CommitCounter {
  readonly shared: SharedArrayBuffer;
  readonly #numbers: Int32Array;

  constructor(shared = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.shared = shared;
    this.#numbers = new Int32Array(shared);
  }

  /** Call it before reading a page that is to be cached: the writer then sends every commit that the page does not contain. */
  watch(): void {
    Atomics.store(this.#numbers, isWatchedFlag, 1);
  }

  get isWatched(): boolean {
    return Atomics.load(this.#numbers, isWatchedFlag) === 1;
  }

  /** The number of the last commit that was sent, or is about to be. */
  get last(): number {
    return Atomics.load(this.#numbers, lastSent);
  }

  /** For the writer: after a commit, and before any thread learns of it. */
  next(): number {
    return (Atomics.add(this.#numbers, lastSent, 1) + 1) | 0;
  }
}
