// The records of an environment as an engine opens them, whichever it is.

import type { KeyStore } from '../auth/keys.ts';
import type { Blobs } from '../blobs/blobs.ts';
import { type Catalog, toCatalog } from '../catalog/catalog.ts';
import type { Commits } from '../catalog/commits.ts';
import type { JournalKeys } from '../catalog/journal-keys.ts';
import type { PostgresOptions } from '../catalog/postgres/connection.ts';
import type { Engine } from '../catalog/sql.ts';
import type { SqliteEngine } from '../catalog/sqlite/sqlite.ts';
import type { Config } from '../config/config.ts';
import type { EnvironmentName } from '../domain/environment-name.ts';
import type { Fault } from '../domain/fault.ts';
import type { JobEnvironment } from '../jobs/job.ts';
import type { Clock } from '../runtime/clock.ts';
import type { SyncGuard } from '../runtime/sync-guard.ts';
import type { Search } from '../search/search.ts';
import type { EnvironmentMetrics, PoolReading } from '../telemetry/environment-metrics.ts';
import { observeCatalog } from '../telemetry/observed-catalog.ts';
import type { Tracer } from '../telemetry/tracer.ts';

export interface StorageEvents {
  /** It can promise nothing any more. */
  onFatal(fault: Fault): void;
  /** Background work failed, a job or another part; it will be retried. */
  onBackgroundError(error: unknown, job?: string): void;
  /** What is counted and traced, where somebody wants to know. */
  observed?: { metrics: EnvironmentMetrics; tracer: Tracer | null };
  /** The system's, unless a test moves it. */
  clock?: Clock;
}

export interface Records {
  catalog: Catalog;
  search: Search;
  keyStore: KeyStore;
  isReachable(): boolean;
  /** The connections to the database; null: there are none. */
  pool(): PoolReading | null;
  /** Runs what one node of a cluster should do at a time; null: another node is doing it. */
  runExclusive: JobEnvironment['runExclusive'];
  /** Makes the links of the journal with the newest key from now on. */
  useNewestJournalKey(): Promise<void>;
  /** How other threads of this process come to the records; null: by themselves. */
  workers: Pick<SqliteEngine, 'openWorkerPort' | 'noteCommit' | 'commitCounter'> | null;
}

export type PostgresConfig = Extract<Config['catalog'], { kind: 'postgres' }>;

export function toPostgresOptions(
  { url, schema, maxConnections }: PostgresConfig,
  name: EnvironmentName,
): PostgresOptions {
  return { url, schema: `${schema}_${name}`, maxConnections };
}

export function toObserved(engine: Engine, { observed }: Pick<StorageEvents, 'observed'>): Catalog {
  const catalog = toCatalog(engine);
  return observed === undefined ? catalog : observeCatalog(catalog, observed.metrics, observed.tracer);
}

export interface Opening extends StorageEvents {
  blobs: Blobs;
  commits: Commits;
  syncGuard: SyncGuard;
  journalKeys: JournalKeys;
}
