// Cabinet and other servers of files, started at once on folders of their own, to be measured in turns.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePorts } from '../test/free-ports.ts';
import type { Children } from './children.ts';
import type { Job, Measurement } from './job.ts';
import { type Options, UsageError } from './options.ts';
import type { Peer, Target } from './peers/peer.ts';
import { measureLoad } from './run-load.ts';
import { say } from './scenario.ts';
import { createFolder, savesInto, startService } from './service.ts';
import { divide, median, medianKnown } from './table.ts';

export const cabinet = 'Cabinet';
const ownPromises = { synced: 'yes', authenticated: 'by token and key', versions: 'yes' };

export type Started = { name: string; version: string; promises: Peer['promises']; target: Target };

/** Cabinet first. Peers that cannot be had are left out. */
export async function startAll(
  children: Children,
  options: Options,
  others: Readonly<Record<string, Peer>>,
): Promise<Started[]> {
  const wanted = (options.beside ?? Object.keys(others)).map((name) => findPeer(name, others));
  const service = await startService(children, options);
  const target = savesInto(service, await createFolder(service, 'peers'));
  const started: Started[] = [{ name: cabinet, version: '', promises: ownPromises, target }];
  const ports = await findFreePorts(wanted.length);
  for (const [index, peer] of wanted.entries()) {
    const folder = join(children.folder, `peer-${index}`);
    mkdirSync(folder);
    say(`starting ${peer.name}`);
    const target = await peer.start({ children, folder, port: ports[index] as number });
    const { name, promises } = peer;
    if (target !== null) started.push({ name, version: peer.version(), promises, target });
  }
  return started;
}

function findPeer(name: string, others: Readonly<Record<string, Peer>>): Peer {
  const peer = others[name];
  if (peer === undefined) throw new UsageError(`--beside ${name}: wanted some of ${Object.keys(others).join(', ')}`);
  return peer;
}

export async function measure(children: Children, name: string, job: Job): Promise<Measurement> {
  const measured = await measureLoad(children, job).catch((error: Error) => {
    throw new Error(`${name}: ${error.message}`);
  });
  say(`${name}: ${Math.round(measured.requests / measured.seconds)} requests/s`);
  return measured;
}

export type Medians = {
  perSecond: number;
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
  cpuMicros: number | null;
  rssBytes: number | null;
  writtenBytes: number | null;
};

/** Of each request, where it is not a peak. */
export function toMedians(samples: readonly Measurement[]): Medians {
  const each = (read: (sample: Measurement) => number) => median(samples.map(read));
  const known = (read: (sample: Measurement) => number | null) => medianKnown(samples.map(read));
  return {
    perSecond: each(({ requests, seconds }) => requests / seconds),
    p50Ms: each(({ p50Ms }) => p50Ms),
    p95Ms: each(({ p95Ms }) => p95Ms),
    p99Ms: each(({ p99Ms }) => p99Ms),
    cpuMicros: known(({ serverCpuMicros, requests }) => divide(serverCpuMicros, requests)),
    rssBytes: known(({ serverPeakRssBytes }) => serverPeakRssBytes),
    writtenBytes: known(({ serverDiskBytes, requests }) => divide(serverDiskBytes, requests)),
  };
}
