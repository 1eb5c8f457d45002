// The scenario `scale`: how far each engine goes, calculated from the measured cost of a save (`bench/results/save-cost.json`,
// written by the scenario `cost`), a load and machines, both of which stand below: change them and run it again. docs/scale.md explains
// the figures.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineCost } from './save-cost.ts';
import type { Scenario } from './scenario.ts';
import { layOut } from './table.ts';

/** What is called 1×. */
export const load = {
  savesPerDay: 10_000,
  /** The busiest hour's rate over the day's average. */
  peakFactor: 5,
  readsPerSave: 5,
  /** Contents that are too large for the catalog. */
  largeShare: 0.1,
  largeBytes: 2 * 1024 * 1024,
};

/** What one buys without thinking long about it. */
export const machines = {
  /** Share of a machine's processor time that is used at the busiest hour; the rest is reserve. */
  usableShare: 0.6,
  databaseCores: 32,
  databaseWrittenBytesPerSecond: 400e6,
  databaseBytes: 16e12,
  /** Of one table, before vacuum and index builds take days. */
  tableRows: 4e9,
  nodeCores: 4,
  nodeDiskBytes: 8e12,
  nodeWrittenBytesPerSecond: 400e6,
  keptYears: 3,
};

const factors = [1, 10, 100, 1000, 10_000];
const daySeconds = 24 * 3600;

export type Load = typeof load;
export type Machines = typeof machines;
export type Engine = 'sqlite' | 'postgres';

export type Limit = {
  what: string;
  /** How much of it 1× takes, and how much there is. */
  used: number;
  there: number;
  unit: string;
  next: string;
};

/** What 1× takes of everything that there is only so much of, in the order in which it runs out. */
export function toLimits(
  engine: Engine,
  cost: EngineCost,
  { load, machines }: { load: Load; machines: Machines },
): Limit[] {
  const limits = engine === 'sqlite' ? toEmbedded(cost, load, machines) : toShared(cost, load, machines);
  return limits.toSorted((a, b) => reachedAt(a) - reachedAt(b));
}

export function reachedAt({ used, there }: Limit): number {
  return there / used;
}

function toEmbedded(cost: EngineCost, load: Load, machines: Machines): Limit[] {
  const { saves, reads, keptSaves } = toRates(load, machines);
  const { nodeMicros, busiestThreadMicros, readNodeMicros, writtenBytes, storedBytes } = toKnown(cost);
  const { usableShare } = machines;
  const large = load.largeShare * load.largeBytes;
  return [
    {
      what: 'one thread of the process',
      used: (saves * busiestThreadMicros + reads * readNodeMicros) / 1e6,
      there: usableShare,
      unit: 'cores',
      next: 'PostgreSQL and more nodes',
    },
    {
      what: 'processor of the machine',
      used: (saves * nodeMicros + reads * readNodeMicros) / 1e6,
      there: usableShare * machines.nodeCores,
      unit: 'cores',
      next: 'PostgreSQL and more nodes',
    },
    {
      what: 'writing to the disk',
      used: saves * (writtenBytes + large),
      there: machines.nodeWrittenBytesPerSecond,
      unit: 'bytes/s',
      next: 'large contents to S3, then PostgreSQL',
    },
    {
      what: `the disk, after ${machines.keptYears} years`,
      used: keptSaves * (storedBytes + large),
      there: machines.nodeDiskBytes,
      unit: 'bytes',
      next: 'large contents to S3 (CABINET_BLOBS), the rest stays',
    },
    {
      what: `the catalog, after ${machines.keptYears} years`,
      used: keptSaves * storedBytes,
      there: machines.nodeDiskBytes,
      unit: 'bytes',
      next: 'PostgreSQL',
    },
  ];
}

function toShared(cost: EngineCost, load: Load, machines: Machines): Limit[] {
  const { saves, reads, keptSaves } = toRates(load, machines);
  const { databaseMicros, readDatabaseMicros, writtenBytes, storedBytes } = toKnown(cost);
  const { usableShare, databaseCores } = machines;
  return [
    {
      what: 'processor of the database',
      used: (saves * databaseMicros + reads * readDatabaseMicros) / 1e6,
      there: usableShare * databaseCores,
      unit: 'cores',
      next: 'read replicas, then several databases by space',
    },
    {
      what: 'log of the database',
      used: saves * writtenBytes,
      there: machines.databaseWrittenBytesPerSecond,
      unit: 'bytes/s',
      next: 'a lower CABINET_INLINE_LIMIT, then several databases by space',
    },
    {
      what: `rows of one table, after ${machines.keptYears} years`,
      used: keptSaves,
      there: machines.tableRows,
      unit: 'rows',
      next: 'partitions, by space and by number',
    },
    {
      what: `the database, after ${machines.keptYears} years`,
      used: keptSaves * storedBytes,
      there: machines.databaseBytes,
      unit: 'bytes',
      next: 'a lower CABINET_INLINE_LIMIT, then several databases by space',
    },
  ];
}

