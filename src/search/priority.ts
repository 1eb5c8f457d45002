// Threads that work in the background leave the processor to those that answer requests.

import { setPriority } from 'node:os';

const niceness = 10;

/** On Linux a priority belongs to a thread; elsewhere it would be that of the whole process, so it stays as it is. */
export function beNice(): void {
  if (process.platform === 'linux') setPriority(0, niceness);
}
