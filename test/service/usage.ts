// Reads the catalog of a service, stopped or running: compares what is counted with what is there.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const trees = 'SELECT count(*) AS n FROM hidden_trees';
const entries = 'SELECT count(*) AS n FROM entries WHERE parent IS NOT NULL';

function inCatalog<Result>(dataFolder: string, use: (catalog: DatabaseSync) => Result): Result {
  using catalog = new DatabaseSync(join(dataFolder, 'production/catalog.db'), { readOnly: true });
  return use(catalog);
}

/** Entries and bytes are counted exactly, of every space and of everyone in it. */
export function assertUsageIsExact(dataFolder: string): void {
  const [counted, found] = inCatalog(dataFolder, (catalog) => [
    catalog.prepare('SELECT space, actor, entries, bytes FROM usage ORDER BY space, actor').all(),
    catalog
      .prepare(
        `SELECT space, actor, sum(entries) AS entries, sum(bytes) AS bytes FROM (
           SELECT space, actor, 0 AS entries, 0 AS bytes FROM usage
           UNION ALL SELECT space, '', 1, 0 FROM entries WHERE parent IS NOT NULL
           UNION ALL SELECT space, created_by, 1, 0 FROM entries WHERE parent IS NOT NULL
           UNION ALL SELECT entries.space, '', 0, contents.size
             FROM versions JOIN contents USING (content) JOIN entries USING (entry)
           UNION ALL SELECT entries.space, versions.created_by, 0, contents.size
             FROM versions JOIN contents USING (content) JOIN entries USING (entry)
         ) GROUP BY space, actor ORDER BY space, actor`,
      )
      .all(),
  ]);
  assert.deepEqual(counted, found);
}

/** As `countHidden` counts them, for those who look again and again: finding strays takes its time. */
export function countTrees(dataFolder: string): number {
  return inCatalog(dataFolder, (catalog) => count(catalog, trees));
}

export function countEntries(dataFolder: string): number {
  return inCatalog(dataFolder, (catalog) => count(catalog, entries));
}

/** Trees that are being copied or taken apart, and entries that no root, trash or hidden folder leads to. */
export function countHidden(dataFolder: string): { trees: number; strays: number; entries: number } {
  return inCatalog(dataFolder, (catalog) => ({
    trees: count(catalog, trees),
    strays: count(
      catalog,
      `WITH RECURSIVE reached (entry) AS (
         SELECT entry FROM entries WHERE parent IS NULL
         UNION ALL SELECT entries.entry FROM entries JOIN reached ON entries.parent = reached.entry
       ) SELECT count(*) AS n FROM entries WHERE entry NOT IN (SELECT entry FROM reached)`,
    ),
    entries: count(catalog, entries),
  }));
}

function count(catalog: DatabaseSync, sql: string): number {
  return (catalog.prepare(sql).get() as { n: number }).n;
}
