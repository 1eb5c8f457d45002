// A process that does nothing but keep the search index of a database up to date, until it is killed.

import type { Blobs } from '../../src/blobs/blobs.ts';
import { openPool } from '../../src/catalog/postgres/connection.ts';
import { openPostgresSearch } from '../../src/search/postgres/search.ts';

const [url = '', schema = ''] = process.argv.slice(2);
const search = openPostgresSearch({
  pool: openPool({ url, schema, maxConnections: 1 }),
  options: { url, schema },
  blobs: {} as Blobs,
  extractTimeoutMs: 10_000,
  onBackgroundError(error) {
    throw error;
  },
});
search.follow();
setInterval(() => search.nudge(), 50);
process.send?.('started');
