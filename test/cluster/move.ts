// One migration from place to place, and no more than it needs: a process that is killed in the middle loads this again and again.

import { join } from 'node:path';
import { keysInFolder } from '../../src/auth/keys.ts';
import { openLocalBlobs, readLocalBlobs } from '../../src/blobs/local/local.ts';
import { type JournalFiles, openJournalFiles } from '../../src/catalog/journal-files.ts';
import { openJournalKeys } from '../../src/catalog/journal-keys.ts';
import { openPostgresTables } from '../../src/catalog/postgres/tables.ts';
import { openSqliteTables } from '../../src/catalog/sqlite/tables.ts';
import type { StoreRole, TableStore } from '../../src/catalog/table-store.ts';
import { findMeta, setMeta } from '../../src/catalog/tables.ts';
import { type MigrationReport, migrate } from '../../src/maintenance/migrate/migrate.ts';
import type { KeyStorage, Migration, Side } from '../../src/maintenance/migrate/side.ts';
import { localFiles } from '../../src/runtime/local-file-store.ts';

export const schema = 'cabinet_production';

export interface Place {
  /** The schema's database; null: SQLite, in the folder. */
  url: string | null;
  /** For large contents, sealed parts of the journal, and what SQLite keeps beside its catalog. */
  folder: string;
}

export function journalFilesOf({ folder }: Place): JournalFiles {
  return openJournalFiles(localFiles(join(folder, 'journal')));
}

async function openTables({ url, folder }: Place, role: StoreRole): Promise<TableStore> {
  const opened =
    url === null
      ? openSqliteTables(join(folder, 'catalog.db'), role)
      : await openPostgresTables({ url, schema, maxConnections: 1 }, role);
  if (opened === null) throw new Error('there is no catalog');
  return opened;
}

async function openSide(place: Place, role: StoreRole): Promise<Side> {
  const opened = await openTables(place, role);
  const journalKeys = openJournalKeys(localFiles(join(place.folder, 'journal-keys')));
  const keys = keysOf(place, opened);
  return { name: `the ${role}`, tables: opened, journalFiles: journalFilesOf(place), journalKeys, keys };
}

function keysOf({ url, folder }: Place, opened: TableStore): KeyStorage {
  if (url === null) return keysInFolder(folder);
  const name = 'setting keys';
  return { read: () => opened.read(findMeta(name)), write: (text) => opened.write([setMeta(name, text)]) };
}

/** `change`: for tests that meddle with it. */
export async function move(
  from: Place,
  to: Place,
  change: (migration: Migration) => Partial<Migration> = () => ({}),
): Promise<MigrationReport> {
  const source = await openSide(from, 'source');
  let target: Side | null = null;
  try {
    target = await openSide(to, 'target');
    const blobs = {
      from: readLocalBlobs(from.folder),
      to: await openLocalBlobs({ folder: to.folder, onFatal: () => undefined }),
      fromName: 'the old store',
      toName: 'the new store',
    };
    const migration: Migration = {
      source,
      target,
      blobs,
      moved: { records: true, journalFiles: true },
      isContentsOnly: false,
      verify: 'full',
      onProgress: () => undefined,
    };
    return await migrate({ ...migration, ...change(migration) });
  } finally {
    await target?.tables.close();
    await source.tables.close();
  }
}
