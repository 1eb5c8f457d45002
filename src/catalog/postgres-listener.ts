// Hears from the other nodes which spaces have changed: a connection of its own that listens, and is opened again when it
// is lost. What is said while it is not open is missed; whoever waits looks again from time to time.

import pg from 'pg';
import { openPool, type PostgresOptions } from './postgres-connection.ts';

const openAgainMs = 1000;

export interface Listening {
  close(): Promise<void>;
}

export async function listen(
  options: PostgresOptions,
  onHeard: (spaces: readonly number[]) => void,
): Promise<Listening> {
  const pool = openPool({ ...options, mostConnections: 1 });
  let isClosed = false;
  let client: pg.PoolClient | null = null;
  const open = async () => {
    const opened = await pool.connect();
    client = opened;
    opened.on('notification', ({ payload }) => onHeard(JSON.parse(payload ?? '[]') as number[]));
    opened.once('error', () => {
      client = null;
      opened.release(true);
      again();
    });
    await opened.query(`LISTEN ${pg.escapeIdentifier(options.schema)}`);
  };
  const again = () => {
    if (isClosed) return;
    setTimeout(() => void open().catch(again), openAgainMs).unref();
  };
  await open();
  return {
    async close() {
      isClosed = true;
      client?.removeAllListeners('error').on('error', () => undefined);
      client?.release(true);
      await pool.end();
    },
  };
}
