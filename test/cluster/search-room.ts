// What tests of the search index on PostgreSQL work with: a catalog with an index, and the same on SQLite beside it.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Blobs } from '../../src/blobs/blobs.ts';
import { type Catalog, toCatalog } from '../../src/catalog/catalog.ts';
import type { openPool } from '../../src/catalog/postgres/connection.ts';
import { openPostgres } from '../../src/catalog/postgres/postgres.ts';
import { openSqlite } from '../../src/catalog/sqlite/sqlite.ts';
import { openPostgresSearch } from '../../src/search/postgres/search.ts';
import type { Search } from '../../src/search/search.ts';
import { openSqliteSearch } from '../../src/search/sqlite/search.ts';
import { addApplication, type Registered } from '../contracts/requests.ts';

const patienceMs = 60_000;
export const schema = 'cabinet_production';

export interface Room {
  catalog: Catalog;
  search: Search;
  application: Registered;
  /** Bytes of large contents, by the names of their blobs. */
  blobs: Map<string, Buffer>;
}

function toBlobs(bytes: ReadonlyMap<string, Buffer>): Blobs {
  return {
    async *open(id: string, start: number, end: number) {
      const found = bytes.get(id);
      if (found === undefined) throw new Error(`there is no blob ${id}`);
      yield found.subarray(start, end);
    },
  } as Partial<Blobs> as Blobs;
}

/** The context of a test, which closes what was opened when it is over. */
export interface Closing {
  after(close: () => unknown): void;
}

/** One node: a catalog and an index that begins to follow it. */
export async function openNode(context: Closing, url: string): Promise<Omit<Room, 'application'>> {
  const blobs = new Map<string, Buffer>();
  const options = { url, schema, maxConnections: 4 };
  let search: Search | null = null;
  const engine = await openPostgres(options, { onSequenced: () => search?.nudge() });
  const onBackgroundError = (error: unknown) => assert.fail(String((error as Error).stack));
  search = openPostgresSearch({
    ...{ pool: engine.pool, options, blobs: toBlobs(blobs), extractTimeoutMs: 60_000 },
    onBackgroundError,
  });
  const node = { catalog: toCatalog(engine), search, blobs };
  search.follow();
  context.after(async () => {
    await node.search.close();
    await node.catalog.close();
  });
  return node;
}

export async function openPostgresRoom(context: Closing, url: string): Promise<Room> {
  const node = await openNode(context, url);
  return { ...node, application: await addApplication(node.catalog, 'app') };
}

export async function openSqliteRoom(context: Closing): Promise<Room> {
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-search-'));
  const path = join(folder, 'catalog.db');
  const blobs = new Map<string, Buffer>();
  const search = openSqliteSearch({
    ...{ catalogPath: path, indexPath: join(folder, 'search.db'), reserveBytes: 0, extractTimeoutMs: 60_000 },
    blobs: toBlobs(blobs),
    onBackgroundError: (error) => assert.fail(String(error)),
  });
  const onFatal = (fault: unknown) => assert.fail(String(fault));
  const catalog = toCatalog(await openSqlite({ path, onFatal, onCommitted: () => search.nudge() }));
  search.follow();
  context.after(async () => {
    await search.close();
    await catalog.close();
    rmSync(folder, { recursive: true });
  });
  return { catalog, search, blobs, application: await addApplication(catalog, 'app') };
}

export async function eventually(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const until = Date.now() + patienceMs;
  while (!(await isSo())) {
    assert.ok(Date.now() < until, what);
    await sleep(50);
  }
}

export async function isCaughtUp({ catalog, search }: Pick<Room, 'catalog' | 'search'>): Promise<boolean> {
  const { position, walk, waiting } = await search.status();
  const last = (await catalog.findJournalEnds({}))?.last ?? 0;
  return position === last && walk === null && waiting === 0;
}

export async function catchUp(node: Pick<Room, 'catalog' | 'search'>): Promise<void> {
  await eventually('the index is up to date', () => isCaughtUp(node));
}

/** Every entry that is proposed, slice after slice, in order. */
export async function collect({ search, application: { space } }: Room, q: string) {
  const query = search.parse(q);
  const all: { entry: number; score: number }[] = [];
  for (let stage = 0; stage < 2; stage += 1) {
    for (let before: number | null = null; ; ) {
      const ranked = await search.rank({ space, query, stage, before });
      all.push(...ranked.entries);
      stage = ranked.stage;
      if (ranked.next === null) break;
      before = ranked.next;
    }
  }
  return all;
}

/** Sessions that hold the lock of whoever indexes. */
export async function countLeaders(pool: ReturnType<typeof openPool>): Promise<number> {
  const { rows } = await pool.query(
    `SELECT count(*) AS count FROM pg_locks JOIN pg_database ON pg_database.oid = database
     WHERE locktype = 'advisory' AND objsubid = 2 AND granted AND datname = current_database() AND mode = 'ExclusiveLock'
       AND pid IN (SELECT pid FROM pg_stat_activity WHERE state = 'idle')`,
  );
  return rows[0].count;
}

/** Every write of a document, and by which connection. */
export const noteWrites = `CREATE TABLE written (entry BIGINT, by INTEGER);
  CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN INSERT INTO written VALUES (NEW.entry, pg_backend_pid()); RETURN NEW; END';
  CREATE TRIGGER note AFTER INSERT OR UPDATE ON search_documents FOR EACH ROW EXECUTE FUNCTION note()`;
