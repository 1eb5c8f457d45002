// `cabinet get REMOTE… [LOCAL]`: files and whole folders down; `-` is standard output.

import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { openFile } from '@cabinet/client';
import type { Command } from 'commander';
import { toPrintable } from '../output.ts';
import {
  type DownloadPlan,
  emptyDownload,
  type FetchResult,
  fetchAll,
  isLocalFolder,
  planDownload,
} from './downloading.ts';
import { LocalError, UsageError } from './exit-codes.ts';
import { checkLocalName } from './local-files.ts';
import { type CommandContext, perform, personCommand, toFailedLines } from './perform.ts';
import { toSize } from './progress-line.ts';
import { type RemoteEntry, requireAll } from './remote.ts';
import {
  fail,
  notALocalFolder,
  openTransfers,
  type TransferOptions,
  type Transfers,
  type TransferTotals,
  throwIfOnlyFailure,
} from './transfers.ts';
import { toVersion } from './versions.ts';

interface GetOptions extends TransferOptions {
  version?: string;
}

interface GetResult extends TransferTotals {
  Fetched: { Path: string; To: string; Size: number }[];
}

export function registerGet(program: Command): void {
  personCommand(program, 'get <words...>', 'fetch files and folders')
    .usage('[options] REMOTE… [LOCAL]')
    .option('--version <number>', 'this version of one file')
    .option('--parallel <number>', 'how many at a time', '16')
    .option('-q, --quiet', 'show no progress')
    .option('-v, --verbose', 'a line for each file')
    .addHelpText(
      'after',
      '\nWith several words the last one is LOCAL: a folder that is there, or the new name of the one REMOTE; - is standard output.\n' +
        'With one word, it goes into the current folder. What is here with the same bytes is left as it is; a file that\n' +
        'differs is replaced. Broken off, the same command goes on where it was.\n\n' +
        'Examples:\n  cabinet get /Invoices/a.pdf\n  cabinet get "/Invoices/*.pdf" /Photos backup\n  cabinet get /Backups/shop.sql - | psql shop',
    )
    .action((words: string[], options: GetOptions) =>
      words.at(-1) === '-' && words.length > 1
        ? perform(options, { run: (context) => getToOutput(context, words, options), toLines: () => [] })
        : perform(options, { run: (context) => get(context, words, options), toLines: (got) => toLines(got, options) }),
    );
}

/** Nothing but the bytes is written there, so --json has nothing to say. */
async function getToOutput(context: CommandContext, words: string[], options: GetOptions): Promise<null> {
  const { cabinet, signal } = context;
  if (options.json === true) throw new UsageError('Standard output is for the bytes: leave --json away.');
  const version = options.version === undefined ? undefined : toVersion(options.version);
  for (const { entry, path } of await requireAll(context, words.slice(0, -1))) {
    if (entry.Type === 'folder') throw new LocalError('IsAFolder', `${path} is a folder; standard output takes files.`);
    const { stream } = await openFile(cabinet, entry.Id, { version, signal });
    await pipeline(stream, process.stdout, { end: false });
  }
  return null;
}

async function get(context: CommandContext, words: string[], options: GetOptions): Promise<GetResult> {
  const [remotes, local] = words.length === 1 ? [words, '.'] : [words.slice(0, -1), words.at(-1) as string];
  const transfers = openTransfers(context, options, 'get');
  try {
    const all = await requireAll(context, remotes);
    const version = options.version === undefined ? undefined : toVersion(options.version);
    if (version !== undefined && (all.length > 1 || all[0]?.entry.Type !== 'file')) {
      throw new UsageError('--version goes with one file.');
    }
    const plan = await toPlan(transfers, all, local);
    const files = plan.files.map((file) => ({ ...file, version }));
    const fetched = await fetchAll(transfers, { ...plan, files });
    throwIfOnlyFailure(transfers, fetched.fetched.length + fetched.unchanged + plan.folders.length);
    return toResult(transfers, plan, fetched);
  } finally {
    transfers.progress.close();
  }
}

async function toPlan(transfers: Transfers, all: readonly RemoteEntry[], local: string): Promise<DownloadPlan> {
  const plan = emptyDownload();
  const stats = statSync(local, { throwIfNoEntry: false });
  const isInto = stats?.isDirectory() === true;
  if (!isInto && (all.length > 1 || local.endsWith('/'))) throw notALocalFolder(local);
  if (!isInto && statSync(dirname(resolve(local)), { throwIfNoEntry: false }) === undefined)
    throw notALocalFolder(dirname(local));
  for (const found of all) {
    try {
      const to = isInto ? join(local, checkLocalName(found.entry.Name)) : local;
      await planOne(transfers, { found, to }, plan);
    } catch (error) {
      transfers.signal.throwIfAborted();
      if (!(error instanceof LocalError)) throw error;
      fail(transfers, found.path, error);
    }
  }
  return plan;
}

async function planOne(
  transfers: Transfers,
  { found, to }: { found: RemoteEntry; to: string },
  plan: DownloadPlan,
): Promise<void> {
  const { entry, path } = found;
  if (entry.Type === 'file') {
    plan.files.push({ entry, path, to });
    return;
  }
  const isHere = isLocalFolder(to);
  if (!isHere) plan.folders.push({ to, path });
  await planDownload(transfers, { there: found, here: to, isHere }, plan);
}

function toResult({ failed }: Transfers, plan: DownloadPlan, { fetched, unchanged }: FetchResult): GetResult {
  return {
    Files: fetched.length,
    Folders: plan.folders.length,
    Bytes: fetched.reduce((sum, { entry }) => sum + entry.Size, 0),
    Unchanged: unchanged,
    Fetched: fetched.map(({ path, to, entry }) => ({ Path: path, To: to, Size: entry.Size })),
    Failed: failed,
  };
}

function toLines({ Files, Folders, Bytes, Unchanged, Fetched, Failed }: GetResult, { verbose }: GetOptions): string[] {
  const each =
    verbose === true || Files === 1
      ? Fetched.map(({ To, Size }) => `fetched ${toPrintable(To)} (${toSize(Size)})`)
      : [];
  const made = Folders > 0 ? `, ${Folders} folders made` : '';
  const unchanged = Unchanged > 0 ? `, ${Unchanged} unchanged` : '';
  const summary =
    Files === 1 && Folders === 0 && Failed.length === 0
      ? []
      : [`${Files} files fetched (${toSize(Bytes)})${made}${unchanged}`];
  return [...toFailedLines(Failed), ...each, ...summary];
}
