// From samples to what is printed: medians over the rounds, and the ratios the project promises with their bars.

import { describeConditions } from './conditions.ts';
import type { Sample } from './measure.ts';
import type { Options, Variant } from './options.ts';
import { divide, layOut, median, medianKnown } from './table.ts';

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
  return { rows, bars, conditions: describeConditions(options, toFacts(options)) };
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

function toFacts({ areNamesOrdered, rounds, seconds }: Options): string[] {
  return [`${areNamesOrdered ? 'ordered' : 'scattered'} names`, `medians of ${rounds} rounds of ${seconds} s`];
}
