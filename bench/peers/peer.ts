// A peer of the scenario `peers`: another server that takes files over HTTP, started on its own folder, and what its success
// response promises, which stands beside its figures.

import { spawnSync } from 'node:child_process';
import type { Children } from '../children.ts';
import type { Job } from '../job.ts';

export type Target = Pick<Job, 'port' | 'method' | 'path' | 'headers' | 'expect' | 'serverPids'>;

export type Peer = {
  name: string;
  /** At a success response: whether the bytes are on disk, whether the sender was authenticated, whether the previous file is kept. */
  promises: { synced: string; authenticated: string; versions: string };
  /** Once it has started. */
  version(): string;
  /** Null, and a line that nobody can overlook, where it cannot be had. `folder`: empty, its own. */
  start(stage: Stage): Promise<Target | null>;
};

export type Stage = { children: Children; folder: string; port: number };

/** Of a Debian package. */
export function readPackageVersion(name: string): string {
  const [, version] = spawnSync('dpkg-query', ['-W', name]).stdout?.toString().trim().split('\t') ?? [];
  return version ?? 'of unknown version';
}

/** An answer with this status is right. */
export function status(wanted: number): { kind: 'status'; status: number } {
  return { kind: 'status', status: wanted };
}
