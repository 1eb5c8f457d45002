// A command of an operator, and who waits for its answer.

import type { Input } from './input.ts';

export interface Command {
  name: string;
  input: Input;
}

/** Whoever waits for the answer to a command. */
export interface Watcher {
  /** Something to tell before it is there. */
  progress(told: object): void;
  /** Nobody waits any more, or the answer is wanted now. */
  signal: AbortSignal;
}

/** Most answers are there at once. */
export const nobody: Watcher = { progress: () => undefined, signal: new AbortController().signal };
