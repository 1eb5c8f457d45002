// Sending trees: which folders are missing, which files differ, and then sending them, many at a time.

import { createFolder, type Entry, listChildren, showEntry } from '@cabinet/client';
import { LocalProblem } from './exit-codes.ts';
import { type LocalFile, type LocalFolder, toSha256 } from './local-files.ts';
import { inParallel } from './pool.ts';
import { joinRemote } from './remote.ts';
import { fail, type Transfers } from './transfers.ts';

/** A folder of the service; the id is null until it is made. */
export interface Place {
  path: string;
  name: string;
  id: string | null;
  parent: Place | null;
}

export interface Upload {
  file: LocalFile;
  place: Place;
  name: string;
  path: string;
}

export interface UploadPlan {
  /** Parents before their children. */
  folders: Place[];
  uploads: Upload[];
  /** What is there and not here: each with all beneath it. */
  extra: { path: string; entry: Entry }[];
  /** What has the name of something of the other kind, and goes before it comes. */
  replaced: { path: string; entry: Entry }[];
  unchanged: number;
}

export interface Comparison {
  /** Files of the same size below this are sent without asking for their digest: the service knows the bytes it has. */
  digestFromBytes: number;
  /** Whether a folder takes the place of a file of its name, and a file that of a folder. */
  isReplacing: boolean;
}

interface Pair {
  here: LocalFolder;
  there: Place;
}

export function emptyPlan(): UploadPlan {
  return { folders: [], uploads: [], extra: [], replaced: [], unchanged: 0 };
}

/** Adds to the plan what makes the folder `there` hold what `here` does. */
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
      const found = await listPlace(transfers, there);
      compareFolders({ here, there }, found, comparing);
      compareFiles({ here, there }, found, comparing);
      plan.extra.push(...listExtra(here, there, found));
    });
    level = comparing.deeper;
  }
  await inParallel(doubtful, transfers.width, async ({ upload, entry }) => {
    if (await isSame(transfers, upload.file, entry)) plan.unchanged += 1;
    else plan.uploads.push(upload);
  });
}

type Children = Map<string, Entry>;

async function listPlace({ cabinet, signal }: Transfers, { id }: Place): Promise<Children> {
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
    if (found?.Type === 'file' && !makeWay(comparing, path, found)) continue;
    const entry = found?.Type === 'folder' ? found : undefined;
    const place: Place = { path, name: folder.name, id: entry?.Id ?? null, parent: there };
    if (entry === undefined) comparing.plan.folders.push(place);
    comparing.deeper.push({ here: folder, there: place });
  }
}

function compareFiles({ here, there }: Pair, children: Children, comparing: Comparing): void {
  const { plan, doubtful, comparison } = comparing;
  for (const file of here.files) {
    const upload: Upload = { file, place: there, name: file.name, path: joinRemote(there.path, file.name) };
    const entry = children.get(file.name.normalize('NFC'));
    if (entry?.Type === 'folder' && !makeWay(comparing, upload.path, entry)) continue;
    const isDoubtful =
      entry?.Type === 'file' && entry.Size === file.sizeBytes && file.sizeBytes >= comparison.digestFromBytes;
    if (isDoubtful) doubtful.push({ upload, entry });
    else plan.uploads.push(upload);
  }
}

/** Whether what has the name goes. */
function makeWay({ transfers, plan, comparison }: Comparing, path: string, entry: Entry): boolean {
  if (comparison.isReplacing) plan.replaced.push({ path, entry });
  else fail(transfers, path, new LocalProblem('NameAlreadyExists', `A ${entry.Type} has this name there.`));
  return comparison.isReplacing;
}

function listExtra(here: LocalFolder, there: Place, children: Children): UploadPlan['extra'] {
  const names = [...here.folders, ...here.files].map(({ name }) => name);
  const kept = new Set([...names, ...here.leftOut].map((name) => name.normalize('NFC')));
  return [...children]
    .filter(([key]) => !kept.has(key))
    .map(([, entry]) => ({ path: joinRemote(there.path, entry.Name), entry }));
}

async function isSame({ cabinet, signal }: Transfers, file: LocalFile, entry: Entry): Promise<boolean> {
  const { Sha256 } = await showEntry(cabinet, entry.Id, { signal });
  return Sha256 === (await toSha256(file.path, signal));
}

/** Makes the folders that are missing: those of one level at a time, for their parents must be there. */
export async function makePlaces({ cabinet, signal, width }: Transfers, places: readonly Place[]): Promise<void> {
  const levels = Map.groupBy(places, ({ path }) => path.split('/').length);
  for (const depth of [...levels.keys()].toSorted((left, right) => left - right)) {
    await inParallel(levels.get(depth) ?? [], width, async (place) => {
      const asked = { parent: place.parent?.id ?? undefined, name: place.name, conflict: 'Existing' as const };
      place.id = (await createFolder(cabinet, asked, { signal })).Folder.Id;
    });
  }
}
