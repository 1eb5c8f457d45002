// Plans the upload of a tree: which remote folders are missing, which files differ.

import { createFolder, type Entry, listChildren, showEntry } from '@cabinet/client';
import { LocalError } from './exit-codes.ts';
import type { Filter } from './filter.ts';
import { type LocalFile, type LocalFolder, toSha256 } from './local-files.ts';
import { inParallel } from './pool.ts';
import { joinRemote } from './remote.ts';
import { fail, type Transfers } from './transfers.ts';

/** A folder of the service; the id is null until it is made. */
export interface RemoteFolder {
  path: string;
  name: string;
  id: string | null;
  parent: RemoteFolder | null;
}

export interface Upload {
  file: LocalFile;
  target: RemoteFolder;
  name: string;
  path: string;
}

export interface UploadPlan {
  /** Parents before their children. */
  folders: RemoteFolder[];
  uploads: Upload[];
  /** Entries that exist only remotely: each with everything beneath it. */
  extra: { path: string; entry: Entry }[];
  /** Entries to remove first, because a file replaces a folder of its name or the other way round. */
  replaced: { path: string; entry: Entry }[];
  unchanged: number;
}

export interface Comparison {
  /** Smaller files of the same size are sent without comparing checksums: the service recognizes bytes that it has. */
  digestFromBytes: number;
  /** Whether a folder replaces a file of its name, and the other way round. */
  isReplacing: boolean;
}

interface Pair {
  here: LocalFolder;
  there: RemoteFolder;
}

export function emptyPlan(): UploadPlan {
  return { folders: [], uploads: [], extra: [], replaced: [], unchanged: 0 };
}

/** Adds what makes the remote folder `there` equal to the local folder `here`. */
export async function planUpload(
  transfers: Transfers,
  pair: Pair,
  { plan, comparison }: { plan: UploadPlan; comparison: Comparison },
): Promise<void> {
  const doubtful: Comparing['doubtful'] = [];
  let level: Pair[] = [pair];
  while (level.length > 0) {
    const comparing: Comparing = { transfers, plan, comparison, deeper: [], doubtful };
    await inParallel(level, transfers.width, async ({ here, there }) => {
      const found = await listRemoteFolder(transfers, there);
      compareFolders({ here, there }, found, comparing);
      compareFiles({ here, there }, found, comparing);
      plan.extra.push(...listExtra({ here, there }, found, { filter: transfers.filter, top: pair.there.path }));
    });
    level = comparing.deeper;
  }
  await inParallel(doubtful, transfers.width, async ({ upload, entry }) => {
    if (await isSame(transfers, upload.file, entry)) plan.unchanged += 1;
    else plan.uploads.push(upload);
  });
}

type Children = Map<string, Entry>;

async function listRemoteFolder({ cabinet, signal }: Transfers, { id }: RemoteFolder): Promise<Children> {
  const children: Children = new Map();
  if (id === null) return children;
  for await (const child of listChildren(cabinet, id, { pageSize: 1000, signal })) {
    children.set(child.Name.normalize('NFC'), child);
  }
  return children;
}

interface Comparing {
  transfers: Transfers;
  plan: UploadPlan;
  comparison: Comparison;
  deeper: Pair[];
  doubtful: { upload: Upload; entry: Entry }[];
}

function compareFolders({ here, there }: Pair, children: Children, comparing: Comparing): void {
  for (const folder of here.folders) {
    const path = joinRemote(there.path, folder.name);
    const found = children.get(folder.name.normalize('NFC'));
    if (found?.Type === 'file' && !resolveTypeConflict(comparing, path, found)) continue;
    const entry = found?.Type === 'folder' ? found : undefined;
    const target: RemoteFolder = { path, name: folder.name, id: entry?.Id ?? null, parent: there };
    if (entry === undefined) comparing.plan.folders.push(target);
    comparing.deeper.push({ here: folder, there: target });
  }
}

function compareFiles({ here, there }: Pair, children: Children, comparing: Comparing): void {
  const { plan, doubtful, comparison } = comparing;
  for (const file of here.files) {
    const upload: Upload = { file, target: there, name: file.name, path: joinRemote(there.path, file.name) };
    const entry = children.get(file.name.normalize('NFC'));
    if (entry?.Type === 'folder' && !resolveTypeConflict(comparing, upload.path, entry)) continue;
    const isDoubtful =
      entry?.Type === 'file' && entry.Size === file.sizeBytes && file.sizeBytes >= comparison.digestFromBytes;
    if (isDoubtful) doubtful.push({ upload, entry });
    else plan.uploads.push(upload);
  }
}

/** Whether the entry in the way is replaced; otherwise records the failure. */
function resolveTypeConflict({ transfers, plan, comparison }: Comparing, path: string, entry: Entry): boolean {
  if (comparison.isReplacing) plan.replaced.push({ path, entry });
  else fail(transfers, path, new LocalError('NameAlreadyExists', `A ${entry.Type} has this name there.`));
  return comparison.isReplacing;
}

/** With a filter: files alone, and only those that it is about. A folder may hold others. */
function listExtra(
  { here, there }: Pair,
  children: Children,
  { filter, top }: { filter: Filter; top: string },
): UploadPlan['extra'] {
  const names = [...here.folders, ...here.files].map(({ name }) => name);
  const location = new Set([...names, ...here.leftOut].map((name) => name.normalize('NFC')));
  return [...children]
    .filter(([key]) => !location.has(key))
    .map(([, entry]) => ({ path: joinRemote(there.path, entry.Name), entry }))
    .filter(
      ({ path, entry }) => !filter.isActive || (entry.Type === 'file' && filter.allowsFile(path.slice(top.length))),
    );
}

async function isSame({ cabinet, signal }: Transfers, file: LocalFile, entry: Entry): Promise<boolean> {
  const { Sha256 } = await showEntry(cabinet, entry.Id, { signal });
  return Sha256 === (await toSha256(file.path, signal));
}

/** Creates the missing folders level by level, parents first. */
export async function createFolders(
  { cabinet, signal, width }: Transfers,
  places: readonly RemoteFolder[],
): Promise<void> {
  const levels = Map.groupBy(places, ({ path }) => path.split('/').length);
  for (const depth of [...levels.keys()].toSorted((left, right) => left - right)) {
    await inParallel(levels.get(depth) ?? [], width, async (target) => {
      const request = { parent: target.parent?.id ?? undefined, name: target.name, conflict: 'Existing' as const };
      target.id = (await createFolder(cabinet, request, { signal })).Id;
    });
  }
}
