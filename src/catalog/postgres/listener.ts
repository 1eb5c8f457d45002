// Hears from the other nodes which spaces have changed: a connection of its own that listens, and is opened again when it
// is lost. What is said while it is not open is missed; whoever waits looks again from time to time.

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
  /** Gives back the connection that is there, once; the pool ends when it has them all. */
  let letGo = () => {};
  const open = async () => {
    const opened = await pool.connect();
    let isHeld = true;
    letGo = () => {
      if (isHeld) opened.release(true);
      isHeld = false;
    };
    // Somebody may have closed it while we were on our way.
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
