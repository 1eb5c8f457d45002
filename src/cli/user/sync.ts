// `cabinet sync up|down`: one-way sync by checksum. The source is never changed.

import { rmSync, statSync } from 'node:fs';
import { deleteEntry } from '@cabinet/client';
import type { Command } from 'commander';
import { toPrintable } from '../output.ts';
import { toCount, toSize } from '../size.ts';
import { type DownloadPlan, emptyDownload, fetchAll, planDownload } from './downloading.ts';
import { LocalError } from './exit-codes.ts';
import { type FileDownload, isUpToDate } from './fetching.ts';
import { toLiteral } from './glob.ts';
import { fillFolder, isFolder, readLocal } from './local-files.ts';
import { exitOnUsageError, perform, personCommand, toFailedLines } from './perform.ts';
import { findEntry, makeFolders, requireEntry, splitRemote, toRemotePath } from './remote.ts';
import { sendAll } from './sending.ts';
import {
  openTransfers,
  type TransferOptions,
  type Transfers,
  type TransferTotals,
  transferAll,
  withTransferOptions,
} from './transfers.ts';
import { createFolders, emptyPlan, planUpload, type RemoteFolder, type Upload, type UploadPlan } from './uploading.ts';

interface SyncOptions extends TransferOptions {
  delete?: boolean;
  dryRun?: boolean;
}

type Direction = 'up' | 'down';
type Action = 'make' | 'put' | 'get' | 'delete';

interface SyncResult extends TransferTotals {
  Deleted: number;
  IsDryRun: boolean;
  /** In the order of execution; paths are those of the target. */
  Actions: { Action: Action; Path: string }[];
}

export function registerSync(program: Command): void {
  const sync = program
    .command('sync')
    .description('one-way sync by checksum')
    .addHelpText(
      'after',
      '\nWith --delete, sync up moves to the trash what the local folder does not have; sync down deletes for good.\n\n' +
        'Examples:\n  cabinet sync up photos /Photos --delete --dry-run\n  cabinet sync down /Photos photos',
    )
    .exitOverride(exitOnUsageError);
  const withSyncOptions = (command: Command) =>
    withTransferOptions(command)
      .option('--delete', 'also delete what the other side does not have')
      .option('-n, --dry-run', 'only print what would be done');
  withSyncOptions(personCommand(sync, 'up <local> <remote>', 'make a remote folder equal to a local one')).action(
    (local: string, remote: string, options: SyncOptions) =>
      run('up', options, (transfers) => syncUp(transfers, { local, remote, options })),
  );
  withSyncOptions(personCommand(sync, 'down <remote> <local>', 'make a local folder equal to a remote one')).action(
    (remote: string, local: string, options: SyncOptions) =>
      run('down', options, (transfers) => syncDown(transfers, { local, remote, options })),
  );
}

interface SyncRequest {
  local: string;
  remote: string;
  options: SyncOptions;
}

function run(
  direction: Direction,
  options: SyncOptions,
  work: (transfers: Transfers) => Promise<SyncResult>,
): Promise<void> {
  return perform(options, {
    async run(context) {
      const transfers = openTransfers(context, options, 'sync');
      try {
        return await work(transfers);
      } finally {
        transfers.progress.close();
      }
    },
    toLines: (result) => toLines(result, { ...options, direction }),
    canResume: true,
  });
}

async function syncUp(transfers: Transfers, { local, remote, options }: SyncRequest): Promise<SyncResult> {
  const here = readLocal(local);
  if (!isFolder(here))
    throw new LocalError('NotAFolder', `${local} is a file. Use cabinet put for files; sync is for folders.`);
  fillFolder(here, transfers);
  const plan = emptyPlan();
  const there = await findTargetFolder(transfers, remote, plan);
  const isReplacing = options.delete === true;
  await planUpload(transfers, { here, there }, { plan, comparison: { digestFromBytes: 0, isReplacing } });
  if (!isReplacing) plan.extra = [];
  const sent = options.dryRun === true ? plan.uploads : await doUpload(transfers, plan);
  return toResult(transfers, {
    make: plan.folders.map(({ path }) => path),
    put: sent.map(({ path, file }) => ({ path, bytes: file.sizeBytes })),
    get: [],
    delete: [...plan.replaced, ...plan.extra].map(({ path }) => path),
    unchanged: plan.unchanged,
    isDryRun: options.dryRun === true,
  });
}

/** The target folder; if it is missing it is added to the plan. */
async function findTargetFolder(transfers: Transfers, remote: string, plan: UploadPlan): Promise<RemoteFolder> {
  const found = await findEntry(transfers, remote);
  if (found?.entry.Type === 'folder')
    return { path: found.path, name: found.entry.Name, id: found.entry.Id, parent: null };
  if (found !== null || remote.startsWith('id:')) throw new LocalError('NotAFolder', `${remote} is not a folder.`);
  const path = toRemotePath(toLiteral(remote));
  const target: RemoteFolder = { path, name: splitRemote(path).name, id: null, parent: null };
  plan.folders.push(target);
  return target;
}

