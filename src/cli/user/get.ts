// `cabinet get REMOTE… [LOCAL]`: files and whole folders down; `-` is standard output.

import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { listVersions } from '@cabinet/client';
import type { Command } from 'commander';
import { toPrintable } from '../output.ts';
import { toCount, toSize } from '../size.ts';
import { writeToOutput } from './cat.ts';
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
import { type RemoteEntry, requireAll } from './remote.ts';
import {
  fail,
  notALocalFolder,
  openTransfers,
  type TransferOptions,
  type Transfers,
  type TransferTotals,
  throwIfOnlyFailure,
  withTransferOptions,
} from './transfers.ts';
import { toVersion } from './versions.ts';

interface GetOptions extends TransferOptions {
  version?: string;
}

interface GetResult extends TransferTotals {
  Fetched: { Path: string; To: string; Size: number }[];
}

export function registerGet(program: Command): void {
  withTransferOptions(personCommand(program, 'get <paths...>', 'download files and folders'))
    .usage('[options] REMOTE… [LOCAL]')
    .option('--version <number>', 'download this version; for one file')
    .addHelpText(
      'after',
      '\nLOCAL is a folder that exists, or the new name of the one REMOTE; - is standard output. Without LOCAL, files go into\n' +
        'the current folder. Files with the same checksum are skipped, others are replaced. After Ctrl-C or a lost connection,\n' +
        'run the same command to resume.\n\n' +
        'Examples:\n  cabinet get /Invoices/a.pdf\n  cabinet get "/Invoices/*.pdf" /Photos backup\n  cabinet get /Backups/shop.sql - | psql shop',
    )
    .action((words: string[], options: GetOptions) =>
      words.at(-1) === '-' && words.length > 1
        ? perform(options, {
            run: (context) => writeToOutput(context, words.slice(0, -1), options),
            toLines: () => [],
          })
        : perform(options, {
            run: (context) => get(context, words, options),
            toLines: (got) => toLines(got, options),
            canResume: true,
          }),
    );
}

async function get(context: CommandContext, words: string[], options: GetOptions): Promise<GetResult> {
  const [remotes, local] = words.length === 1 ? [words, '.'] : [words.slice(0, -1), words.at(-1) as string];
  const transfers = openTransfers(context, options, 'get');
  try {
    const all = await requireAll(context, remotes);
    const version = options.version === undefined ? undefined : toVersion(options.version);
    if (version !== undefined && (all.length > 1 || all[0]?.entry.Type !== 'file')) {
      throw new UsageError('--version is for one file.');
    }
    const plan = await toPlan(transfers, await Promise.all(all.map((one) => atVersion(context, one, version))), local);
    const files = plan.files.map((file) => ({ ...file, version }));
    const fetched = await fetchAll(transfers, { ...plan, files });
    throwIfOnlyFailure(transfers, fetched.fetched.length + fetched.unchanged + plan.folders.length);
    return toResult(transfers, plan, fetched);
  } finally {
    transfers.progress.close();
  }
}

/** With the size of that version. One that does not exist is refused when it is fetched. */
async function atVersion(
  { cabinet, signal }: CommandContext,
  found: RemoteEntry,
  version: number | undefined,
): Promise<RemoteEntry> {
  if (version === undefined) return found;
  const versions = await Array.fromAsync(listVersions(cabinet, found.entry.Id, { signal }));
  const size = versions.find(({ Version }) => Version === version)?.Size ?? found.entry.Size;
  return { ...found, entry: { ...found.entry, Size: size } };
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
      ? Fetched.map(({ To, Size }) => `downloaded ${toPrintable(To)} (${toSize(Size)})`)
      : [];
  const made = Folders > 0 ? `, ${toCount(Folders, 'folder')} created` : '';
  const unchanged = Unchanged > 0 ? `, ${Unchanged} unchanged` : '';
  const summary =
    Files === 1 && Folders === 0 && Failed.length === 0
      ? []
      : [`${toCount(Files, 'file')} downloaded (${toSize(Bytes)})${made}${unchanged}`];
  return [...toFailedLines(Failed), ...each, ...summary];
}
