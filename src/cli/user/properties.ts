// Properties as words of a command: `Year=2026`.

import { UsageError } from './exit-codes.ts';

export function toProperties(words: readonly string[] | undefined): Record<string, string> | undefined {
  if (words === undefined) return undefined;
  const pairs = words.map((word) => {
    const [, key, value] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
    if (key === undefined || value === undefined) throw new UsageError(`--property ${word}: use KEY=VALUE.`);
    return [key, value] as const;
  });
  return Object.fromEntries(pairs);
}
