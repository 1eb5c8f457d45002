// What an indexer's thread does all day, whatever the index is kept in: two loops, one that follows the catalog and one that
// has the text of documents read. It is told when there may be more, and looks by itself from time to time.

import { setImmediate as soon } from 'node:timers/promises';

/** A moment in which more changes gather: every transaction makes a piece of the index, and pieces have to be merged. */
const gatherMs = 100;
/** What is not announced (a full disk that has space again, say) is looked for. */
const lookAgainMs = 5000;

export interface IndexerWork {
  /** Takes in what comes next; false: there was no more, or it cannot be done now. */
  follow(): Promise<boolean>;
  /** Has the next document behind this one read, and resolves to where to go on; null: there is none, or it cannot be
   *  done now. */
  readNext(after: number): Promise<number | null>;
  /** What was announced up to now will be seen. */
  onTaken(): void;
}

export class IndexerLoops {
  readonly #work: IndexerWork;
  readonly #stopping = new AbortController();
  #wakeFollowing: () => void = () => undefined;
  #wakeReading: () => void = () => undefined;
  #endGathering: () => void = () => undefined;
  #hasMore = true;

  constructor(work: IndexerWork) {
    this.#work = work;
  }

  /** Aborted: what is under way should come to an end. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** There may be more. */
  wake(): void {
    this.#hasMore = true;
    this.#wakeFollowing();
  }

  stop(): void {
    this.#stopping.abort();
    this.#wakeFollowing();
    this.#wakeReading();
    this.#endGathering();
  }

  /** Resolves once both have come to an end; the first failure ends both. */
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
      this.#work.onTaken();
      while (!this.#isStopping && (await this.#work.follow())) {
        this.#wakeReading();
        await soon();
      }
      this.#wakeReading();
      if (!this.#hasMore) await this.#rest(lookAgainMs, (wake) => (this.#wakeFollowing = wake));
      await this.#rest(gatherMs, (wake) => (this.#endGathering = wake));
    }
    this.#wakeReading();
  }

  async #keepReading(): Promise<void> {
    let after = -1;
    while (!this.#isStopping) {
      const done = await this.#work.readNext(after);
      if (done === null) await this.#rest(lookAgainMs, (wake) => (this.#wakeReading = wake));
      else after = done;
      await soon();
    }
  }

  /** Until it is woken, or for a while. */
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
