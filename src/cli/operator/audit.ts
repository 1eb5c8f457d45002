// `cabinet audit verify`: whether the journal is what was written.

import type { Command } from 'commander';
import { print } from '../output.ts';
import { type CommonOptions, common } from './app.ts';
import { runCommand } from './run-command.ts';

interface Verified {
  Verified: boolean;
  Rows: number;
  SealedRows: number;
  Head: string;
  Anchored: { Heads: number; NewestAt: string | null } | null;
  Problems: { Position: number; Problem: string }[];
}

export function registerAudit(program: Command): void {
  const audit = program.command('audit').description('verify the journal of changes');
  common(
    audit
      .command('verify')
      .description('check the chain and the anchor; exit code 1 if anything was edited or removed'),
  )
    .option(
      '--expect <head>',
      'a Head that was printed before and stored elsewhere: shows whether the end of the journal was cut off',
    )
    .action((options: CommonOptions & { expect?: string }) => print(options, () => verify(options), toLines));
}

async function verify({ json: _, ...input }: CommonOptions & { expect?: string }): Promise<Verified> {
  const verified = (await runCommand({ name: 'audit verify', input })) as Verified;
  if (!verified.Verified) process.exitCode = 1;
  return verified;
}

function toLines({ Verified, Rows, SealedRows, Head, Anchored, Problems }: Verified): string[] {
  const problems = Problems.map(({ Position, Problem }) => `${Position}: ${Problem}`);
  const verdict = Verified ? 'The chain is whole.' : 'The journal is not what was written:';
  const newest = Anchored?.NewestAt ? `, the newest of ${Anchored.NewestAt}` : '';
  const anchored = Anchored === null ? [] : [`Anchored: ${Anchored.Heads} heads${newest}`];
  return [verdict, ...problems, `Rows: ${Rows} (${SealedRows} in sealed files)`, `Head: ${Head}`, ...anchored];
}
