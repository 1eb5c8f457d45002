// `cabinet undelete`: what is in the trash, and bringing it back.

import { type Entry, listTrash, restoreEntry, type Trashed } from '@cabinet/client';
import type { Command } from 'commander';
import { toPrintable } from '../output.ts';
import { toLocalTime, toTable } from '../table.ts';
import { LocalError } from './exit-codes.ts';
import { toLiteral, toNamePattern } from './glob.ts';
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
import { requireEntry, toRemotePath } from './remote.ts';

interface UndeleteOptions extends PersonOptions {
  to?: string;
  rename?: boolean;
}

type UndeleteResult = { Trash: Trashed[] } | { Restored: { Path: string; Entry: Entry }[]; Failed: Failure[] };

export function registerUndelete(program: Command): void {
  personCommand(program, 'undelete [paths...]', 'restore from the trash; without a path, list it')
    .option('--to <folder>', 'restore into this folder instead of where it was')
    .option('--rename', 'choose another name if it is taken')
    .addHelpText(
      'after',
      '\nIf several entries were at this path, the one that was deleted last is restored; id:… names one of them.\n\n' +
        'Examples:\n  cabinet undelete\n  cabinet undelete /Invoices/a.pdf --to /Restored',
    )
    .action((paths: string[], options: UndeleteOptions) =>
      perform<UndeleteResult>(options, {
        run: (context) => (paths.length === 0 ? showTrash(context) : restoreAll(context, paths, options)),
        toLines,
      }),
    );
}

async function showTrash({ cabinet, signal }: CommandContext): Promise<{ Trash: Trashed[] }> {
  return { Trash: await Array.fromAsync(listTrash(cabinet, { signal })) };
}

async function restoreAll(context: CommandContext, paths: string[], options: UndeleteOptions): Promise<UndeleteResult> {
  const { cabinet, signal } = context;
  const { Trash } = await showTrash(context);
  const chosen = [...new Set(paths.flatMap((path) => choose(Trash, path)))];
  const folder =
    options.to === undefined ? undefined : await requireEntry(context, `${options.to.replace(/\/+$/, '')}/`);
  const conflict = options.rename === true ? 'Rename' : 'Fail';
  const Restored: { Path: string; Entry: Entry }[] = [];
  const Failed: Failure[] = [];
  const errors: unknown[] = [];
  for (const { Entry: entry, Path } of chosen) {
    try {
      const restored = await restoreEntry(cabinet, { id: entry.Id, parent: folder?.entry.Id, conflict }, { signal });
      Restored.push({ Path: restored.Path, Entry: restored.Entry });
    } catch (error) {
      signal.throwIfAborted();
      errors.push(error);
      Failed.push(toFailure(Path, error));
    }
  }
  return throwSingleFailure({ Restored, Failed }, Restored.length, errors);
}

/** A pattern selects all matches; a plain path the entry that was deleted last. */
function choose(trash: readonly Trashed[], word: string): Trashed[] {
  const byId = word.startsWith('id:') ? trash.filter(({ Entry }) => Entry.Id === word.slice(3)) : null;
  const plain = byId === null ? toRemotePath(toLiteral(word)) : '';
  const exact = byId ?? trash.filter(({ Path }) => Path.normalize('NFC') === plain.normalize('NFC'));
  if (exact.length > 0) return [exact.reduce((last, one) => (one.TrashedAt > last.TrashedAt ? one : last))];
  const pattern = toNamePattern(toRemotePath(word));
  const found = trash.filter(({ Path }) => pattern.test(Path.normalize('NFC')));
  if (found.length > 0) return found;
  throw new LocalError(
    'NotFound',
    `There is no ${word} in the trash. Without a path, cabinet undelete lists what is there.`,
  );
}

function toLines(result: UndeleteResult): string[] {
  if (!('Trash' in result)) {
    return [...result.Restored.map(({ Path }) => `restored ${toPrintable(Path)}`), ...toFailedLines(result.Failed)];
  }
  if (result.Trash.length === 0) return ['The trash is empty.'];
  return toTable(
    result.Trash.map(({ Path, TrashedAt, TrashedBy }) => [toLocalTime(TrashedAt), TrashedBy, Path]),
    [],
    ['DELETED', 'BY', 'PATH'],
  );
}
