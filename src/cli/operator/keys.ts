// `cabinet keys rotate`: new signing keys. What the old ones signed stays valid until it expires.

import type { Command } from 'commander';
import { type CommonOptions, common, runAndPrint } from './app.ts';

export function registerKeys(program: Command): void {
  const keys = program.command('keys').description('rotate the keys that sign tokens');
  common(keys.command('rotate').description('create new keys and sign with them from now on'))
    .option('--revoke-old', 'end all tokens and links that the old keys signed, at once')
    .action((options: CommonOptions) => runAndPrint('keys rotate', { ...options }, options));
}
