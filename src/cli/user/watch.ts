// `cabinet watch`: tells every change as it happens, one a line, until Ctrl-C. With --json each line is an object as `GET /changes`
// gives it, with the path beside it.

import { CabinetError, type Change, type ChangesPage, followChanges, listTrash, showEntry } from '@cabinet/client';
import type { Command } from 'commander';
import { toPrintable } from '../output.ts';
import { Interrupted } from './exit-codes.ts';
import { type PersonOptions, perform, personCommand, type Running } from './perform.ts';
import { requireEntry } from './remote.ts';
import { toLocalTime } from './table.ts';

interface WatchOptions extends PersonOptions {
  since?: string;
}

export function registerWatch(program: Command): void {
  personCommand(program, 'watch [path]', 'tell every change as it happens, until Ctrl-C')
    .option('--since <cursor>', 'from here on; --json gives a Cursor with the changes. By default from now')
    .addHelpText('after', '\nExamples:\n  cabinet watch /Invoices\n  cabinet watch --json | jq -r .Path')
    .action((path: string | undefined, options: WatchOptions) =>
      perform(options, { run: (running) => watch(running, path ?? '/', options), toLines: () => [] }),
    );
}

async function watch(running: Running, path: string, { since, json }: WatchOptions): Promise<null> {
  const { cabinet, signal } = running;
  const top = await requireEntry(running, path);
  const from = since === undefined ? { from: 'now' as const } : { cursor: since };
  if (json !== true && process.stderr.isTTY === true) tellBeginning(top.path);
  const paths = new Map<string, string>([[top.entry.Id, top.path]]);
  try {
    for await (const page of followChanges(cabinet, { ...from, signal, onInterrupted: tellInterrupted })) {
      for await (const line of toWatchedLines(running, page, { top: top.path, paths, isJson: json === true })) {
        process.stdout.write(`${line}\n`);
      }
    }
  } catch (error) {
    // Ended by Ctrl-C, as it is meant to be.
    if (!(error instanceof Interrupted)) throw error;
  }
  return null;
}

interface Watched {
  top: string;
  paths: Map<string, string>;
  isJson: boolean;
}

async function* toWatchedLines(
  running: Running,
  page: ChangesPage,
  { top, paths, isJson }: Watched,
): AsyncGenerator<string> {
  for (const change of page.Changes) {
    const Path = await findPath(running, change, paths);
    if (!isBeneath(Path, top)) continue;
    // To go on after this change is to go on after its page: what is told twice then is better than what is not told.
    yield isJson ? JSON.stringify({ ...change, Path, Cursor: page.Cursor }) : toLine(change, Path);
  }
}

function tellInterrupted(): void {
  process.stderr.write('the service does not answer; it is asked again until it does\n');
}

function tellBeginning(path: string): void {
  process.stderr.write(`watching ${toPrintable(path)}; Ctrl-C ends it\n`);
}

/** Where it is, or was when it was last seen; null: nobody knows any more. What was trashed since its change is looked for there. */
async function findPath(running: Running, change: Change, paths: Map<string, string>): Promise<string | null> {
  const { EntryId, Entry, Trashed } = change;
  const isThere = Entry !== undefined && Trashed !== true && (await noteShown(running, EntryId, paths));
  if (!isThere && (Entry !== undefined || Trashed === true)) await noteTrashed(running, EntryId, paths);
  return paths.get(EntryId) ?? null;
}

/** Resolves to whether it is there. */
async function noteShown({ cabinet, signal }: Running, id: string, paths: Map<string, string>): Promise<boolean> {
  try {
    paths.set(id, (await showEntry(cabinet, id, { signal })).Path);
    return true;
  } catch (error) {
    if (error instanceof CabinetError && error.status === 404) return false;
    throw error;
  }
}

async function noteTrashed({ cabinet, signal }: Running, id: string, paths: Map<string, string>): Promise<void> {
  for await (const { Entry, Path } of listTrash(cabinet, { signal })) {
    if (Entry.Id !== id) continue;
    paths.set(id, Path);
    return;
  }
}

/** What nobody can place is told to who watches everything. */
function isBeneath(path: string | null, top: string): boolean {
  if (top === '/') return true;
  return path !== null && (path === top || path.startsWith(`${top}/`));
}

function toLine({ At, By, Action, Entry, EntryId }: Change, path: string | null): string {
  const shown = path ?? Entry?.Name ?? `id:${EntryId}`;
  return [toLocalTime(At), By, Action, toPrintable(shown)].join('  ');
}
