// `cabinet watch`: prints every change as it happens, one per line, until Ctrl-C. With --json each line is an object as `GET /changes`
// gives it, with the path beside it.

import { CabinetError, type Change, type ChangesPage, followChanges, listTrash, showEntry } from '@cabinet/client';
import type { Command } from 'commander';
import { toPrintable } from '../output.ts';
import { toLocalTime } from '../table.ts';
import { Interrupted } from './exit-codes.ts';
import { type CommandContext, type PersonOptions, perform, personCommand } from './perform.ts';
import { requireEntry } from './remote.ts';

interface WatchOptions extends PersonOptions {
  since?: string;
}

export function registerWatch(program: Command): void {
  personCommand(program, 'watch [path]', 'print changes as they happen, until Ctrl-C')
    .option('--since <cursor>', 'begin after this Cursor, which --json prints with each change; by default begin now')
    .addHelpText('after', '\nExamples:\n  cabinet watch /Invoices\n  cabinet watch --json | jq -r .Path')
    .action((path: string | undefined, options: WatchOptions) =>
      perform(options, { run: (context) => watch(context, path ?? '/', options), toLines: () => [] }),
    );
}

async function watch(context: CommandContext, path: string, { since, json }: WatchOptions): Promise<null> {
  const { cabinet, signal } = context;
  const top = await requireEntry(context, path);
  const from = since === undefined ? { from: 'now' as const } : { cursor: since };
  if (json !== true && process.stderr.isTTY === true) announce(top.path);
  const paths = new Map<string, string>([[top.entry.Id, top.path]]);
  try {
    for await (const page of followChanges(cabinet, { ...from, signal, onInterrupted: warnInterrupted })) {
      for await (const line of toOutputLines(context, page, { top: top.path, paths, isJson: json === true })) {
        process.stdout.write(`${line}\n`);
      }
    }
  } catch (error) {
    // Ended by Ctrl-C, as it is meant to be.
    if (!(error instanceof Interrupted)) throw error;
  }
  return null;
}

interface WatchOutput {
  top: string;
  paths: Map<string, string>;
  isJson: boolean;
}

async function* toOutputLines(
  context: CommandContext,
  page: ChangesPage,
  { top, paths, isJson }: WatchOutput,
): AsyncGenerator<string> {
  for (const change of page.Changes) {
    const Path = await findPath(context, change, paths);
    if (!isBeneath(Path, top)) continue;
    // The cursor is that of the page: resuming may repeat changes, but never skips one.
    yield isJson ? JSON.stringify({ ...change, Path, Cursor: page.Cursor }) : toLine(change, Path);
  }
}

function warnInterrupted(): void {
  process.stderr.write('The service does not answer; retrying.\n');
}

function announce(path: string): void {
  process.stderr.write(`Watching ${toPrintable(path)}. Press Ctrl-C to stop.\n`);
}

/** The current or last known path; null if unknown. An entry that was trashed since the change is looked up in the trash. */
async function findPath(context: CommandContext, change: Change, paths: Map<string, string>): Promise<string | null> {
  const { EntryId, Entry, Trashed } = change;
  const isThere = Entry !== undefined && Trashed !== true && (await noteShown(context, EntryId, paths));
  if (!isThere && (Entry !== undefined || Trashed === true)) await noteTrashed(context, EntryId, paths);
  return paths.get(EntryId) ?? null;
}

/** Resolves to whether it is there. */
async function noteShown(
  { cabinet, signal }: CommandContext,
  id: string,
  paths: Map<string, string>,
): Promise<boolean> {
  try {
    paths.set(id, (await showEntry(cabinet, id, { signal })).Path);
    return true;
  } catch (error) {
    if (error instanceof CabinetError && error.status === 404) return false;
    throw error;
  }
}

async function noteTrashed({ cabinet, signal }: CommandContext, id: string, paths: Map<string, string>): Promise<void> {
  for await (const { Entry, Path } of listTrash(cabinet, { signal })) {
    if (Entry.Id !== id) continue;
    paths.set(id, Path);
    return;
  }
}

/** A change whose path is unknown is shown only when watching the root. */
function isBeneath(path: string | null, top: string): boolean {
  if (top === '/') return true;
  return path !== null && (path === top || path.startsWith(`${top}/`));
}

function toLine({ At, By, Action, Entry, EntryId }: Change, path: string | null): string {
  const shown = path ?? Entry?.Name ?? `id:${EntryId}`;
  return [toLocalTime(At), By, Action, toPrintable(shown)].join('  ');
}
