// `cabinet reset --env test`: empties the test environment, as if it had never been used.

import type { Command } from 'commander';
import { print, toPairs } from '../output.ts';
import { runCommand } from './run-command.ts';

export function registerReset(program: Command): void {
  program
    .command('reset')
    .description('empty the test environment: its contents, applications and keys')
    .requiredOption('--env <environment>', 'test; production refuses')
    .option('--json', 'print JSON')
    .action((options: { env: string; json?: boolean }) =>
      print(
        options,
        () => runCommand({ name: 'reset', input: { env: options.env } }),
        (made) => ['The environment is empty. It has a new application named first:', ...toPairs(made)],
      ),
    );
}
