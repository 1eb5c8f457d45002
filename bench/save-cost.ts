// The scenario `cost`: what one durable save of 4 KiB, and one read of it, cost on each engine, in processor time and bytes,
// including checkpoints, archiving and indexing. `scale.ts` calculates with these figures.

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres } from '../test/cluster/postgres.ts';
import { Children } from './children.ts';
import { Client } from './client.ts';
import { describeConditions } from './conditions.ts';
import { Neighbours, untilQuiet } from './cost.ts';
import type { Options } from './options.ts';
import { readCpuMicros, readDiskBytes, readEachThreadMicros, readThreadMicros } from './process-cost.ts';
import { runLoad } from './run-load.ts';
import { type Scenario, say } from './scenario.ts';
import { createFolder, type Service, savesInto, startService } from './service.ts';
import { layOut, show } from './table.ts';

const connections = 64;
const mostReads = 5000;
const readsInFlight = 16;

/** Per request; null where it cannot be known or was not measured yet. */
export type EngineCost = {
  /** Processor time of the node, all threads. */
  nodeMicros: number | null;
  /** Of its busiest thread, which is what one node can do at most. */
  busiestThreadMicros: number | null;
  /** Processor time of the database server, where it is a process of its own. */
  databaseMicros: number | null;
  /** SQLite: all that the node gives to the disk. PostgreSQL: its write-ahead log. */
  writtenBytes: number | null;
  /** What the database has grown by, indexes and the search index included. */
  storedBytes: number | null;
  readNodeMicros: number | null;
  readDatabaseMicros: number | null;
  /** How many there were in a second: on this machine, beside the load generator. */
  savesPerSecond: number | null;
};

export const cost: Scenario = {
  what: 'what a save costs on each engine, in processor time and bytes: what `scale` reckons with',
  size: 20_000,
  async run(children, options) {
    const neighbours = new Neighbours();
    say('on SQLite');
    const sqlite = await measureSqlite(children, options);
    say('on PostgreSQL');
    const postgres = await measurePostgres(options);
    const others = `others used ${show(neighbours.percent(), 0)} % of the machine`;
    const measured = describeConditions(options, [`${options.size} saves over ${connections} connections`, others]);
    const engines = { sqlite, postgres };
    return { markdown: `${measured}\n\n${toTable(engines)}\n`, isHeld: true, figures: { measured, engines } };
  },
};

async function measureSqlite(children: Children, options: Options): Promise<EngineCost> {
  const service = await startService(children, options);
  const folder = join(children.folder, 'data', 'production');
  return await measure(
    { children, service, options },
    {
      readMicros: () => 0,
      writtenBytes: async () => readDiskBytes(service.pid) ?? 0,
      storedBytes: async () => sizeOf(folder),
    },
  );
}

/** The log is begun anew, not cut: its size says nothing. */
function sizeOf(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => !/-(wal|shm)$/.test(name));
  return names
    .map((name) => statSync(join(folder, name)))
    .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0);
}

async function measurePostgres(options: Options): Promise<EngineCost> {
  const server = await startPostgres();
  const children = new Children(options.dataParent);
  const client = new pg.Client(server.url);
  await client.connect();
  const ask = async (sql: string) =>
    Number((await client.query<{ value: string }>(`SELECT ${sql} AS value`)).rows[0]?.value);
  try {
    const pid = await ask(`split_part(pg_read_file('postmaster.pid'), E'\\n', 1)`);
    const settings = { ...options.settings, CABINET_CATALOG: server.url };
    const service = await startService(children, { ...options, settings });
    return await measure(
      { children, service, options: { ...options, settings } },
      {
        readMicros: () => readCpuMicros(pid) ?? 0,
        writtenBytes: () => ask(`pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')`),
        async storedBytes() {
          await client.query('CHECKPOINT');
          return await ask('pg_database_size(current_database())');
        },
      },
    );
  } finally {
    await client.end();
    await children.close();
    await server.stop();
  }
}

/** What can be read of a database, wherever it runs. */
type Database = {
  readMicros(): number;
  writtenBytes(): Promise<number>;
  storedBytes(): Promise<number>;
};

type Bench = { children: Children; service: Service; options: Options };

async function measure({ children, service, options }: Bench, database: Database): Promise<EngineCost> {
  const count = options.size ?? 0;
  const folderId = await createFolder(service, 'cost');
  // Plans are made, code is compiled, tables have their first pages.
  await save(children, service, { folderId, label: 'warm', count: Math.ceil(count / 10) });
  await untilQuiet(children, service, options);
  const look = async () => ({
    node: readThreadMicros(service.pid) ?? 0,
    threads: readEachThreadMicros(service.pid),
    database: database.readMicros(),
    written: await database.writtenBytes(),
    stored: await database.storedBytes(),
  });
  const before = await look();
  const begunAt = performance.now();
  await save(children, service, { folderId, label: 'cost', count });
  const savesPerSecond = (1000 * count) / (performance.now() - begunAt);
  await untilQuiet(children, service, options);
  const after = await look();
  const threads = [...(after.threads ?? [])].map(([thread, micros]) => micros - (before.threads?.get(thread) ?? 0));
  const each = (from: number, to: number) => (to - from) / count;
  return {
    nodeMicros: each(before.node, after.node),
    busiestThreadMicros: Math.max(...threads) / count,
    databaseMicros: each(before.database, after.database),
    writtenBytes: each(before.written, after.written),
    storedBytes: each(before.stored, after.stored),
    ...(await measureReads(service, folderId, database)),
    savesPerSecond,
  };
}

async function save(
  children: Children,
  service: Service,
  { folderId, label, count }: { folderId: string; label: string; count: number },
): Promise<void> {
  const limit = { requests: count };
  await runLoad(children, { ...savesInto(service, folderId), label, areNamesOrdered: false, connections, limit });
}

async function measureReads(service: Service, folderId: string, database: Database) {
  const client = new Client(service);
  const page = await client.json<{ Children: { Id: string }[] }>(`/folders/${folderId}?limit=1000`);
  const ids = page.Children.map(({ Id }) => Id);
  const queue = Array.from({ length: mostReads }, (_, index) => ids[index % ids.length] as string).values();
  const [nodeBefore, databaseBefore] = [readThreadMicros(service.pid) ?? 0, database.readMicros()];
  const work = async () => {
    for (const id of queue) await client.ask(`/files/${id}/content`);
  };
  await Promise.all(Array.from({ length: readsInFlight }, work));
  const [nodeAfter, databaseAfter] = [readThreadMicros(service.pid) ?? 0, database.readMicros()];
  client.close();
  return {
    readNodeMicros: (nodeAfter - nodeBefore) / mostReads,
    readDatabaseMicros: (databaseAfter - databaseBefore) / mostReads,
  };
}

function toTable(engines: Record<string, EngineCost>): string {
  const lines: [string, keyof EngineCost][] = [
    ['node, CPU µs per save', 'nodeMicros'],
    ['of that, its busiest thread', 'busiestThreadMicros'],
    ['database, CPU µs per save', 'databaseMicros'],
    ['written, bytes per save of 4 KiB', 'writtenBytes'],
    ['kept, bytes per save of 4 KiB', 'storedBytes'],
    ['node, CPU µs per read', 'readNodeMicros'],
    ['database, CPU µs per read', 'readDatabaseMicros'],
    ['saves/s here', 'savesPerSecond'],
  ];
  const names = Object.keys(engines);
  const rows = lines.map(([title, key]) => [title, ...names.map((name) => show(engines[name]?.[key] ?? null, 0))]);
  return layOut(['', ...names], rows);
}
