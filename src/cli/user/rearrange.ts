// What `mv` and `cp` have in common: into a folder that is there, or to another name.

import type { Entry, EntryDetails } from '@cabinet/client';
import type { Command } from 'commander';
import { toPrintable } from '../output.ts';
import { LocalProblem, WrongUse } from './exit-codes.ts';
import { toLiteral } from './glob.ts';
import {
  type Failure,
  type PersonOptions,
  perform,
  personCommand,
  type Running,
  settle,
  toFailedLines,
  toFailure,
} from './perform.ts';
import { type Found, lookUp, notThere, requireAll, requireEntry, splitRemote, toRemotePath } from './remote.ts';

export interface Place {
  parent: string;
  /** Undefined: the name stays. */
  name: string | undefined;
  conflict: 'Fail' | 'Rename';
}

export type Rearrange = (running: Running, what: Found, place: Place) => Promise<EntryDetails>;

interface RearrangeOptions extends PersonOptions {
  rename?: boolean;
}

interface Rearranged {
  Done: { From: string; To: string; Entry: Entry }[];
  Failed: Failure[];
}

export function registerRearrange(program: Command, name: 'mv' | 'cp', rearrange: Rearrange): void {
  const description =
    name === 'mv'
      ? 'move or rename entries, folders with all beneath them'
      : 'copy entries, folders with all beneath them';
  personCommand(program, `${name} <words...>`, description)
    .usage('[options] FROM… TO')
    .option('--rename', 'find another name where one is taken: a (2).pdf')
    .addHelpText(
      'after',
      `\nTO is a folder that is there, or the new path of the one FROM.\n\nExamples:\n  cabinet ${name} /a.pdf /b.pdf\n  cabinet ${name} "/*.pdf" /Invoices/`,
    )
    .action((words: string[], options: RearrangeOptions) =>
      perform(options, { run: (running) => rearrangeAll(running, words, { options, rearrange }), toLines }),
    );
}

interface Asked {
  options: RearrangeOptions;
  rearrange: Rearrange;
}

async function rearrangeAll(running: Running, words: string[], { options, rearrange }: Asked): Promise<Rearranged> {
  const to = words.at(-1) as string;
  if (words.length < 2) throw new WrongUse('Say what, and where to: FROM… TO.');
  const all = await requireAll(running, words.slice(0, -1));
  const place = await toPlace(running, to, {
    isOne: all.length === 1,
    conflict: options.rename === true ? 'Rename' : 'Fail',
  });
  const done: Rearranged = { Done: [], Failed: [] };
  const errors: unknown[] = [];
  for (const what of all) {
    try {
      const { Entry, Path } = await rearrange(running, what, place);
      done.Done.push({ From: what.path, To: Path, Entry });
    } catch (error) {
      running.signal.throwIfAborted();
      errors.push(error);
      done.Failed.push(toFailure(what.path, error));
    }
  }
  return settle(done, done.Done.length, errors);
}

async function toPlace(
  running: Running,
  to: string,
  { isOne, conflict }: { isOne: boolean; conflict: Place['conflict'] },
): Promise<Place> {
  const there = await lookUp(running, to);
  if (there?.entry.Type === 'folder') return { parent: there.entry.Id, name: undefined, conflict };
  if (!isOne) throw new LocalProblem('NotAFolder', `${to} is not a folder; several things need one.`);
  if (to.startsWith('id:') || to.endsWith('/')) throw notThere(to);
  const { folder, name } = splitRemote(toRemotePath(toLiteral(to)));
  const parent = await requireEntry(running, `${folder}/`);
  return { parent: parent.entry.Id, name, conflict };
}

function toLines({ Done, Failed }: Rearranged): string[] {
  return [...Done.map(({ From, To }) => `${toPrintable(From)} → ${toPrintable(To)}`), ...toFailedLines(Failed)];
}
