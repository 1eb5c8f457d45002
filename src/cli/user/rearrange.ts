// What `mv` and `cp` share: the target is an existing folder or a new path.

import type { Entry, EntryDetails } from '@cabinet/client';
import type { Command } from 'commander';
import { toPrintable } from '../output.ts';
import { LocalError, UsageError } from './exit-codes.ts';
import { toLiteral } from './glob.ts';
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
import {
  findEntry,
  notFound,
  type RemoteEntry,
  requireAll,
  requireEntry,
  splitRemote,
  toRemotePath,
} from './remote.ts';

export interface Destination {
  parent: string;
  /** Keeps the name if undefined. */
  name: string | undefined;
  conflict: 'Fail' | 'Rename';
}

type Rearrange = (context: CommandContext, source: RemoteEntry, destination: Destination) => Promise<EntryDetails>;

interface RearrangeOptions extends PersonOptions {
  rename?: boolean;
}

interface RearrangeResult {
  Done: { From: string; To: string; Entry: Entry }[];
  Failed: Failure[];
}

export function registerRearrange(program: Command, name: 'mv' | 'cp', rearrange: Rearrange): void {
  const description = name === 'mv' ? 'move or rename files and folders' : 'copy files and folders';
  personCommand(program, `${name} <paths...>`, description)
    .usage('[options] FROM… TO')
    .option('--rename', 'find another name where one is taken: a (2).pdf')
    .addHelpText(
      'after',
      `\nTO is an existing folder, or the new path of the one FROM. Folders keep everything in them.\n\nExamples:\n  cabinet ${name} /a.pdf /b.pdf\n  cabinet ${name} "/*.pdf" /Invoices/`,
    )
    .action((words: string[], options: RearrangeOptions) =>
      perform(options, { run: (context) => rearrangeAll(context, words, { options, rearrange }), toLines }),
    );
}

interface RearrangeRequest {
  options: RearrangeOptions;
  rearrange: Rearrange;
}

async function rearrangeAll(
  context: CommandContext,
  words: string[],
  { options, rearrange }: RearrangeRequest,
): Promise<RearrangeResult> {
  const to = words.at(-1) as string;
  if (words.length < 2) throw new UsageError('Say what, and where to: FROM… TO.');
  const all = await requireAll(context, words.slice(0, -1));
  const destination = await toDestination(context, to, {
    isOne: all.length === 1,
    conflict: options.rename === true ? 'Rename' : 'Fail',
  });
  const done: RearrangeResult = { Done: [], Failed: [] };
  const errors: unknown[] = [];
  for (const source of all) {
    try {
      const { Entry, Path } = await rearrange(context, source, destination);
      done.Done.push({ From: source.path, To: Path, Entry });
    } catch (error) {
      context.signal.throwIfAborted();
      errors.push(error);
      done.Failed.push(toFailure(source.path, error));
    }
  }
  return throwSingleFailure(done, done.Done.length, errors);
}

async function toDestination(
  context: CommandContext,
  to: string,
  { isOne, conflict }: { isOne: boolean; conflict: Destination['conflict'] },
): Promise<Destination> {
  const there = await findEntry(context, to);
  if (there?.entry.Type === 'folder') return { parent: there.entry.Id, name: undefined, conflict };
  if (!isOne) throw new LocalError('NotAFolder', `${to} is not a folder; several things need one.`);
  if (to.startsWith('id:') || to.endsWith('/')) throw notFound(to);
  const { folder, name } = splitRemote(toRemotePath(toLiteral(to)));
  const parent = await requireEntry(context, `${folder}/`);
  return { parent: parent.entry.Id, name, conflict };
}

function toLines({ Done, Failed }: RearrangeResult): string[] {
  return [...Done.map(({ From, To }) => `${toPrintable(From)} → ${toPrintable(To)}`), ...toFailedLines(Failed)];
}
