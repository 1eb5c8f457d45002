// Storages between which tests move an environment, with local folders for large contents.

import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { keysInFolder } from '../../src/auth/keys.ts';
import { openLocalBlobs, readLocalBlobs } from '../../src/blobs/local.ts';
import { type Catalog, toCatalog } from '../../src/catalog/catalog.ts';
import { type JournalFiles, openJournalFiles } from '../../src/catalog/journal-files.ts';
import { localFiles } from '../../src/catalog/local-files.ts';
import { openPostgres } from '../../src/catalog/postgres.ts';
import { openPostgresTables } from '../../src/catalog/postgres-tables.ts';
import { openSqlite } from '../../src/catalog/sqlite.ts';
import { openSqliteTables } from '../../src/catalog/sqlite-tables.ts';
import type { StoreRole, TableStore } from '../../src/catalog/table-store.ts';
import { findMeta, setMeta, tables } from '../../src/catalog/tables.ts';
import { type MigrationReport, migrate } from '../../src/migrate/migrate.ts';
import type { KeyPlace, Migration, Side } from '../../src/migrate/side.ts';
import { type Filled, fill, readAll } from './filled-catalog.ts';
import { findDatabases } from './ground.ts';

export interface Place {
  /** The schema's database; null: SQLite, in the folder. */
  url: string | null;
  /** For large contents, sealed parts of the journal, and what SQLite keeps beside its catalog. */
  folder: string;
}

export function newPlace(url: string | null = null): Place {
  const folder = join(mkdtempSync(join(tmpdir(), 'cabinet-migrate-')), 'production');
  mkdirSync(folder);
  return { url, folder };
}

const schema = 'cabinet_production';

export async function openCatalog({ url, folder }: Place): Promise<Catalog> {
  const fail = (error: unknown) => {
    throw error;
  };
  const engine =
    url === null
      ? await openSqlite({ path: join(folder, 'catalog.db'), onFatal: fail })
      : await openPostgres({ url, schema, mostConnections: 4 });
  return toCatalog(engine);
}

export function journalFilesOf({ folder }: Place): JournalFiles {
  return openJournalFiles(localFiles(join(folder, 'journal')));
}

export async function openTables({ url, folder }: Place, role: StoreRole): Promise<TableStore> {
  const opened =
    url === null
      ? openSqliteTables(join(folder, 'catalog.db'), role)
      : await openPostgresTables({ url, schema, mostConnections: 1 }, role);
  if (opened === null) throw new Error('there is no catalog');
  return opened;
}

async function openSide(place: Place, role: StoreRole): Promise<Side> {
  const opened = await openTables(place, role);
  return { name: `the ${role}`, tables: opened, journalFiles: journalFilesOf(place), keys: keysOf(place, opened) };
}

export function keysOf({ url, folder }: Place, opened: TableStore): KeyPlace {
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
      tell: () => undefined,
    };
    return await migrate({ ...migration, ...change(migration) });
  } finally {
    await target?.tables.close();
    await source.tables.close();
  }
}

export const keys = '{"Signing":[],"Cookies":["ü"],"Cursors":"x"}';

/** A filled catalog on SQLite, and what tests need to move it. */
export interface Ready {
  sqlite: Place;
  filled: Filled;
  /** What its verbs tell. */
  told: unknown;
  place(url?: string | null): Place;
  inPostgres(): Promise<Place>;
  /** A copy that a test may change. */
  copyOf(place: Place): Place;
  tellAll(place: Place): Promise<unknown>;
  stop(): Promise<void>;
}

export async function getReady(): Promise<Ready> {
  const databases = await findDatabases();
  const made: Place[] = [];
  const place = (url: string | null = null): Place => {
    const fresh = newPlace(url);
    made.push(fresh);
    return fresh;
  };
  const sqlite = place();
  const catalog = await openCatalog(sqlite);
  const blobs = await openLocalBlobs({ folder: sqlite.folder, onFatal: () => undefined });
  const filled = await fill(catalog, blobs, journalFilesOf(sqlite));
  const told = await readAll(catalog, filled);
  await catalog.close();
  await keysInFolder(sqlite.folder).write(keys);
  return {
    sqlite,
    filled,
    told,
    place,
    inPostgres: async () => place(await databases.make()),
    copyOf({ folder }) {
      const copy = place();
      cpSync(folder, copy.folder, { recursive: true });
      return copy;
    },
    async tellAll(there) {
      const opened = await openCatalog(there);
      return await readAll(opened, filled).finally(() => opened.close());
    },
    async stop() {
      await databases.stop();
      for (const { folder } of made) rmSync(join(folder, '..'), { recursive: true, force: true });
    },
  };
}

/** Asks PostgreSQL behind the catalog's back. */
export async function ask({ url }: Place, sql: string) {
  const client = new pg.Client({ connectionString: url as string, options: '-c search_path=cabinet_production' });
  await client.connect();
  return await client.query(sql).finally(() => client.end());
}

/** The paths of all blobs. */
export function listBlobs({ folder }: Place): string[] {
  const blobs = join(folder, 'blobs');
  const names = readdirSync(blobs, { recursive: true, encoding: 'utf8' }).filter((name) => name.length > 2);
  return names.sort().map((name) => join(blobs, name));
}

/** Every row of every table of a SQLite catalog, as it stands in the file. */
export function dump({ folder }: Place): Record<string, unknown[]> {
  const database = new DatabaseSync(join(folder, 'catalog.db'), { readOnly: true });
  const rows = tables.map(({ name, columns }) => [
    name,
    database.prepare(`SELECT * FROM ${name} ORDER BY ${columns.join(', ')}`).all(),
  ]);
  database.close();
  return Object.fromEntries(rows) as Record<string, unknown[]>;
}
