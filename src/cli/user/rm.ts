// `cabinet rm`: into the trash, from where `cabinet undelete` brings it back; or for good.

import { deleteEntry } from '@cabinet/client';
import type { Command } from 'commander';
import { toPrintable } from '../output.ts';
import { LocalError } from './exit-codes.ts';
import {
  type CommandContext,
  type Failure,
  type PersonOptions,
  perform,
  personCommand,
  throwSingleFailure,
  toFailedLines,
  toFailure,
} from './perform.ts';
import { requireAll } from './remote.ts';

interface RmOptions extends PersonOptions {
  recursive?: boolean;
  permanent?: boolean;
}

interface Removed {
  Removed: { Path: string; Id: string }[];
  Failed: Failure[];
}

export function registerRm(program: Command): void {
  personCommand(program, 'rm <paths...>', 'move files and folders to the trash')
    .option('-r, --recursive', 'remove folders too, with everything in them')
    .option('--permanent', 'delete for good; this cannot be undone')
    .addHelpText('after', '\nExamples:\n  cabinet rm /a.pdf "/Old/*.tmp"\n  cabinet rm -r /Old')
    .action((paths: string[], options: RmOptions) =>
      perform(options, { run: (context) => remove(context, paths, options), toLines }),
    );
}

async function remove(context: CommandContext, paths: string[], options: RmOptions): Promise<Removed> {
  const { cabinet, signal } = context;
  const all = await requireAll(context, paths);
  const folder = all.find(({ entry }) => entry.Type === 'folder');
  if (folder !== undefined && options.recursive !== true) {
    throw new LocalError(
      'IsAFolder',
      `${folder.path} is a folder. Use --recursive to remove it with everything in it. Nothing was removed.`,
    );
  }
  const removed: Removed = { Removed: [], Failed: [] };
  const errors: unknown[] = [];
  for (const { entry, path } of all) {
    try {
      await deleteEntry(cabinet, { id: entry.Id, permanent: options.permanent }, { signal });
      removed.Removed.push({ Path: path, Id: entry.Id });
    } catch (error) {
      signal.throwIfAborted();
      errors.push(error);
      removed.Failed.push(toFailure(path, error));
    }
  }
  return throwSingleFailure(removed, removed.Removed.length, errors);
}

function toLines({ Removed, Failed }: Removed): string[] {
  return [...Removed.map(({ Path }) => `removed ${toPrintable(Path)}`), ...toFailedLines(Failed)];
}
