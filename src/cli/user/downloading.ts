// Fetching trees: which folders are missing here, which files differ, and then fetching them, many at a time.

import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { LocalProblem } from './exit-codes.ts';
import { type Fetching, fetchFile } from './fetching.ts';
import { checkLocalName, makeLocalFolder, partPattern } from './local-files.ts';
import { inParallel } from './pool.ts';
import { type Found, listFolder } from './remote.ts';
import { fail, type Transfers, transferAll } from './transfers.ts';

export interface DownloadPlan {
  /** Parents before their children. */
  folders: { to: string; path: string }[];
  files: Fetching[];
  /** Paths of what is here and not there: each with all beneath it. */
  extra: string[];
  /** Whether a folder takes the place of a file of its name, and a file that of a folder. */
  isReplacing: boolean;
  /** What goes for that reason before it comes. */
  replaced: string[];
}

interface Pair {
  there: Found;
  here: string;
  /** False: it is still to be made, so nothing is in it. */
  isHere: boolean;
}

export function emptyDownload(isReplacing = false): DownloadPlan {
  return { folders: [], files: [], extra: [], isReplacing, replaced: [] };
}

/** Adds to the plan what makes the folder `here` hold what `there` does. */
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
        planChild(transfers, { child, here, isHere, named }, { plan, deeper });
      }
      plan.extra.push(...[...names.values()].filter((name) => !partPattern.test(name)).map((name) => join(here, name)));
    });
    level = deeper;
  }
}

interface Child {
  child: Found;
  here: string;
  isHere: boolean;
  /** What it is called here already, in whichever Unicode form. */
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
    if (isFolderThere) makeWay(plan, to, entry.Type);
    if (entry.Type === 'file') plan.files.push({ entry, path, to });
    else {
      const isHere = isFolderThere && !plan.replaced.includes(to) && isFolderHere(to);
      if (!isHere) plan.folders.push({ to, path });
      deeper.push({ there: child, here: to, isHere });
    }
  } catch (error) {
    fail(transfers, path, error);
  }
}

function makeWay(plan: DownloadPlan, to: string, type: 'folder' | 'file'): void {
  const stats = plan.isReplacing ? lstatSync(to, { throwIfNoEntry: false }) : undefined;
  if (stats !== undefined && stats.isDirectory() !== (type === 'folder')) plan.replaced.push(to);
}

/** A link is not followed, whatever it leads to. */
export function isFolderHere(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  if (stats.isDirectory()) return true;
  const what = stats.isSymbolicLink()
    ? 'A symbolic link stands here, which may lead elsewhere'
    : 'A file has this name here';
  throw new LocalProblem('NameAlreadyExists', `${what}: ${path}`);
}

export interface Fetched {
  fetched: Fetching[];
  unchanged: number;
}

export async function fetchAll(transfers: Transfers, { folders, files }: DownloadPlan): Promise<Fetched> {
  const { progress } = transfers;
  progress.expect({ files: files.length, bytes: files.reduce((sum, { entry }) => sum + entry.Size, 0) });
  for (const { to } of folders) makeLocalFolder(to);
  const result: Fetched = { fetched: [], unchanged: 0 };
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
