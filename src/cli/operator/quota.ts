// `cabinet quota …`: storage and request limits of spaces, applications and users.

import type { Command } from 'commander';
import { print } from '../output.ts';
import { type CommonOptions, common, runAndPrint } from './app.ts';
import { runCommand } from './run-command.ts';

interface SetOptions extends CommonOptions {
  space?: string;
  app?: string;
  user?: string;
  bytes?: string;
  entries?: string;
  requests?: string;
}

export function registerQuota(program: Command): void {
  const quota = program.command('quota').description('manage quotas and request limits');
  common(quota.command('set').description('limit a space, or an application or a person in it'))
    .option('--space <name>', 'the space')
    .option('--app <app>', 'what an application does for itself, by AppKey or name')
    .option('--user <user>', 'what a person does in the space')
    .option('--bytes <bytes>', 'bytes of all versions, the trash included: a number, 10GiB, or none')
    .option('--entries <number>', 'folders and files, the trash included; or none')
    .option('--requests <number>', 'requests per second; or none')
    .action((options: SetOptions) => runAndPrint('quota set', { ...options }, options));
  common(quota.command('show').description('show the usage and the quotas of spaces'))
    .option('--space <name>', 'only this space')
    .action((options: CommonOptions & { space?: string }) => {
      const { json: _, ...input } = options;
      return print(options, () => runCommand({ name: 'quota show', input }), toTable);
    });
}

function toTable(result: object): string[] {
  const { Quotas } = result as { Quotas: Record<string, string | number | null>[] };
  const head = ['space', 'actor', 'entries', 'of', 'bytes', 'of', 'requests/s'];
  const lines = Quotas.map((quota) => [
    quota.Space,
    quota.Actor ?? '(all)',
    quota.Entries,
    quota.MostEntries ?? 'unlimited',
    quota.Bytes,
    quota.MostBytes ?? 'unlimited',
    quota.MostRequestsPerSecond ?? 'unlimited',
  ]);
  return [head, ...lines].map((words) => words.join('\t'));
}
