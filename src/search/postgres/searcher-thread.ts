// The thread that answers queries from the index on PostgreSQL: scoring matches and searching long texts for snippets block no
// requests.

import { parentPort, workerData } from 'node:worker_threads';
import { toFault } from '../../catalog/postgres/connection.ts';
import { exitOnRequest } from '../../runtime/threads.ts';
import { type Port, WorkerCalls } from '../../runtime/worker-calls.ts';
import type { SearcherFunctions } from '../searcher-host.ts';
import { PostgresSearcher, type PostgresSearcherData } from './searcher.ts';

const searcher = new PostgresSearcher(workerData as PostgresSearcherData);

/** The kind of fault decides whether the caller may retry. */
function fail(error: unknown): never {
  throw toFault(error);
}

exitOnRequest();
new WorkerCalls(parentPort as Port, {
  rank: (request) => searcher.rank(request).catch(fail),
  snippets: (request) => searcher.snippets(request).catch(fail),
  status: () => searcher.status().catch(fail),
} satisfies SearcherFunctions);
