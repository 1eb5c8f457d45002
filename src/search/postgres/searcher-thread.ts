// The thread that answers queries from the index on PostgreSQL: scoring matches and searching long texts for snippets block no
// requests.

import { parentPort, workerData } from 'node:worker_threads';
import { toFault } from '../../catalog/postgres/connection.ts';
import { exitOnRequest } from '../../runtime/threads.ts';
import type { FromSearcher, ToSearcher } from '../searcher-host.ts';
import { PostgresSearcher, type PostgresSearcherData } from './searcher.ts';

const searcher = new PostgresSearcher(workerData as PostgresSearcherData);

function answer(message: ToSearcher): Promise<unknown> {
  if ('rank' in message) return searcher.rank(message.rank);
  return 'snippets' in message ? searcher.snippets(message.snippets) : searcher.status();
}

exitOnRequest();
parentPort?.on('message', async (message: ToSearcher) => {
  const { id } = message;
  try {
    parentPort?.postMessage({ id, result: await answer(message) } satisfies FromSearcher);
  } catch (error) {
    const fault = String((error as Error).stack);
    parentPort?.postMessage({ id, fault, kind: toFault(error).kind } satisfies FromSearcher);
  }
});
