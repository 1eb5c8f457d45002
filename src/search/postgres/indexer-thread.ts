// The thread that writes the index on PostgreSQL. Every node has one; the one whose connection holds the lock indexes, the others
// stand by. A node that dies loses its connection, and with it the lock.

import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { isLost, openPool, toFault } from '../../catalog/postgres/connection.ts';
import { type Port, WorkerCalls } from '../../runtime/worker-calls.ts';
import { Extractor } from '../extract/extractor.ts';
import type { IndexerFunctions, IndexerHostFunctions } from '../indexer-host.ts';
import { IndexerLoops } from '../indexer-loops.ts';
import { readBlobsFrom } from '../read-blobs.ts';
import { readNextOf } from '../read-waiting.ts';
import { PostgresFollower } from './follower.ts';
import { PostgresSession } from './session.ts';

export interface PostgresIndexerData {
  url: string;
  schema: string;
  extractTimeoutMs: number;
}

/** How often a standby node tries to take the lock. */
const standByMs = 1000;
/** How long closing waits for a database that does not respond. */
const closeTimeoutMs = 5000;

class PostgresIndexer {
  readonly #data: PostgresIndexerData;
  readonly #closing = new AbortController();
  /** Null while another node indexes. */
  #loops: IndexerLoops | null = null;

  constructor(data: PostgresIndexerData) {
    this.#data = data;
  }

  wake(): void {
    this.#loops?.wake();
  }

  close(): void {
    setTimeout(() => process.exit(), closeTimeoutMs).unref();
    this.#closing.abort();
    this.#loops?.stop();
  }

  async run(): Promise<void> {
    const { url, schema } = this.#data;
    const pool = openPool({ url, schema, maxConnections: 1 });
    while (!this.#closing.signal.aborted) {
      const client = await pool.connect().catch(ignoreLost);
      if (client !== null) {
        await this.#serve(new PostgresSession(client)).catch(ignoreLost);
        client.release(true);
      }
      await this.#pause();
    }
    await pool.end();
    parentPort?.close();
  }

  async #serve(session: PostgresSession): Promise<void> {
    await session.prepare();
    while (!(await session.lead(this.#data.schema))) {
      await this.#pause();
      if (this.#closing.signal.aborted) return;
    }
    const loops = this.#toLoops(session);
    this.#loops = loops;
    if (this.#closing.signal.aborted) loops.stop();
    await loops.run().finally(() => {
      this.#loops = null;
    });
  }

  #toLoops(session: PostgresSession): IndexerLoops {
    const follower = new PostgresFollower(session);
    const extractor = new Extractor(this.#data.extractTimeoutMs);
    const loops = new IndexerLoops({
      follow: async () => (await attempt(() => follow(follower))) ?? false,
      readNext: (after) => attempt(() => readNextOf(follower, reader, after)),
      onReceived: () => main.notify('received', null),
    });
    const { signal } = loops;
    const reader = { extractor, readBlob: readBlobsFrom(main, signal), signal };
    // Abandons the document that is being read.
    signal.addEventListener('abort', () => void extractor.close());
    return loops;
  }

  async #pause(): Promise<void> {
    await sleep(standByMs, undefined, { signal: this.#closing.signal }).catch(() => undefined);
  }
}

async function follow(follower: PostgresFollower): Promise<boolean> {
  const hasMore = await follower.follow();
  const hasWalked = await follower.walk();
  return hasMore || hasWalked;
}

/** Null when the disk is full: it is retried later. */
async function attempt<Result>(work: () => Promise<Result>): Promise<Result | null> {
  try {
    return await work();
  } catch (error) {
    if (toFault(error).kind === 'full') return null;
    throw error;
  }
}

/** The catalog reports a database that cannot be reached. */
function ignoreLost(error: unknown): null {
  if (!isLost(error)) throw error;
  return null;
}

const main: WorkerCalls<IndexerHostFunctions> = new WorkerCalls(parentPort as Port, {
  more: () => indexer.wake(),
  close: () => indexer.close(),
} satisfies Omit<IndexerFunctions, 'rebuild'>);
const indexer = new PostgresIndexer(workerData as PostgresIndexerData);
main.notify('ready', null);
await indexer.run();
