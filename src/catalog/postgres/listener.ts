// Listens for notifications of other nodes about changed spaces, on its own connection, which is reopened when it is lost.
// Notifications are missed while it is closed, so waiting requests also poll.

import pg from 'pg';
import { systemClock, type Timer } from '../../runtime/clock.ts';
import { openPool, type PostgresOptions } from './connection.ts';

const openAgainMs = 1000;

export interface Listener {
  close(): Promise<void>;
}

export async function listen(
  options: PostgresOptions,
  onHeard: (spaces: readonly number[]) => void,
  clock = systemClock,
): Promise<Listener> {
  const pool = openPool({ ...options, maxConnections: 1 });
  let isClosed = false;
  let opening: Timer | null = null;
  /** Returns the current connection to the pool, once; the pool ends when it has all of them. */
  let letGo = () => {};
  const open = async () => {
    const opened = await pool.connect();
    let isHeld = true;
    letGo = () => {
      if (isHeld) opened.release(true);
      isHeld = false;
    };
    // It may have been closed while the connection was being opened.
    if (isClosed) return letGo();
    opened.on('notification', ({ payload }) => onHeard(JSON.parse(payload ?? '[]') as number[]));
    opened.on('error', again);
    await opened.query(`LISTEN ${pg.escapeIdentifier(options.schema)}`);
  };
  const again = () => {
    letGo();
    if (isClosed || opening !== null) return;
    opening = clock.after(openAgainMs, () => {
      opening = null;
      void open().catch(again);
    });
  };
  const close = async () => {
    isClosed = true;
    letGo();
    await pool.end();
  };
  await open().catch(async (error) => {
    await close();
    throw error;
  });
  return { close };
}
