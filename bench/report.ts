// From samples to the report: medians over the rounds, and the promised ratios with their bars.

import { describeConditions } from './conditions.ts';
import { type Line, type Sample, toLines } from './measure.ts';
import type { Options, Variant } from './options.ts';
import { divide, layOut, median, medianKnown, show } from './table.ts';

export type Row = Line & {
  requestsPerSecond: number;
  lowest: number;
  highest: number;
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
  cpuMicrosPerRequest: number | null;
  peakRssBytes: number | null;
  writtenPerByte: number | null;
  generatorCpuMicrosPerRequest: number;
  neighboursShare: number | null;
};

export type Bar = { what: string; ratio: number; bar: string; holds: boolean };
export type Report = { rows: Row[]; bars: Bar[]; conditions: string };

const leastThroughputRatio = 0.55;
const mostCpuRatio = 2.3;
const mostDefaultRatio = 1.6;

const names: Record<Variant, string> = {
  empty: 'empty `node:http` server',
  minimal: 'save, minimal reply',
  default: 'save, default reply',
  version: 'save, a new version',
};

export function toReport(samples: Sample[], options: Options): Report {
  const rows = toLines(options).map((line) => toRow(line, samples.filter(isOf(line))));
  const bars = options.connections.flatMap((connections) => toBars(rows, connections));
  return { rows, bars, conditions: describeConditions(options, toFacts(options)) };
}

function isOf(line: Line): (sample: Sample) => boolean {
  return ({ variant, connections, bodyBytes, files }) =>
    variant === line.variant &&
    connections === line.connections &&
    bodyBytes === line.bodyBytes &&
    files === line.files;
}

export function toMarkdown(report: Report): string {
  const head = [
    'POST',
    'KiB',
    'conn',
    'requests/s',
    'lowest–highest',
    'p50 ms',
    'p95 ms',
    'p99 ms',
    'CPU µs',
    'RSS MiB',
  ];
  const cells = report.rows.map((row) => [
    row.files === null ? names[row.variant] : `${names[row.variant]}, among ${row.files}`,
    String(row.bodyBytes / 1024),
    String(row.connections),
    row.requestsPerSecond.toFixed(0),
    `${row.lowest.toFixed(0)}–${row.highest.toFixed(0)}`,
    row.p50Ms.toFixed(2),
    row.p95Ms.toFixed(2),
    row.p99Ms.toFixed(2),
    show(row.cpuMicrosPerRequest, 0),
    show(divide(row.peakRssBytes, 1024 * 1024), 0),
    show(row.writtenPerByte, 1),
    row.generatorCpuMicrosPerRequest.toFixed(0),
    row.neighboursShare === null ? 'n/a' : (100 * row.neighboursShare).toFixed(0),
  ]);
  const bars = report.bars.map((bar) => [bar.what, bar.ratio.toFixed(2), bar.bar, bar.holds ? 'holds' : 'missed']);
  const parts = [report.conditions, layOut([...head, 'written', 'gen µs', 'others %'], cells)];
  if (bars.length > 0) parts.push(layOut(['Promise', 'measured', 'bar', ''], bars));
  return `${parts.join('\n\n')}\n`;
}

function toRow(line: Line, samples: Sample[]): Row {
  const rates = samples.map((sample) => sample.requests / sample.seconds);
  const bytes = ({ requests }: Sample) => requests * line.bodyBytes;
  return {
    ...line,
    requestsPerSecond: median(rates),
    lowest: Math.min(...rates),
    highest: Math.max(...rates),
    p50Ms: median(samples.map((sample) => sample.p50Ms)),
    p95Ms: median(samples.map((sample) => sample.p95Ms)),
    p99Ms: median(samples.map((sample) => sample.p99Ms)),
    cpuMicrosPerRequest: medianKnown(samples.map((sample) => divide(sample.serverCpuMicros, sample.requests))),
    peakRssBytes: medianKnown(samples.map((sample) => sample.serverPeakRssBytes)),
    writtenPerByte: medianKnown(samples.map((sample) => divide(sample.serverDiskBytes, bytes(sample)))),
    generatorCpuMicrosPerRequest: median(samples.map((sample) => sample.generatorCpuMicros / sample.requests)),
    neighboursShare: medianKnown(samples.map((sample) => sample.neighboursShare)),
  };
}

function toBars(rows: Row[], connections: number): Bar[] {
  const usual = rows.filter((row) => row.connections === connections && row.bodyBytes === 4096);
  const find = (variant: Variant) => usual.filter((row) => row.variant === variant).at(-1);
  const [empty, minimal, full] = [find('empty'), find('minimal'), find('default')];
  const bars: Bar[] = [];
  const add = (what: string, ratio: number | null, most: number) => {
    if (ratio !== null)
      bars.push({ what: `${what}, ${connections} connections`, ratio, bar: `≤ ${most}`, holds: ratio <= most });
  };
  if (empty && minimal) {
    const ratio = minimal.requestsPerSecond / empty.requestsPerSecond;
    const what = `throughput, minimal / empty, ${connections} connections`;
    bars.push({ what, ratio, bar: `≥ ${leastThroughputRatio}`, holds: ratio >= leastThroughputRatio });
    add('CPU, minimal / empty', divide(minimal.cpuMicrosPerRequest, empty.cpuMicrosPerRequest), mostCpuRatio);
  }
  if (full && minimal) {
    const ratio = divide(full.cpuMicrosPerRequest, minimal.cpuMicrosPerRequest);
    add(`CPU per save, default among ${full.files} / minimal`, ratio, mostDefaultRatio);
  }
  return bars;
}

function toFacts({ areNamesOrdered, rounds, seconds }: Options): string[] {
  return [`${areNamesOrdered ? 'ordered' : 'scattered'} names`, `medians of ${rounds} rounds of ${seconds} s`];
}
