// What `cabinet migrate` works on, by configuration: opens an environment in the storage that it has and in the one that it
// is to have, for as long as it is moved. What is the same in both is not opened twice.
// What speaks to PostgreSQL and to S3 is loaded only where it is used.

import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { keysInFolder } from '../auth/keys.ts';
import type { Blobs } from '../blobs/blobs.ts';
import { openLocalBlobs, readLocalBlobs } from '../blobs/local/local.ts';
import type { S3Options } from '../blobs/s3/s3.ts';
import { openSqliteTables } from '../catalog/sqlite/tables.ts';
import type { StoreRole, TableStore } from '../catalog/table-store.ts';
import { findMeta, setMeta } from '../catalog/tables.ts';
import type { Config } from '../config/config.ts';
import type { EnvironmentName } from '../domain/environment-name.ts';
import { syncFolder } from '../runtime/durable-file.ts';
import { toPostgresOptions } from '../server/records.ts';
import {
  folderOf,
  openArchivedJournal,
  openKeysOfJournal,
  type StorageConfig,
  toS3Options,
} from '../server/storage.ts';
import { type MigrationReport, migrate } from './migrate/migrate.ts';
import { type BlobMove, type KeyStorage, type Migration, MigrationError, type Side } from './migrate/side.ts';

export type MigrateOptions = Pick<Migration, 'isContentsOnly' | 'verify' | 'onProgress'>;

/** Null: there is no such environment. */
export async function migrateEnvironment(
  from: Config,
  to: Config,
  name: EnvironmentName,
  options: MigrateOptions,
): Promise<MigrationReport | null> {
  const moved = {
    records: describeRecords(from, name) !== describeRecords(to, name),
    journalFiles: describeJournal(from, name) !== describeJournal(to, name),
  };
  const areBlobsMoved = describeBlobs(from, name) !== describeBlobs(to, name);
  if (!moved.records && !areBlobsMoved) throw new MigrationError('Everything is kept there already.');
  const opened = new Opened();
  try {
    const source = await openSide(from, name, 'source', opened);
    if (source === null) return null;
    await makeFolder(to, name);
    const archived = await openArchivedJournal(to, name);
    const kept = { ...source, journalFiles: archived, journalKeys: await openKeysOfJournal(to, name) };
    const target = moved.records ? await openSide(to, name, 'target', opened) : kept;
    if (target === null) return null;
    const blobs = areBlobsMoved ? await openBlobs(from, to, name, opened) : null;
    return await migrate({ source, target, blobs, moved, ...options });
  } finally {
    await opened.close();
  }
}

/** Closed in the reverse order. */
class Opened {
  readonly #closes: (() => Promise<void>)[] = [];

  add<Part extends { close(): Promise<void> }>(part: Part): Part {
    this.#closes.push(() => part.close());
    return part;
  }

  async close(): Promise<void> {
    for (const close of this.#closes.reverse()) await close();
  }
}

/** For people, and to compare: another text is another location. */
export function describeRecords(config: Config, name: EnvironmentName): string {
  const { catalog } = config;
  if (catalog.kind === 'sqlite') return `SQLite in ${folderOf(config, name)}`;
  const { url, schema } = toPostgresOptions(catalog, name);
  const { hostname, port, pathname, searchParams } = new URL(url);
  const server = `${searchParams.get('host') ?? hostname}:${port || searchParams.get('port') || 5432}`;
  return `PostgreSQL at ${server}${pathname}, schema ${schema}`;
}

export function describeBlobs(config: Config, name: EnvironmentName): string {
  const s3 = toS3Options(config, name);
  if (s3 === null) return `the folder ${join(folderOf(config, name), 'blobs')}`;
  const { endpoint, region, bucket, prefix } = s3;
  return `S3 at ${endpoint ?? `Amazon${region === null ? '' : ` ${region}`}`}, ${bucket}/${prefix}`;
}

function describeJournal(config: Config, name: EnvironmentName): string {
  return config.catalog.kind === 'postgres' && config.blobs.kind === 's3' ? describeBlobs(config, name) : 'the folder';
}

/** New names in these folders are durable before anything relies on them. */
async function makeFolder(config: Config, name: EnvironmentName): Promise<void> {
  const folder = folderOf(config, name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const named of [folder, config.dataFolder, dirname(config.dataFolder)]) await syncFolder(named);
}

async function openSide(config: Config, name: EnvironmentName, role: StoreRole, opened: Opened): Promise<Side | null> {
  const location = describeRecords(config, name);
  const tables = await openTables(config, name, role).catch((error) => failAt(location, error));
  if (tables === null) return null;
  opened.add(tables);
  const keys = config.catalog.kind === 'sqlite' ? keysInFolder(folderOf(config, name)) : keysInTables(tables);
  const journalKeys = await openKeysOfJournal(config, name);
  return { name: location, tables, keys, journalKeys, journalFiles: await openArchivedJournal(config, name) };
}

export async function openTables({ catalog, ...config }: StorageConfig, name: EnvironmentName, role: StoreRole) {
  if (catalog.kind === 'postgres') {
    const { openPostgresTables } = await import('../catalog/postgres/tables.ts');
    const { LinkKeys } = await import('../catalog/postgres/link-keys.ts');
    const journalKeys = await openKeysOfJournal({ catalog, ...config }, name);
    // Never a key of its own: the chain goes on with that of the source, which may have none.
    return await openPostgresTables(toPostgresOptions(catalog, name), role, new LinkKeys(() => journalKeys.newest()));
  }
  return openSqliteTables(join(folderOf(config, name), 'catalog.db'), role);
}

/** As `keysInCatalog` has them. */
function keysInTables(tables: TableStore): KeyStorage {
  const name = 'setting keys';
  return { read: () => tables.read(findMeta(name)), write: (text) => tables.write([setMeta(name, text)]) };
}

async function openBlobs(from: Config, to: Config, name: EnvironmentName, opened: Opened): Promise<BlobMove> {
  const [fromName, toName] = [describeBlobs(from, name), describeBlobs(to, name)];
  const [fromS3, toS3] = [toS3Options(from, name), toS3Options(to, name)];
  const onFatal = () => undefined;
  const source = fromS3 === null ? readLocalBlobs(folderOf(from, name)) : opened.add(await openS3(fromS3).catch(fail));
  const target = toS3 === null ? openLocalBlobs({ folder: folderOf(to, name), onFatal }) : openS3(toS3);
  return { from: source, to: opened.add(await target.catch(fail)), fromName, toName };
}

export async function openS3(options: S3Options): Promise<Blobs> {
  const { openS3Blobs } = await import('../blobs/s3/s3.ts');
  return await openS3Blobs(options);
}

/** Adds the location and the system's reason. */
function failAt(location: string, error: unknown): never {
  const { message, cause } = error as Error;
  const { message: more, code } = (cause ?? {}) as NodeJS.ErrnoException;
  const reason = more || code;
  const text = reason === undefined || message.includes(reason) ? message : `${message}: ${reason}`;
  throw new MigrationError(`${location}: ${text}`);
}

/** The messages of blob stores are complete. */
function fail(error: Error): never {
  throw new MigrationError(error.message);
}
