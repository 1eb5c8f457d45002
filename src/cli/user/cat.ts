// `cabinet cat`: the bytes of files, one after the other, to standard output.

import { pipeline } from 'node:stream/promises';
import { openFile } from '@cabinet/client';
import type { Command } from 'commander';
import { LocalError, UsageError } from './exit-codes.ts';
import { type CommandContext, type PersonOptions, perform, personCommand } from './perform.ts';
import { requireAll } from './remote.ts';
import { toVersion } from './versions.ts';

interface CatOptions extends PersonOptions {
  version?: string;
}

export function registerCat(program: Command): void {
  personCommand(program, 'cat <paths...>', 'write files to standard output')
    .option('--version <number>', 'read this version; for one file')
    .addHelpText('after', '\nExamples:\n  cabinet cat /notes.txt\n  cabinet cat "/Logs/*.log" | grep error')
    .action((paths: string[], options: CatOptions) =>
      perform(options, {
        run: (context) => writeToOutput(context, paths, options),
        toLines: () => [],
      }),
    );
}

/** Nothing but the bytes is written there, so --json has nothing to print. */
export async function writeToOutput(
  context: CommandContext,
  paths: readonly string[],
  { version: text, json }: CatOptions,
): Promise<null> {
  const { cabinet, signal } = context;
  if (json === true) throw new UsageError('Standard output takes the bytes of the file: remove --json.');
  const version = text === undefined ? undefined : toVersion(text);
  const all = await requireAll(context, paths);
  if (version !== undefined && all.length > 1) throw new UsageError('--version is for one file.');
  for (const { entry, path } of all) {
    if (entry.Type === 'folder') throw new LocalError('IsAFolder', `${path} is a folder. Name a file.`);
    const { stream } = await openFile(cabinet, entry.Id, { version, signal });
    await pipeline(stream, process.stdout, { end: false });
  }
  return null;
}
