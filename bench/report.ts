// From samples to what is printed: medians over the rounds, and the ratios the project promises with their bars.

import { execFileSync } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { cpus, platform, release } from 'node:os';
import { dirname } from 'node:path';
import type { Sample } from './measure.ts';
import type { Options, Variant } from './options.ts';

export type Row = {
  variant: Variant;
  connections: number;
  requestsPerSecond: number;
  lowest: number;
  highest: number;
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
  cpuMicrosPerRequest: number | null;
  peakRssBytes: number | null;
  generatorCpuMicrosPerRequest: number;
  neighboursShare: number | null;
};

export type Bar = { what: string; ratio: number; bar: string; holds: boolean };
export type Report = { rows: Row[]; bars: Bar[]; conditions: string };

const leastThroughputRatio = 0.35;
const mostCpuRatio = 3;

export function toReport(samples: Sample[], options: Options): Report {
  const rows = options.connections.flatMap((connections) =>
    options.only.map((variant) =>
      toRow(samples.filter((sample) => sample.variant === variant && sample.connections === connections)),
    ),
  );
  const bars = options.connections.flatMap((connections) => toBars(rows, connections));
  return { rows, bars, conditions: describeConditions(options) };
}

export function toMarkdown(report: Report): string {
  const names: Record<Variant, string> = {
    empty: 'empty `node:http` server',
    minimal: 'save, minimal reply',
    default: 'save, default reply',
  };
  const head = [
    '4 KiB POST',
    'conn',
    'requests/s',
    'lowest–highest',
    'p50 ms',
    'p95 ms',
    'p99 ms',
    'CPU µs',
    'RSS MiB',
    'gen µs',
    'others %',
  ];
  const cells = report.rows.map((row) => [
    names[row.variant],
    String(row.connections),
    row.requestsPerSecond.toFixed(0),
    `${row.lowest.toFixed(0)}–${row.highest.toFixed(0)}`,
    row.p50Ms.toFixed(2),
    row.p95Ms.toFixed(2),
    row.p99Ms.toFixed(2),
    row.cpuMicrosPerRequest?.toFixed(0) ?? 'n/a',
    row.peakRssBytes === null ? 'n/a' : (row.peakRssBytes / 1024 / 1024).toFixed(0),
    row.generatorCpuMicrosPerRequest.toFixed(0),
    row.neighboursShare === null ? 'n/a' : (100 * row.neighboursShare).toFixed(0),
  ]);
  const bars = report.bars.map((bar) => [bar.what, bar.ratio.toFixed(2), bar.bar, bar.holds ? 'holds' : 'missed']);
  const parts = [report.conditions, layOut(head, cells)];
  if (bars.length > 0) parts.push(layOut(['Promise', 'measured', 'bar', ''], bars));
  return `${parts.join('\n\n')}\n`;
}

function toRow(samples: Sample[]): Row {
  const [first] = samples;
  if (first === undefined) throw new Error('no samples');
  const rates = samples.map((sample) => sample.requests / sample.seconds);
  return {
    variant: first.variant,
    connections: first.connections,
    requestsPerSecond: median(rates),
    lowest: Math.min(...rates),
    highest: Math.max(...rates),
    p50Ms: median(samples.map((sample) => sample.p50Ms)),
    p95Ms: median(samples.map((sample) => sample.p95Ms)),
    p99Ms: median(samples.map((sample) => sample.p99Ms)),
    cpuMicrosPerRequest: medianKnown(samples.map((sample) => divide(sample.serverCpuMicros, sample.requests))),
    peakRssBytes: medianKnown(samples.map((sample) => sample.serverPeakRssBytes)),
    generatorCpuMicrosPerRequest: median(samples.map((sample) => sample.generatorCpuMicros / sample.requests)),
    neighboursShare: medianKnown(samples.map((sample) => sample.neighboursShare)),
  };
}

function toBars(rows: Row[], connections: number): Bar[] {
  const find = (variant: Variant) => rows.find((row) => row.variant === variant && row.connections === connections);
  const [empty, minimal, full] = [find('empty'), find('minimal'), find('default')];
  const bars: Bar[] = [];
  if (empty && minimal) {
    const ratio = minimal.requestsPerSecond / empty.requestsPerSecond;
    const what = `throughput, minimal / empty, ${connections} connections`;
    bars.push({ what, ratio, bar: `≥ ${leastThroughputRatio}`, holds: ratio >= leastThroughputRatio });
  }
  const ratio = divide(full?.cpuMicrosPerRequest ?? null, minimal?.cpuMicrosPerRequest ?? 0);
  if (ratio !== null) {
    const what = `CPU per save, default / minimal, ${connections} connections`;
    bars.push({ what, ratio, bar: `≤ ${mostCpuRatio}`, holds: ratio <= mostCpuRatio });
  }
  return bars;
}

function describeConditions(options: Options): string {
  const [cpu] = cpus();
  const facts = [
    new Date().toISOString().slice(0, 16).replace('T', ' '),
    `commit ${readCommit(dirname(options.program))}`,
    `Node ${process.versions.node}`,
    `${platform()} ${release()}`,
    `${cpus().length} × ${cpu?.model.trim() ?? 'unknown CPU'}, shared with the load generator`,
    `data on ${nameFileSystem(options.dataParent)}`,
    `${options.areNamesOrdered ? 'ordered' : 'scattered'} names`,
    `medians of ${options.rounds} rounds of ${options.seconds} s`,
  ];
  const settings = Object.entries(options.settings).map(([name, value]) => `${name}=${value}`);
  return [...facts, ...settings].join(' · ');
}

function readCommit(folder: string): string {
  try {
    const args = ['describe', '--always', '--dirty'];
    const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore'];
    return execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio }).trim();
  } catch {
    return 'unknown';
  }
}

function nameFileSystem(folder: string): string {
  const names = new Map([
    [0xef53, 'ext4'],
    [0x58465342, 'xfs'],
    [0x9123683e, 'btrfs'],
    [0x2fc12fc1, 'zfs'],
    [0x794c7630, 'overlayfs'],
    [0x01021994, 'tmpfs (memory: a sync costs nothing, the figures flatter)'],
  ]);
  const { type } = statfsSync(folder);
  return names.get(type) ?? `file system 0x${type.toString(16)}`;
}

function layOut(head: string[], rows: string[][]): string {
  const widths = head.map((title, column) => Math.max(3, title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const toLine = (cells: string[]) => {
    const padded = cells.map((cell, column) => {
      const width = widths[column] ?? 0;
      return column === 0 ? cell.padEnd(width) : cell.padStart(width);
    });
    return `| ${padded.join(' | ')} |`;
  };
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [toLine(head), toLine(rule), ...rows.map(toLine)].join('\n');
}

function divide(dividend: number | null, divisor: number): number | null {
  return dividend === null || divisor === 0 ? null : dividend / divisor;
}

function medianKnown(values: (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : median(known);
}

function median(values: number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}
