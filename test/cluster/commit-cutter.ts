// Stands between an engine and PostgreSQL and cuts a connection at its COMMIT: before the server has heard of it, or after,
// when the answer is on its way back.

import { createHash } from 'node:crypto';
import { connect, createServer, type Socket } from 'node:net';

export type Cut = 'before' | 'after';

export interface CommitCutter {
  url: string;
  /** Cuts at one of the next commits. */
  cutNext(cut: Cut): void;
  /** How often it has cut. */
  readonly cuts: number;
  close(): Promise<void>;
}

/** A prepared statement is known to the server by the name that the engine gives its text. */
const commitName = createHash('sha256').update('COMMIT').digest('base64url').slice(0, 24);

export async function startCommitCutter(url: string): Promise<CommitCutter> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let next: Cut | null = null;
  let cuts = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let isSilenced = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (data) => {
      if (next === null || !data.includes(commitName)) {
        upstream.write(data);
        return;
      }
      const cut = next;
      next = null;
      cuts += 1;
      isSilenced = true;
      if (cut === 'after') upstream.write(data, () => setTimeout(() => client.destroy(), 20));
      else client.destroy();
    });
    upstream.on('data', (data) => {
      if (!isSilenced) client.write(data);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const through = new URL(url);
  through.port = String((server.address() as { port: number }).port);
  return {
    url: through.href,
    cutNext(cut) {
      next = cut;
    },
    get cuts() {
      return cuts;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
