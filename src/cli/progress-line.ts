// One line of a terminal, written over and over, that says how far something is.

const showEveryMs = 100;

export interface Told {
  step: string;
  done: number;
  of: number;
}

export class ProgressLine {
  readonly #isShown = process.stderr.isTTY === true;
  #shownAt = 0;

  show({ step, done, of }: Told): void {
    if (!this.#isShown || performance.now() - this.#shownAt < showEveryMs) return;
    this.#shownAt = performance.now();
    const percent = of === 0 ? 100 : Math.floor((done / of) * 100);
    process.stderr.write(`\r\x1b[K${step}, ${percent} %`);
  }

  end(): void {
    if (this.#isShown) process.stderr.write('\r\x1b[K');
  }
}

/** As a service tells it through its socket. */
export function toTold(told: object): Told {
  const { Step, Done, Of } = told as { Step: string; Done: number; Of: number };
  return { step: Step, done: Done, of: Of };
}
