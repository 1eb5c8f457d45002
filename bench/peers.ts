// The scenario `peers`: durable saves of 4 KiB beside alternatives, in one run, in turns. What each promises at success stands
// beside its figure: a server that neither syncs nor authenticates is faster for a reason.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findFreePorts } from '../test/free-ports.ts';
import { type Bar as ChartBar, drawBars } from './chart.ts';
import type { Children } from './children.ts';
import { describeConditions } from './conditions.ts';
import { bodySizeBytes, type Job, type Measurement } from './job.ts';
import { type Options, UsageError, warmupOf } from './options.ts';
import { empty, tus } from './peers/node-servers.ts';
import { minio, seaweedFs, stopObjectStores, swift } from './peers/object-stores.ts';
import type { Peer, Target } from './peers/peer.ts';
import { apache, nginx, rclone } from './peers/web-servers.ts';
import { measureLoad } from './run-load.ts';
import { type Scenario, say } from './scenario.ts';
import { createFolder, savesInto, startService } from './service.ts';
import { divide, layOut, median, medianKnown, show } from './table.ts';

const cabinet = 'Cabinet';
const ownPromises = { synced: 'yes', authenticated: 'by token and key', versions: 'yes' };
const others: Record<string, Peer> = { empty, nginx, apache, rclone, tus, swift, minio, seaweedfs: seaweedFs };
const connections = 128;

/** Of Cabinet's throughput to the peer's, at least. */
const bars: Record<string, number> = { [empty.name]: 0.55, [tus.name]: 4, [rclone.name]: 1.5, [nginx.name]: 0.7 };
const mostCpuRatio = 2.3;

type Started = { name: string; version: string; promises: Peer['promises']; target: Target };
type Row = Started & {
  perSecond: number;
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
  cpuMicros: number | null;
  rssBytes: number | null;
  writtenPerByte: number | null;
};

export const peers: Scenario = {
  what: 'durable saves beside other servers, with what each promises',
  size: null,
  async run(children, options) {
    try {
      const started = await startAll(children, options);
      const samples = await measureAll(children, started, options);
      const rows = started.map((one) => toRow(one, samples.get(one.name) ?? []));
      drawChart(rows, options);
      const bars = toBars(rows);
      return {
        markdown: toMarkdown(rows, bars, options),
        isHeld: bars.every(({ holds }) => holds),
        figures: { rows, bars },
      };
    } finally {
      await stopObjectStores();
    }
  },
};

