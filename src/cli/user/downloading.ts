// Downloads a tree: plans which local folders are missing, then fetches the files in parallel.

import { lstatSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { LocalError } from './exit-codes.ts';
import { type FileDownload, fetchFile } from './fetching.ts';
import { checkLocalName, makeLocalFolder, partPattern } from './local-files.ts';
import { inParallel } from './pool.ts';
import { listFolder, type RemoteEntry } from './remote.ts';
import { fail, type Transfers, transferAll } from './transfers.ts';

export interface DownloadPlan {
  /** Parents before their children. */
  folders: { to: string; path: string }[];
  files: FileDownload[];
  /** Paths that exist only locally: each with everything beneath it. */
  extra: string[];
  /** Whether a folder replaces a file of its name, and the other way round. */
  isReplacing: boolean;
  /** Local paths to remove first for that reason. */
  replaced: string[];
}

interface Pair {
  there: RemoteEntry;
  here: string;
  /** False while it has yet to be created, and so is empty. */
  isHere: boolean;
}

export function emptyDownload(isReplacing = false): DownloadPlan {
  return { folders: [], files: [], extra: [], isReplacing, replaced: [] };
}

/** Adds what makes the local folder `here` equal to the remote folder `there`. */
export async function planDownload(transfers: Transfers, pair: Pair, plan: DownloadPlan): Promise<void> {
  let level: Pair[] = [pair];
  while (level.length > 0) {
    const deeper: Pair[] = [];
    await inParallel(level, transfers.width, async ({ there, here, isHere }) => {
      const names = new Map(isHere ? readdirSync(here).map((name) => [name.normalize('NFC'), name]) : []);
      for await (const child of listFolder(transfers, there)) {
        const key = child.entry.Name.normalize('NFC');
        const named = names.get(key);
        names.delete(key);
        if (isMeant(transfers, child, pair)) planChild(transfers, { child, here, isHere, named }, { plan, deeper });
      }
      const extra = [...names.values()].filter((name) => !partPattern.test(name)).map((name) => join(here, name));
      plan.extra.push(...extra.filter((path) => isExtra(transfers, path, pair)));
    });
    level = deeper;
  }
}

function isMeant({ filter }: Transfers, { entry, path }: RemoteEntry, { there }: Pair): boolean {
  const beneath = path.slice(there.path.length);
  return entry.Type === 'file' ? filter.allowsFile(beneath) : filter.allowsFolder(beneath);
}

/** With a filter: files alone, and only those that it is about. A folder may hold others. */
function isExtra({ filter }: Transfers, path: string, { here }: Pair): boolean {
  if (!filter.isActive) return true;
  return lstatSync(path).isFile() && filter.allowsFile(relative(here, path).split(sep).join('/'));
}

interface Child {
  child: RemoteEntry;
  here: string;
  isHere: boolean;
  /** The local name if it exists, in either Unicode form. */
  named: string | undefined;
}

function planChild(
  transfers: Transfers,
  { child, here, isHere: isFolderThere, named }: Child,
  { plan, deeper }: { plan: DownloadPlan; deeper: Pair[] },
): void {
  const { entry, path } = child;
  try {
    const to = join(here, named ?? checkLocalName(entry.Name));
    if (isFolderThere) resolveTypeConflict(plan, to, entry.Type);
    if (entry.Type === 'file') plan.files.push({ entry, path, to });
    else {
      const isHere = isFolderThere && !plan.replaced.includes(to) && isLocalFolder(to);
      if (!isHere) plan.folders.push({ to, path });
      deeper.push({ there: child, here: to, isHere });
    }
  } catch (error) {
    fail(transfers, path, error);
  }
}

function resolveTypeConflict(plan: DownloadPlan, to: string, type: 'folder' | 'file'): void {
  const stats = plan.isReplacing ? lstatSync(to, { throwIfNoEntry: false }) : undefined;
  if (stats !== undefined && stats.isDirectory() !== (type === 'folder')) plan.replaced.push(to);
}

/** A link is not followed, whatever it leads to. */
export function isLocalFolder(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  if (stats.isDirectory()) return true;
  const what = stats.isSymbolicLink()
    ? 'A symbolic link has this name here and may point elsewhere'
    : 'A file has this name here';
  throw new LocalError('NameAlreadyExists', `${what}: ${path}`);
}

export interface FetchResult {
  fetched: FileDownload[];
  unchanged: number;
}

/** The folders that a file goes into. */
function needed(folders: DownloadPlan['folders'], files: readonly FileDownload[]): DownloadPlan['folders'] {
  return folders.filter(({ to }) => files.some((file) => file.to.startsWith(`${to}${sep}`)));
}

export async function fetchAll(transfers: Transfers, { folders, files }: DownloadPlan): Promise<FetchResult> {
  const { progress } = transfers;
  progress.expect({ files: files.length, bytes: files.reduce((sum, { entry }) => sum + entry.Size, 0) });
  for (const { to } of transfers.filter.isSelecting ? needed(folders, files) : folders) makeLocalFolder(to);
  const result: FetchResult = { fetched: [], unchanged: 0 };
  await transferAll(transfers, files, {
    toPaths: ({ path }) => [path],
    work: async (file) => {
      if (await fetchFile(transfers, file)) result.fetched.push(file);
      else result.unchanged += 1;
      progress.addFile();
    },
  });
  return result;
}