async function doUpload(transfers: Transfers, plan: UploadPlan): Promise<Upload[]> {
  const [first, ...others] = plan.folders;
  // Parents of the target may be missing too.
  if (first?.parent === null) first.id = (await makeFolders(transfers, first.path)).entry.Id;
  await removeRemote(transfers, plan.replaced);
  await createFolders(transfers, first?.parent === null ? others : plan.folders);
  const sent = await sendAll(transfers, plan.uploads, {});
  await removeRemote(transfers, plan.extra);
  return sent.map(({ upload }) => upload);
}

async function removeRemote(transfers: Transfers, entries: UploadPlan['extra']): Promise<void> {
  const { cabinet, signal } = transfers;
  await transferAll(transfers, entries, {
    toPaths: ({ path }) => [path],
    work: async ({ entry }) => {
      await deleteEntry(cabinet, { id: entry.Id }, { signal });
    },
  });
}

async function syncDown(transfers: Transfers, { local, remote, options }: SyncRequest): Promise<SyncResult> {
  const there = await requireEntry(transfers, remote);
  if (there.entry.Type !== 'folder')
    throw new LocalError('NotAFolder', `${remote} is a file. Use cabinet get for files; sync is for folders.`);
  const stats = statSync(local, { throwIfNoEntry: false });
  if (stats?.isDirectory() === false) throw new LocalError('NotAFolder', `${local} is not a folder on this machine.`);
  const plan = emptyDownload(options.delete === true);
  if (stats === undefined) plan.folders.push({ to: local, path: there.path });
  await planDownload(transfers, { there, here: local, isHere: stats !== undefined }, plan);
  if (options.delete !== true) plan.extra = [];
  const all = plan.files.length;
  plan.files = await findDiffering(transfers, plan);
  const unchanged = all - plan.files.length;
  const fetched = options.dryRun === true ? plan.files : await doDownload(transfers, plan);
  return toResult(transfers, {
    make: plan.folders.map(({ to }) => to),
    put: [],
    get: fetched.map(({ to, entry }) => ({ path: to, bytes: entry.Size })),
    delete: [...plan.replaced, ...plan.extra],
    unchanged,
    isDryRun: options.dryRun === true,
  });
}

async function findDiffering(transfers: Transfers, { files, replaced }: DownloadPlan): Promise<FileDownload[]> {
  const differing: FileDownload[] = [];
  await transferAll(transfers, files, {
    toPaths: ({ path }) => [path],
    work: async (file) => {
      if (isBeneathAny(file.to, replaced) || !(await isUpToDate(transfers, file))) differing.push(file);
    },
  });
  return differing;
}

function isBeneathAny(path: string, tops: readonly string[]): boolean {
  return tops.some((top) => path === top || path.startsWith(`${top}/`));
}

async function doDownload(transfers: Transfers, plan: DownloadPlan): Promise<FileDownload[]> {
  await removeLocal(transfers, plan.replaced);
  const { fetched } = await fetchAll(transfers, plan);
  await removeLocal(transfers, plan.extra);
  return fetched;
}

async function removeLocal(transfers: Transfers, paths: readonly string[]): Promise<void> {
  await transferAll(transfers, paths, {
    toPaths: (path) => [path],
    work: async (path) => rmSync(path, { recursive: true }),
  });
}

interface SyncActions {
  make: string[];
  put: { path: string; bytes: number }[];
  get: { path: string; bytes: number }[];
  delete: string[];
  unchanged: number;
  isDryRun: boolean;
}

function toResult({ failed }: Transfers, did: SyncActions): SyncResult {
  const notDone = new Set(failed.map(({ Path }) => Path));
  const moved = [...did.put, ...did.get];
  const gone = did.delete.filter((path) => !notDone.has(path));
  const toActions = (Action: Action, paths: string[]) => paths.map((Path) => ({ Action, Path }));
  return {
    Files: moved.length,
    Folders: did.make.length,
    Bytes: moved.reduce((sum, { bytes }) => sum + bytes, 0),
    Unchanged: did.unchanged,
    Deleted: gone.length,
    IsDryRun: did.isDryRun,
    Actions: [
      ...toActions('make', did.make),
      ...moved.map(({ path }) => ({ Action: did.put.length > 0 ? ('put' as const) : ('get' as const), Path: path })),
      ...toActions('delete', gone),
    ],
    Failed: failed,
  };
}

function toLines(result: SyncResult, { verbose, direction }: SyncOptions & { direction: Direction }): string[] {
  const { Files, Folders, Bytes, Unchanged, Deleted, IsDryRun, Actions, Failed } = result;
  const isShown = IsDryRun || verbose === true;
  const each = isShown ? Actions.map(({ Action, Path }) => `${Action.padEnd(6)} ${toPrintable(Path)}`) : [];
  const verb = direction === 'up' ? 'uploaded' : 'downloaded';
  const counts = `${toCount(Files, 'file')} ${verb} (${toSize(Bytes)}), ${toCount(Folders, 'folder')} created, ${Deleted} deleted, ${Unchanged} unchanged`;
  return [...toFailedLines(Failed), ...each, IsDryRun ? `Dry run, nothing was changed: ${counts}` : counts];
}
