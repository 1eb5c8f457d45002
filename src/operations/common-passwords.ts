// The list of common passwords that nobody can choose. It is read when the first password is set: most threads never need it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const file = join(import.meta.dirname, 'common-passwords.txt');
/** Ends the lines that name source and licence. */
const separator = '\n----\n';

let list: ReadonlySet<string> | null = null;

/** Upper and lower case are the same here, and what follows a common password (`1`, `!`, `2026`) does not help it. */
export function isCommonPassword(password: string): boolean {
  list ??= readList();
  const lowered = password.normalize('NFKC').toLowerCase();
  return (
    list.has(lowered) || list.has(lowered.replace(/\P{L}+$/u, '')) || list.has(lowered.replace(/[^\p{L}\p{N}]+$/u, ''))
  );
}

function readList(): ReadonlySet<string> {
  const text = readFileSync(file, 'utf8');
  return new Set(
    text
      .slice(text.indexOf(separator) + separator.length)
      .trimEnd()
      .split('\n'),
  );
}