async function startAll(children: Children, options: Options): Promise<Started[]> {
  const service = await startService(children, options);
  const started: Started[] = [
    {
      name: cabinet,
      version: '',
      promises: ownPromises,
      target: savesInto(service, await createFolder(service, 'peers')),
    },
  ];
  const wanted = (options.beside ?? Object.keys(others)).map(findPeer);
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

function findPeer(name: string): Peer {
  const peer = others[name];
  if (peer === undefined) throw new UsageError(`--beside ${name}: wanted some of ${Object.keys(others).join(', ')}`);
  return peer;
}

async function measureAll(
  children: Children,
  started: Started[],
  options: Options,
): Promise<Map<string, Measurement[]>> {
  const samples = new Map<string, Measurement[]>();
  for (let round = 1; round <= options.rounds; round++) {
    for (const one of started) {
      const warmupSeconds = warmupOf(round, options);
      const measured = await measure(children, one, { ...options, warmupSeconds, label: `r${round}` });
      say(`round ${round}, ${one.name}: ${Math.round(measured.requests / measured.seconds)} requests/s`);
      samples.set(one.name, [...(samples.get(one.name) ?? []), measured]);
    }
  }
  return samples;
}

async function measure(
  children: Children,
  { name, target }: Started,
  { seconds, warmupSeconds, label }: Options & { label: string },
): Promise<Measurement> {
  const limit = { seconds, warmupSeconds };
  const job: Job = { ...target, label, areNamesOrdered: false, connections, limit };
  return await measureLoad(children, job).catch((error: Error) => {
    throw new Error(`${name}: ${error.message}`);
  });
}

function toRow(started: Started, samples: Measurement[]): Row {
  const each = (read: (sample: Measurement) => number) => median(samples.map(read));
  const known = (read: (sample: Measurement) => number | null) => medianKnown(samples.map(read));
  return {
    ...started,
    perSecond: each(({ requests, seconds }) => requests / seconds),
    p50Ms: each(({ p50Ms }) => p50Ms),
    p95Ms: each(({ p95Ms }) => p95Ms),
    p99Ms: each(({ p99Ms }) => p99Ms),
    cpuMicros: known(({ serverCpuMicros, requests }) => divide(serverCpuMicros, requests)),
    rssBytes: known(({ serverPeakRssBytes }) => serverPeakRssBytes),
    writtenPerByte: known(({ serverDiskBytes, requests }) => divide(serverDiskBytes, requests * bodySizeBytes)),
  };
}

/** `ratio` is null where there was nothing to measure beside: such a bar does not hold. */
type Held = { what: string; ratio: number | null; bar: string; holds: boolean };

function toBars(rows: Row[]): Held[] {
  const own = rows[0] as Row;
  const find = (wanted: string) => rows.find(({ name }) => name === wanted);
  const held = Object.entries(bars).map(([name, least]) => {
    const ratio = divide(own.perSecond, find(name)?.perSecond ?? null);
    return { what: `saves, Cabinet / ${name}`, ratio, bar: `≥ ${least}`, holds: ratio !== null && ratio >= least };
  });
  const ratio = divide(own.cpuMicros, find(empty.name)?.cpuMicros ?? null);
  const holds = ratio !== null && ratio <= mostCpuRatio;
  return [...held, { what: 'CPU, save / empty', ratio, bar: `≤ ${mostCpuRatio}`, holds }];
}

function toMarkdown(rows: Row[], bars: Held[], options: Options): string {
  const facts = [`${connections} connections`, `medians of ${options.rounds} rounds of ${options.seconds} s`];
  const head = [
    '4 KiB file',
    'synced',
    'asks who',
    'versions',
    'files/s',
    'p50 ms',
    'p95 ms',
    'p99 ms',
    'CPU µs',
    'RSS MiB',
    'written',
  ];
  const cells = rows.map(({ name, promises, ...row }) => [
    name,
    promises.synced,
    promises.authenticated,
    promises.versions,
    row.perSecond.toFixed(0),
    row.p50Ms.toFixed(1),
    row.p95Ms.toFixed(1),
    row.p99Ms.toFixed(1),
    show(row.cpuMicros, 0),
    show(divide(row.rssBytes, 1024 * 1024), 0),
    show(row.writtenPerByte, 1),
  ]);
  const held = bars.map(({ what, ratio, bar, holds }) => [
    what,
    show(ratio, 2),
    bar,
    ratio === null ? 'not measured' : holds ? 'holds' : 'missed',
  ]);
  const parts = [describeConditions(options, facts), layOut(head, cells), layOut(['Bar', 'measured', 'bar', ''], held)];
  const versions = rows.flatMap(({ version }) => (version === '' ? [] : [version])).join(', ');
  return `${parts.join('\n\n')}\n\n\`written\`: bytes given to the disk per byte of the file. Beside: ${versions}.\n`;
}

function toNote({ synced, authenticated, versions }: Peer['promises']): string {
  if (synced !== 'yes' && synced !== 'no') return synced;
  const kept = versions === 'no' ? 'no versions' : 'versions';
  const authentication = authenticated.startsWith('no') ? 'asks nobody' : 'asks who sends';
  return `${synced === 'yes' ? 'on disk' : 'not synced'}, ${authentication}, ${kept}`;
}

/** Beside the results that are kept, if they are. */
function drawChart(rows: Row[], { outFile }: Options): void {
  if (outFile === null) return;
  const drawn: ChartBar[] = rows.map(({ name, promises, perSecond }) => ({
    label: name.replaceAll('`', ''),
    note: toNote(promises),
    value: perSecond,
    isOwn: name === cabinet,
  }));
  mkdirSync(dirname(outFile), { recursive: true });
  const title = `Files of 4 KiB saved per second, ${connections} connections`;
  writeFileSync(outFile.replace(/\.md$/, '.svg'), drawBars(title, drawn));
}
