// Reads a secret from where it cannot be seen: an argument can be read by everyone on the machine.

import { readFileSync } from 'node:fs';

/** The first line of a file; `-` is standard input. Empty if there is none. */
export function readSecretFile(path: string): string {
  return readFileSync(path === '-' ? 0 : path, 'utf8').split(/\r?\n/)[0] ?? '';
}
