// The records of an environment in PostgreSQL, which any number of nodes share.

import { keysInCatalog } from '../auth/keys.ts';
import { announceCommits } from '../catalog/commits.ts';
import { openPostgres } from '../catalog/postgres/postgres.ts';
import type { Config } from '../config/config.ts';
import type { EnvironmentName } from '../domain/environment-name.ts';
import { openPostgresSearch } from '../search/postgres/search.ts';
import { type Opening, type PostgresConfig, type Records, toObserved, toPostgresOptions } from './records.ts';

export async function openShared(config: Config, name: EnvironmentName, opening: Opening): Promise<Records> {
  const { blobs, commits, journalKeys, onBackgroundError, observed } = opening;
  const clock = opening.clock === undefined ? {} : { clock: opening.clock };
  const options = toPostgresOptions(config.catalog as PostgresConfig, name);
  const followers = new Set<() => void>();
  const onSequenced = (spaces: readonly number[]) => {
    for (const space of spaces) commits.announce(space);
    for (const hear of followers) hear();
  };
  const engine = await openPostgres(options, {
    ...clock,
    onSequenced,
    onBackgroundError,
    journalKey: (end) => journalKeys.ensure(end),
    onBatch: (writes, seconds) => observed?.metrics.countBatch(writes, seconds),
  });
  const search = openPostgresSearch({
    pool: engine.pool,
    options,
    blobs,
    extractTimeoutMs: config.searchSeconds * 1000,
    onBackgroundError,
    ...clock,
  });
  followers.add(() => search.nudge());
  const catalog = announceCommits(toObserved(engine, opening), commits);
  return {
    catalog,
    search,
    keyStore: keysInCatalog(catalog),
    isReachable: () => engine.isReachable(),
    pool() {
      const { totalCount: total, idleCount: idle, waitingCount: waiting } = engine.pool;
      return { total, idle, waiting };
    },
    useNewestJournalKey: () => engine.changeJournalKey(),
    runExclusive: (work, purpose = 'sweep') => engine.runExclusive(purpose, work),
    workers: null,
  };
}
