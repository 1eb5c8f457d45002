// What a peer of the benchmark `peers` is: another server that takes files over HTTP, started on a folder of its own, and what its
// success answer promises, which stands beside its figures.

import type { Children } from '../children.ts';
import type { Job } from '../job.ts';

export type Target = Pick<Job, 'port' | 'method' | 'path' | 'headers' | 'expect' | 'serverPids'>;

export type Peer = {
  name: string;
  /** At a success answer: whether the bytes are on the disk, whether it asked who sends them, whether the file before is kept. */
  promises: { synced: string; authenticated: string; versions: string };
  /** Null, and a line that nobody can overlook, where it cannot be had. `folder`: empty, its own. */
  start(stage: Stage): Promise<Target | null>;
};

export type Stage = { children: Children; folder: string; port: number };

/** An answer with this status is right. */
export function status(wanted: number): { kind: 'status'; status: number } {
  return { kind: 'status', status: wanted };
}