function toRates(load: Load, machines: Machines) {
  const saves = (load.savesPerDay * load.peakFactor) / daySeconds;
  return { saves, reads: saves * load.readsPerSave, keptSaves: load.savesPerDay * 365 * machines.keptYears };
}

type KnownCost = { [Key in keyof EngineCost]: number };

/** What was not measured counts as nothing; `isMeasured` says so. */
function toKnown(cost: EngineCost): KnownCost {
  return Object.fromEntries(Object.entries(cost).map(([key, value]) => [key, value ?? 0])) as KnownCost;
}

export function isMeasured(cost: EngineCost): boolean {
  return Object.values(cost).every((value) => value !== null);
}

/** How many nodes, and the load on them and on their database at the busiest hour. */
export function toNeeds(cost: EngineCost, factor: number, { load, machines }: { load: Load; machines: Machines }) {
  const { saves, reads, keptSaves } = toRates(load, machines);
  const { busiestThreadMicros, readNodeMicros, databaseMicros, readDatabaseMicros, writtenBytes, storedBytes } =
    toKnown(cost);
  const { usableShare } = machines;
  const threadCores = (factor * (saves * busiestThreadMicros + reads * readNodeMicros)) / 1e6;
  return {
    savesPerSecond: factor * saves,
    readsPerSecond: factor * reads,
    nodes: Math.max(1, Math.ceil(threadCores / usableShare)),
    databaseCores: (factor * (saves * databaseMicros + reads * readDatabaseMicros)) / 1e6 / usableShare,
    writtenBytesPerSecond: factor * saves * writtenBytes,
    keptRows: factor * keptSaves,
    keptBytes: factor * keptSaves * storedBytes,
    keptLargeBytes: factor * keptSaves * load.largeShare * load.largeBytes,
    largePutsPerSecond: factor * saves * load.largeShare,
  };
}

type Measured = { measured: string; engines: Record<Engine, EngineCost> };

export const scale: Scenario = {
  what: 'how far each engine goes, reckoned from what `cost` measured',
  size: null,
  async run() {
    const { measured, engines } = readCosts();
    const given = { load, machines };
    const parts = (Object.keys(engines) as Engine[]).map((engine) => renderEngine(engine, engines[engine], given));
    return {
      markdown: `Cost of a save: ${measured}\n\n${parts.join('\n\n')}\n`,
      isHeld: true,
      figures: { load, machines, engines },
    };
  },
};

function readCosts(): Measured {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'results/save-cost.json'), 'utf8')) as Measured;
}

function renderEngine(engine: Engine, cost: EngineCost, given: { load: Load; machines: Machines }): string {
  const title = engine === 'sqlite' ? 'SQLite and the disk, one machine' : 'PostgreSQL and S3, many nodes';
  const note = isMeasured(cost) ? '' : '\n\nNot all of its costs are measured yet: what is not counts as nothing.';
  const limits = toLimits(engine, cost, given);
  const first = limits.map((limit) => [
    limit.what,
    showAmount(limit.used, limit.unit),
    showAmount(limit.there, limit.unit),
    `${showCount(Math.floor(reachedAt(limit)))}×`,
    limit.next,
  ]);
  const table = layOut(['what runs out', 'used at 1×', 'there is', 'reached at', 'then'], first);
  return `### ${title}${note}\n\n${table}\n\n${renderNeeds(engine, cost, given)}`;
}

function renderNeeds(engine: Engine, cost: EngineCost, given: { load: Load; machines: Machines }): string {
  const [limit] = toLimits(engine, cost, given);
  const most = limit === undefined ? 0 : reachedAt(limit);
  const rows = factors.map((factor) => {
    const needs = toNeeds(cost, factor, given);
    return [
      `${showCount(factor)}×`,
      showCount(Math.round(needs.savesPerSecond)),
      showCount(Math.round(needs.readsPerSecond)),
      engine === 'sqlite' ? '1' : showCount(needs.nodes),
      engine === 'sqlite' ? '–' : needs.databaseCores.toFixed(1),
      showAmount(needs.writtenBytesPerSecond, 'bytes/s'),
      showAmount(needs.keptRows, 'rows'),
      showAmount(needs.keptBytes, 'bytes'),
      showAmount(needs.keptLargeBytes, 'bytes'),
      showCount(Math.round(needs.largePutsPerSecond)),
      factor <= most ? 'yes' : 'no',
    ];
  });
  const head = [
    '',
    'saves/s',
    'reads/s',
    'nodes',
    'database cores',
    'log',
    'files',
    'catalog',
    'large',
    'large/s',
    'one is enough',
  ];
  return layOut(head, rows);
}

function showCount(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}

const steps = ['', ' thousand', ' million', ' billion', ' trillion'];
const byteSteps = ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB'];

function showAmount(amount: number, unit: string): string {
  if (unit === 'cores') return amount.toFixed(amount < 10 ? 3 : 0);
  const names = unit === 'rows' ? steps : byteSteps;
  const step = Math.min(names.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, amount)) / 3)));
  const text = Number((amount / 1000 ** step).toPrecision(3));
  return unit === 'rows' ? `${text}${names[step]}` : `${text} ${names[step]}${unit === 'bytes/s' ? '/s' : ''}`;
}
