// What is there once all is over, as the service shows it on one of its nodes, and the journal as it stands in the database.

import { hash } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { openJournalKeys } from '../../src/catalog/journal-keys.ts';
import { localFiles } from '../../src/runtime/local-file-store.ts';
import type { Entry } from '../interface/assertions.ts';
import { type Caller, call, download, listFolder } from '../interface/client.ts';
import { listTrash, listVersions, show } from '../interface/life.ts';
import { get } from '../interface/managing.ts';
import type { Found, FoundEntry, JournalRow } from './history.ts';

const atOnce = 16;

export interface Place {
  caller: Caller;
  catalog: string;
  /** The folder of the journal's keys. */
  keys: string;
  top: string;
  after: number;
}

export async function findAll({ caller, catalog, keys, top, after }: Place): Promise<Found> {
  const entries = await listTree(caller, top);
  const journal = await readJournal(catalog);
  const { Space } = await get<{ Space: { Entries: number; Bytes: number } }>(caller, '/usage');
  return {
    journal,
    keys: await openJournalKeys(localFiles(join(keys, 'production'))).list(),
    space: journal.find(({ entry, action }) => entry === top && action === 'folder.created')?.space ?? -1,
    after,
    top,
    entries,
    topSize: (await show(caller, top)).Entry.Size,
    // The folder above all is an entry too.
    usage: { entries: Space.Entries - 1, bytes: Space.Bytes },
  };
}

async function listTree(caller: Caller, top: string): Promise<FoundEntry[]> {
  const found: FoundEntry[] = [];
  const files: FoundEntry[] = [];
  const folders = [top];
  for (const parent of folders) {
    for (const entry of await listFolder(caller, parent)) {
      const one = toFound(entry, parent);
      found.push(one);
      if (one.type === 'file') files.push(one);
      else folders.push(one.id);
    }
  }
  await inParallel(files, (file) => lookInto(caller, file));
  return found;
}

function toFound({ Id, Name, Type, Size }: Entry, parent: string): FoundEntry {
  return { id: Id, parent, name: Name, type: Type, size: Size, versions: [] };
}

/** Reads the bytes of the newest version, and of the oldest. */
async function lookInto(caller: Caller, file: FoundEntry): Promise<void> {
  const versions = (await listVersions(caller, file.id, '?limit=1000')).reverse();
  file.versions = versions.map(({ Version, Size, Sha256 }) => ({
    version: Version,
    size: Size,
    sha256: Sha256,
    read: null,
  }));
  const [first, last] = [file.versions[0], file.versions.at(-1)];
  if (last !== undefined) last.read = hash('sha256', await download(caller, file.id));
  if (first === undefined || first === last) return;
  first.read = hash('sha256', (await call(caller, `/files/${file.id}/content?version=${first.version}`)).body);
}

export async function readJournal(catalog: string): Promise<JournalRow[]> {
  const client = new pg.Client({ connectionString: catalog, types: { getTypeParser } });
  await client.connect();
  try {
    const { rows } = await client.query<JournalRow>('SELECT * FROM cabinet_production.journal ORDER BY position');
    return rows;
  } finally {
    await client.end();
  }
}

const int8 = 20;

function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === int8 ? Number : pg.types.getTypeParser(oid, format as 'text');
}

/** Restores until nothing is in the trash: then all can be looked at. */
export async function emptyByRestoring(caller: Caller, restore: (id: string) => Promise<unknown>): Promise<void> {
  for (let items = await listTrash(caller); items.length > 0; items = await listTrash(caller)) {
    await inParallel(items, ({ Entry }) => restore(Entry.Id));
  }
}

async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
  const left = [...items].values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of left) await work(item);
    }),
  );
}
