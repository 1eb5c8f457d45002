// The scenario `peers`: durable saves of 4 KiB beside alternatives, in one run, in turns. What each promises at success stands
// beside its figure: a server that neither syncs nor authenticates is faster for a reason.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { cabinet, type Medians, measure, type Started, startAll, toMedians } from './beside.ts';
import { type Bar as ChartBar, drawBars } from './chart.ts';
import type { Children } from './children.ts';
import { describeConditions } from './conditions.ts';
import { bodySizeBytes, type Measurement } from './job.ts';
import { type Options, warmupOf } from './options.ts';
import { empty, tus } from './peers/node-servers.ts';
import { minio, seaweedFs, stopObjectStores, swift } from './peers/object-stores.ts';
import type { Peer } from './peers/peer.ts';
import { apache, nginx, rclone } from './peers/web-servers.ts';
import type { Scenario } from './scenario.ts';
import { divide, layOut, show } from './table.ts';

const others: Record<string, Peer> = { empty, nginx, apache, rclone, tus, swift, minio, seaweedfs: seaweedFs };
const connections = 128;

/** Of Cabinet's throughput to the peer's, at least. */
const bars: Record<string, number> = { [empty.name]: 0.55, [tus.name]: 4, [rclone.name]: 1.5, [nginx.name]: 0.7 };
const mostCpuRatio = 2.3;

type Row = Started & Medians;

export const peers: Scenario = {
  what: 'durable saves beside other servers, with what each promises',
  size: null,
  async run(children, options) {
    try {
      const started = await startAll(children, options, others);
      const samples = await measureAll(children, started, options);
      const rows = started.map((one): Row => ({ ...one, ...toMedians(samples.get(one.name) ?? []) }));
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

async function measureAll(
  children: Children,
  started: Started[],
  options: Options,
): Promise<Map<string, Measurement[]>> {
  const samples = new Map<string, Measurement[]>();
  for (let round = 1; round <= options.rounds; round++) {
    for (const one of started) {
      const limit = { seconds: options.seconds, warmupSeconds: warmupOf(round, options) };
      const job = { ...one.target, label: `r${round}`, areNamesOrdered: false, connections, limit };
      const measured = await measure(children, `round ${round}, ${one.name}`, job);
      samples.set(one.name, [...(samples.get(one.name) ?? []), measured]);
    }
  }
  return samples;
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
    'authenticated',
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
    show(divide(row.writtenBytes, bodySizeBytes), 1),
  ]);
  const held = bars.map(({ what, ratio, bar, holds }) => [
    what,
    show(ratio, 2),
    bar,
    ratio === null ? 'not measured' : holds ? 'holds' : 'missed',
  ]);
  const parts = [describeConditions(options, facts), layOut(head, cells), layOut(['Bar', 'measured', 'bar', ''], held)];
  const versions = rows.flatMap(({ version }) => (version === '' ? [] : [version])).join(', ');
  return `${parts.join('\n\n')}\n\nA bar is a goal that we set ourselves; \`missed\`: not reached yet.\n\n\`written\`: bytes given to the disk per byte of the file. Beside: ${versions}.\n`;
}

function toNote({ synced, authenticated, versions }: Peer['promises']): string {
  if (synced !== 'yes' && synced !== 'no') return synced;
  const kept = versions === 'no' ? 'no versions' : 'versions';
  const authentication = authenticated.startsWith('no') ? 'no authentication' : 'authenticated';
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
