// `cabinet versions`: every state that a file has had, and bringing one back.

import { listVersions, restoreVersion, type Version } from '@cabinet/client';
import type { Command } from 'commander';
import { toSize } from '../size.ts';
import { toLocalTime, toTable } from '../table.ts';
import { UsageError } from './exit-codes.ts';
import { type CommandContext, type PersonOptions, perform, personCommand } from './perform.ts';
import { requireFile } from './remote.ts';

interface VersionsOptions extends PersonOptions {
  restore?: string;
}

interface Shown {
  Path: string;
  Versions: Version[];
}

export function registerVersions(program: Command): void {
  personCommand(program, 'versions <path>', 'list the versions of a file, newest first')
    .option('--restore <number>', 'make this version the newest again')
    .addHelpText(
      'after',
      '\nExamples:\n  cabinet versions /a.pdf\n  cabinet get --version 2 /a.pdf old.pdf\n  cabinet versions /a.pdf --restore 2',
    )
    .action((path: string, options: VersionsOptions) =>
      perform(options, { run: (context) => show(context, path, options), toLines }),
    );
}

async function show(context: CommandContext, path: string, { restore }: VersionsOptions): Promise<Shown> {
  const { cabinet, signal } = context;
  const { entry, path: Path } = await requireFile(context, path);
  if (restore !== undefined) await restoreVersion(cabinet, { id: entry.Id, version: toVersion(restore) }, { signal });
  return { Path, Versions: await Array.fromAsync(listVersions(cabinet, entry.Id, { signal })) };
}

export function toVersion(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`${JSON.stringify(text)} is not a version number. cabinet versions PATH lists them.`);
}

function toLines({ Versions }: Shown): string[] {
  return toTable(
    Versions.map(({ Version, Size, CreatedAt, CreatedBy, Comment }) => [
      String(Version),
      toSize(Size),
      toLocalTime(CreatedAt),
      CreatedBy,
      Comment ?? '',
    ]),
    [0, 1],
    ['VERSION', 'SIZE', 'SAVED', 'BY', 'COMMENT'],
  ).map((line) => line.trimEnd());
}
