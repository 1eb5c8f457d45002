// A progress line that is redrawn on a terminal.

const showEveryMs = 100;

interface ProgressStep {
  step: string;
  done: number;
  of: number;
}

export class ProgressLine {
  readonly #isShown = process.stderr.isTTY === true;
  readonly #label: string;
  #shownAt = 0;

  /** `label` precedes each step. */
  constructor(label = '') {
    this.#label = label === '' ? '' : `${label}: `;
  }

  show({ step, done, of }: ProgressStep): void {
    if (!this.#isShown || (done < of && performance.now() - this.#shownAt < showEveryMs)) return;
    this.#shownAt = performance.now();
    const percent = of === 0 ? 100 : Math.floor((done / of) * 100);
    process.stderr.write(`\r\x1b[K${this.#label}${step}, ${percent} %`);
  }

  end(): void {
    if (this.#isShown) process.stderr.write('\r\x1b[K');
  }
}

/** A progress message from the control socket. */
export function toProgressStep(message: object): ProgressStep {
  const { Step, Done, Of } = message as { Step: string; Done: number; Of: number };
  return { step: Step, done: Done, of: Of };
}
