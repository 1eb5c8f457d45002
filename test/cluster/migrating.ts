// Storages between which tests move an environment, with local folders for large contents.

import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { keysInFolder } from '../../src/auth/keys.ts';
import { openLocalBlobs } from '../../src/blobs/local/local.ts';
import { type Catalog, toCatalog } from '../../src/catalog/catalog.ts';
import { openPostgres } from '../../src/catalog/postgres/postgres.ts';
import { openSqlite } from '../../src/catalog/sqlite/sqlite.ts';
import { tables } from '../../src/catalog/tables.ts';
import { type Filled, fill, readAll } from './filled-catalog.ts';
import { findDatabases } from './ground.ts';
import { journalFilesOf, type Place, schema } from './move.ts';

export function newPlace(url: string | null = null): Place {
  const folder = join(mkdtempSync(join(tmpdir(), 'cabinet-migrate-')), 'production');
  mkdirSync(folder);
  return { url, folder };
}

export async function openCatalog({ url, folder }: Place): Promise<Catalog> {
  const fail = (error: unknown) => {
    throw error;
  };
  const engine =
    url === null
      ? await openSqlite({ path: join(folder, 'catalog.db'), onFatal: fail })
      : await openPostgres({ url, schema, maxConnections: 4 });
  return toCatalog(engine);
}

export const keys = '{"Signing":[],"Cookies":["ü"],"Cursors":"x"}';

/** A filled catalog on SQLite, and what tests need to move it. */
export interface Ready {
  sqlite: Place;
  filled: Filled;
  /** What its verbs tell. */
  expected: unknown;
  place(url?: string | null): Place;
  inPostgres(): Promise<Place>;
  /** A copy that a test may change. */
  copyOf(place: Place): Place;
  readAll(place: Place): Promise<unknown>;
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
  const expected = await readAll(catalog, filled);
  await catalog.close();
  addRows(sqlite);
  await keysInFolder(sqlite.folder).write(keys);
  return {
    sqlite,
    filled,
    expected,
    place,
    inPostgres: async () => place(await databases.make()),
    copyOf({ folder }) {
      const copy = place();
      cpSync(folder, copy.folder, { recursive: true });
      return copy;
    },
    async readAll(there) {
      const opened = await openCatalog(there);
      return await readAll(opened, filled).finally(() => opened.close());
    },
    async stop() {
      await databases.stop();
      for (const { folder } of made) rmSync(join(folder, '..'), { recursive: true, force: true });
    },
  };
}

/** One row each of what belongs to accounts, sharing, webhooks and WebDAV. */
function addRows({ folder }: Place): void {
  const database = new DatabaseSync(join(folder, 'catalog.db'));
  database.exec(`
    INSERT INTO app_passwords VALUES ('p1', 'zoë', 'Läptop 😀', 'write', 1, 'one', 'ab12', 1, NULL, 2);
    INSERT INTO second_factors VALUES ('f1', 'zoë', 'totp', 'Telefön', 'c2VjcmV0', NULL, NULL, NULL, 5, 1, NULL);
    INSERT INTO recovery_codes VALUES ('zoë', 'ab12');
    INSERT INTO setup_links VALUES ('h1', 'abe', 1, 5);
    INSERT INTO known_addresses VALUES ('abe', '192.0.2.1', 5);
    INSERT INTO sessions VALUES ('g1', 's1', 'zoë', 'one', 1, 2, '::1', 'Ünï/1.0', 9);
    INSERT INTO links VALUES ('l1', 1, 'e1', NULL, 'one', 9);
    INSERT INTO locks VALUES ('t1', 1, 2, 1, 0, '<owner>zoë</owner>', 'zoë', 'zoë', 0, 1, 9);
    INSERT INTO webhooks VALUES ('w1', 1, 'https://a.example/', '["*"]', NULL, 'ü', 'AQ', NULL, NULL, 'failing', 1, 'zoë',
      4, 1, 2, 3, 9);
    INSERT INTO webhook_deliveries VALUES ('d1', 'w1', 's:4', 'cabinet.file.saved', 2, 3, NULL, 7, 'no answer', NULL);
    INSERT INTO dead_properties VALUES (2, 'urn:ü', 'colour', '<colour>green 😀</colour>');
    INSERT INTO consents VALUES ('zoë', 'ak_one', '["openid"]', 3);
    INSERT INTO starred VALUES ('zoë', 1, 'e1', 3);
    INSERT INTO recent VALUES ('zoë', 1, 'e1', 4);
    INSERT INTO grants VALUES (2, 'group:Büro', 1, 'viewer', 'abe', 5);
    INSERT INTO people_groups VALUES (1, 'Büro', 5, 'abe');
    INSERT INTO group_members VALUES (1, 'Büro', 'zoë');
    INSERT INTO shares VALUES ('s1', 'AQ', 'Ag', 1, 'e1', 'read', 'Bücher', NULL, NULL, 9, 3, 1, 0, 5, 'zoë', 'zoë', 'one', 6, NULL);
    INSERT INTO share_rules VALUES (1, 1, 'managers', NULL, 7);
    INSERT INTO share_downloads VALUES ('s1', 'e1', '192.0.2.1', 6);
  `);
  database.close();
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
