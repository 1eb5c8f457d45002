// `cabinet sync up|down`: makes one side hold what the other does, by digest. The side that is read is never changed.

import { rmSync, statSync } from 'node:fs';
import { deleteEntry } from '@cabinet/client';
import type { Command } from 'commander';
import { toPrintable } from '../output.ts';
import { type DownloadPlan, emptyDownload, fetchAll, planDownload } from './downloading.ts';
import { LocalProblem } from './exit-codes.ts';
import { type Fetching, isThere } from './fetching.ts';
import { toLiteral } from './glob.ts';
import { fillFolder, isFolder, lookAt } from './local-files.ts';
import { endOnWrongUse, perform, personCommand, toFailedLines } from './perform.ts';
import { toSize } from './progress-line.ts';
import { lookUp, makeFolders, requireEntry, splitRemote, toRemotePath } from './remote.ts';
import { sendAll } from './sending.ts';
import { openTransfers, type Tallied, type TransferOptions, type Transfers, transferAll } from './transfers.ts';
import { emptyPlan, makePlaces, type Place, planUpload, type Upload, type UploadPlan } from './uploading.ts';

interface SyncOptions extends TransferOptions {
  delete?: boolean;
  dryRun?: boolean;
}

type Action = 'make' | 'put' | 'get' | 'delete';

interface Synced extends Tallied {
  Deleted: number;
  IsDryRun: boolean;
  /** In the order in which they are done; paths are those of the side that changes. */
  Actions: { Action: Action; Path: string }[];
}

export function registerSync(program: Command): void {
  const sync = program
    .command('sync')
    .description('make one side hold what the other does, by digest')
    .exitOverride(endOnWrongUse);
  const asked = (command: Command) =>
    command
      .option('--delete', 'also remove what the other side does not have')
      .option('-n, --dry-run', 'only say what would be done')
      .option('--parallel <number>', 'how many at a time', '16')
      .option('-q, --quiet', 'show no progress')
      .option('-v, --verbose', 'a line for everything that is done');
  asked(
    personCommand(
      sync,
      'up <local> <remote>',
      'make a remote folder hold what a local one does; removed there means: into the trash',
    ),
  ).action((local: string, remote: string, options: SyncOptions) =>
    run(options, (transfers) => syncUp(transfers, { local, remote, options })),
  );
  asked(
    personCommand(
      sync,
      'down <remote> <local>',
      'make a local folder hold what a remote one does; removed here means: gone',
    ),
  ).action((remote: string, local: string, options: SyncOptions) =>
    run(options, (transfers) => syncDown(transfers, { local, remote, options })),
  );
}

interface Asked {
  local: string;
  remote: string;
  options: SyncOptions;
}

function run(options: SyncOptions, work: (transfers: Transfers) => Promise<Synced>): Promise<void> {
  return perform(options, {
    async run(running) {
      const transfers = openTransfers(running, options, 'sync');
      try {
        return await work(transfers);
      } finally {
        transfers.progress.close();
      }
    },
    toLines: (synced) => toLines(synced, options),
  });
}

async function syncUp(transfers: Transfers, { local, remote, options }: Asked): Promise<Synced> {
  const here = lookAt(local);
  if (!isFolder(here)) throw new LocalProblem('NotAFolder', `${local} is a file; sync is for folders, put for files.`);
  fillFolder(here, transfers.failed);
  const plan = emptyPlan();
  const there = await findPlace(transfers, remote, plan);
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

/** The folder, or what is to become it; it is made with the others. */
async function findPlace(transfers: Transfers, remote: string, plan: UploadPlan): Promise<Place> {
  const found = await lookUp(transfers, remote);
  if (found?.entry.Type === 'folder')
    return { path: found.path, name: found.entry.Name, id: found.entry.Id, parent: null };
  if (found !== null || remote.startsWith('id:')) throw new LocalProblem('NotAFolder', `${remote} is not a folder.`);
  const path = toRemotePath(toLiteral(remote));
  const place: Place = { path, name: splitRemote(path).name, id: null, parent: null };
  plan.folders.push(place);
  return place;
}

async function doUpload(transfers: Transfers, plan: UploadPlan): Promise<Upload[]> {
  const [first, ...others] = plan.folders;
  // Above the one that was named, folders may be missing, too.
  if (first?.parent === null) first.id = (await makeFolders(transfers, first.path)).entry.Id;
  await removeThere(transfers, plan.replaced);
  await makePlaces(transfers, first?.parent === null ? others : plan.folders);
  const sent = await sendAll(transfers, plan.uploads, {});
  await removeThere(transfers, plan.extra);
  return sent.map(({ upload }) => upload);
}

async function removeThere(transfers: Transfers, entries: UploadPlan['extra']): Promise<void> {
  const { cabinet, signal } = transfers;
  await transferAll(transfers, entries, {
    toPaths: ({ path }) => [path],
    work: async ({ entry }) => {
      await deleteEntry(cabinet, { id: entry.Id }, { signal });
    },
  });
}

async function syncDown(transfers: Transfers, { local, remote, options }: Asked): Promise<Synced> {
  const there = await requireEntry(transfers, remote);
  if (there.entry.Type !== 'folder')
    throw new LocalProblem('NotAFolder', `${remote} is a file; sync is for folders, get for files.`);
  const stats = statSync(local, { throwIfNoEntry: false });
  if (stats?.isDirectory() === false) throw new LocalProblem('NotAFolder', `${local} is not a folder here.`);
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

async function findDiffering(transfers: Transfers, { files, replaced }: DownloadPlan): Promise<Fetching[]> {
  const differing: Fetching[] = [];
  await transferAll(transfers, files, {
    toPaths: ({ path }) => [path],
    work: async (file) => {
      if (isBeneathAny(file.to, replaced) || !(await isThere(transfers, file))) differing.push(file);
    },
  });
  return differing;
}

function isBeneathAny(path: string, tops: readonly string[]): boolean {
  return tops.some((top) => path === top || path.startsWith(`${top}/`));
}

async function doDownload(transfers: Transfers, plan: DownloadPlan): Promise<Fetching[]> {
  await removeHere(transfers, plan.replaced);
  const { fetched } = await fetchAll(transfers, plan);
  await removeHere(transfers, plan.extra);
  return fetched;
}

async function removeHere(transfers: Transfers, paths: readonly string[]): Promise<void> {
  await transferAll(transfers, paths, {
    toPaths: (path) => [path],
    work: async (path) => rmSync(path, { recursive: true }),
  });
}

interface Did {
  make: string[];
  put: { path: string; bytes: number }[];
  get: { path: string; bytes: number }[];
  delete: string[];
  unchanged: number;
  isDryRun: boolean;
}

function toResult({ failed }: Transfers, did: Did): Synced {
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

function toLines(synced: Synced, { verbose }: SyncOptions): string[] {
  const { Files, Folders, Bytes, Unchanged, Deleted, IsDryRun, Actions, Failed } = synced;
  const isShown = IsDryRun || verbose === true;
  const each = isShown ? Actions.map(({ Action, Path }) => `${Action.padEnd(6)} ${toPrintable(Path)}`) : [];
  const counts = `${Files} files (${toSize(Bytes)}), ${Folders} folders made, ${Deleted} deleted, ${Unchanged} unchanged`;
  return [...toFailedLines(Failed), ...each, IsDryRun ? `would be: ${counts}` : counts];
}
