// `cabinet keys rotate`: new signing keys. What the old ones signed stays valid until it expires.

import type { Command } from 'commander';
import { type CommonOptions, common, runAndPrint } from './app.ts';

export function registerKeys(program: Command): void {
  const keys = program.command('keys').description('rotate the keys that sign tokens');
  common(keys.command('rotate').description('sign with a new key from now on'))
    .option('--revoke-old', 'end everything that the old keys signed, at once')
    .action((options: CommonOptions) => runAndPrint('keys rotate', { ...options }, options));
}
