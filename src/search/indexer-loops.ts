// The two loops of an indexer thread, the same for both engines: one follows the catalog, the other extracts the text of documents.
// They run when they are notified, and poll from time to time.

import { setImmediate as soon } from 'node:timers/promises';

/** Collects changes before a transaction: each one adds a segment to the index, and segments have to be merged. */
const collectMs = 100;
/** Finds what is not announced, such as a full disk that has space again. */
const pollMs = 5000;

interface IndexerWork {
  /** Indexes the next changes; false when there were none, or indexing is not possible now. */
  follow(): Promise<boolean>;
  /** Extracts the next document after this one. Resolves to where to continue; null when there is none, or extracting is not
   *  possible now. */
  readNext(after: number): Promise<number | null>;
  /** Everything announced so far will be indexed. */
  onReceived(): void;
}

export class IndexerLoops {
  readonly #work: IndexerWork;
  readonly #stopping = new AbortController();
  #wakeFollowing: () => void = () => undefined;
  #wakeReading: () => void = () => undefined;
  #endCollecting: () => void = () => undefined;
  #hasMore = true;

  constructor(work: IndexerWork) {
    this.#work = work;
  }

  /** Aborted when running work should end. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** There may be more changes. */
  wake(): void {
    this.#hasMore = true;
    this.#wakeFollowing();
  }

  stop(): void {
    this.#stopping.abort();
    this.#wakeFollowing();
    this.#wakeReading();
    this.#endCollecting();
  }

  /** Resolves when both loops have ended; the first failure ends both. */
  async run(): Promise<void> {
    const loops = [this.#keepFollowing(), this.#keepReading()];
    try {
      await Promise.all(loops);
    } finally {
      this.stop();
      await Promise.allSettled(loops);
    }
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #keepFollowing(): Promise<void> {
    while (!this.#isStopping) {
      this.#hasMore = false;
      this.#work.onReceived();
      while (!this.#isStopping && (await this.#work.follow())) {
        this.#wakeReading();
        await soon();
      }
      this.#wakeReading();
      if (!this.#hasMore) await this.#rest(pollMs, (wake) => (this.#wakeFollowing = wake));
      await this.#rest(collectMs, (wake) => (this.#endCollecting = wake));
    }
    this.#wakeReading();
  }

  async #keepReading(): Promise<void> {
    let after = -1;
    while (!this.#isStopping) {
      const done = await this.#work.readNext(after);
      if (done === null) await this.#rest(pollMs, (wake) => (this.#wakeReading = wake));
      else after = done;
      await soon();
    }
  }

  /** Waits until it is woken, or for this long. */
  #rest(ms: number, onWake: (wake: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#isStopping ? 0 : ms);
      onWake(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
