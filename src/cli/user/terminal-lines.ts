// Lines that the person types, while a command waits for something else too. Without a terminal there are none.

import { createInterface, type Interface } from 'node:readline';

export class TerminalLines implements Disposable {
  readonly isTerminal = process.stdin.isTTY === true;
  #lines: Interface | null = null;

  /** The next line that is not empty; never resolves without a terminal. */
  next(): Promise<string> {
    // Only now: a command that fails before leaves lines that were pasted with it to the shell.
    if (this.isTerminal) this.#lines ??= createInterface({ input: process.stdin });
    return new Promise((resolve) => {
      const listen = (line: string) => {
        if (line.trim() === '') return;
        this.#lines?.removeListener('line', listen);
        resolve(line.trim());
      };
      this.#lines?.on('line', listen);
    });
  }

  [Symbol.dispose](): void {
    this.#lines?.close();
  }
}
