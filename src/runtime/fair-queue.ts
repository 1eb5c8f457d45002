// Expensive work, a few at a time. Each source has a queue of its own, and the sources take turns: who asks for much waits behind
// itself only.

export class QueueFull extends Error {
  constructor() {
    super('too much of this work is waiting');
    this.name = 'QueueFull';
  }
}

interface FairQueueOptions {
  concurrency: number;
  /** Of one source. */
  maxWaiting: number;
  maxSources: number;
}

export class FairQueue {
  readonly #options: FairQueueOptions;
  /** In the order of their turns. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #running = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  async run<Result>(source: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#running < this.#options.concurrency) this.#running += 1;
    else await this.#wait(source);
    try {
      return await work();
    } finally {
      this.#passOn();
    }
  }

  #wait(source: string): Promise<void> {
    const queue = this.#waiting.get(source) ?? [];
    const isNew = queue.length === 0;
    if (queue.length >= this.#options.maxWaiting || (isNew && this.#waiting.size >= this.#options.maxSources)) {
      throw new QueueFull();
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    queue.push(resolve);
    if (isNew) this.#waiting.set(source, queue);
    return promise;
  }

  /** Hands the slot to the source whose turn it is, so that no newcomer overtakes it. */
  #passOn(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#running -= 1;
      return;
    }
    const [source, queue] = next;
    const start = queue.shift();
    this.#waiting.delete(source);
    if (queue.length > 0) this.#waiting.set(source, queue);
    start?.();
  }
}
