// The baseline of PostgreSQL: one row of the size of a save per transaction, on as many connections as the saves use. Runs as its
// own process, like the load generator. One JSON document in, one out.

import { randomBytes, randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { bodySizeBytes } from './job.ts';
import { sleep } from './scenario.ts';

export type BareJob = { url: string; connections: number; seconds: number; warmupSeconds: number };
export type BareResult = { requests: number; seconds: number };

async function run({ url, connections, seconds, warmupSeconds }: BareJob): Promise<BareResult> {
  const clients = await Promise.all(
    Array.from({ length: connections }, async () => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      return client;
    }),
  );
  await clients[0]?.query('CREATE TABLE IF NOT EXISTS bare (id TEXT PRIMARY KEY, bytes BYTEA NOT NULL)');
  const bytes = randomBytes(bodySizeBytes);
  let done = 0;
  let isOver = false;
  const insert = async (client: pg.Client) => {
    while (!isOver) {
      // Outside of a transaction block, every statement is committed by itself.
      await client.query({ name: 'insert', text: 'INSERT INTO bare VALUES ($1, $2)', values: [randomUUID(), bytes] });
      done += 1;
    }
  };
  const inserting = Promise.all(clients.map(insert));
  await sleep(warmupSeconds * 1000);
  const [before, startMs] = [done, performance.now()];
  await sleep(seconds * 1000);
  const result = { requests: done - before, seconds: (performance.now() - startMs) / 1000 };
  isOver = true;
  await inserting;
  await Promise.all(clients.map((client) => client.end()));
  return result;
}

process.stdout.write(JSON.stringify(await run(JSON.parse(await text(process.stdin)) as BareJob)));
