// The command line of `npm run bench`: flags → Options, or an error that names the flag.

import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

const variants = ['empty', 'minimal', 'default', 'version'] as const;
const treeShapes = ['wide', 'narrow'] as const;
type TreeShape = (typeof treeShapes)[number];

export type Variant = (typeof variants)[number];

export type Options = {
  /** Null: the first one. */
  scenario: string | null;
  /** How large what is built is, in the scenario's own unit; null: as it proposes itself. */
  size: number | null;
  /** Saves in a second that go on beside what is measured. */
  savesPerSecond: number;
  /** Which shapes of tree. */
  trees: readonly TreeShape[];
  /** How long to wait at most until what was filled in is indexed. */
  waitSeconds: number;
  /** How long nothing is done then: where cores come by credit, it is earned again meanwhile. */
  restSeconds: number;
  seconds: number;
  warmupSeconds: number;
  /** Before the first measurement of a line: a server that was just started still compiles its code. */
  settleSeconds: number;
  rounds: number;
  connections: number[];
  only: Variant[];
  /** How large the saved files are. */
  bodyBytes: number[];
  /** How many files the folders of the default reply hold before. */
  prefills: number[];
  areNamesOrdered: boolean;
  /** The folder under which the service's temporary data folder is made: its disk is the disk that is measured. */
  dataParent: string;
  program: string;
  settings: Record<string, string>;
  /** Where there are several nodes: what the data folder of this one is called. */
  dataName?: string;
  jsonFile: string | null;
  outFile: string | null;
  /** In reads and middle, only lines with one of these words; null: all. */
  lines: string[] | null;
  /** Which peers; null: all that can be had. */
  beside: string[] | null;
  isStrict: boolean;
};

export class UsageError extends Error {}

export const usage = `  --size N            how much is built: entries, documents, files, or MiB of the file (each scenario says its own)
  --rate N            in trees and webhooks: saves in a second that go on meanwhile (200)
  --tree A,B          in trees: wide, narrow
  --wait N            in listing, trees, mixed and grow: seconds to wait at most until everything is indexed (1800)
  --rest N            seconds of doing nothing then: on a host that gives its processors by credit (0)
  --seconds N         measured time of each measurement (3)
  --warmup N          seconds of load before it (0.5)
  --settle N          in small, mixed, peers, reads, middle, steady and guard: seconds of load before the first measurement of each line (10)
  --rounds N          rounds; medians are reported (3)
  --connections A,B   in small and put: connections, one request outstanding on each (32,128)
  --only A,B          in small: some of empty, minimal, default, version
  --kib A,B           in small: sizes of the saved files (4)
  --prefill A,B       in small: files in the folders of the default reply (10000)
  --full              in small: 1, 4, 16, 64 KiB; 1, 8, 32, 128, 512 connections; folders of 10, 1000, 100000
  --names ORDER       scattered, as people's names are, or ordered, as a counter's are (scattered)
  --data DIR          where the temporary data folder is made (the system's temporary folder)
  --program FILE      another cabinet than bin/cabinet, to compare two versions
  --set NAME=VALUE    a CABINET_… setting for the service; may be repeated
  --json FILE         every measurement and the medians, as JSON
  --out FILE          the printed report, as the scenario's section of this Markdown file
  --beside A,B        in peers: some of empty, nginx, apache, rclone, tus, swift, minio, seaweedfs (all that can be had)
                      in reads and middle: some of bare, nginx, minio
  --lines A,B         in reads and middle: only lines whose names contain one of these, such as "64 KiB"
  --strict            exit 1 also when a promise is missed`;

/** Seconds of load before what is measured in a round, of which the first is 1. */
export function warmupOf(round: number, { warmupSeconds, settleSeconds }: Options): number {
  return round === 1 ? Math.max(warmupSeconds, settleSeconds) : warmupSeconds;
}

export function parseOptions(args: string[]): Options {
  const { values, positionals } = parseFlags(args);
  const {
    seconds,
    warmup,
    settle,
    rounds,
    connections,
    only,
    prefill,
    kib,
    full,
    names,
    data,
    program,
    set,
    size,
    rate,
    ...rest
  } = values;
  const [scenario, ...others] = positionals;
  if (others.length > 0) throw new UsageError(`${others.join(' ')}: one scenario at a time`);
  const toPath = (path: string | undefined) => (path === undefined ? null : resolve(path));
  return {
    scenario: scenario ?? null,
    size: size === undefined ? null : checkWhole('size', size),
    savesPerSecond: checkWhole('rate', rate ?? '200'),
    trees: (rest.tree ?? treeShapes.join(',')).split(',').map(checkShape),
    waitSeconds: checkNumber('wait', rest.wait ?? '1800', { above: -1 }),
    restSeconds: checkNumber('rest', rest.rest ?? '0', { above: -1 }),
    seconds: checkNumber('seconds', seconds ?? '3', { above: 0 }),
    warmupSeconds: checkNumber('warmup', warmup ?? '0.5', { above: -1 }),
    settleSeconds: checkNumber('settle', settle ?? '10', { above: -1 }),
    rounds: checkWhole('rounds', rounds ?? '3'),
    connections: checkWholes('connections', connections ?? (full ? '1,8,32,128,512' : '32,128')),
    only: (only ?? variants.join(',')).split(',').map(checkVariant),
    bodyBytes: checkWholes('kib', kib ?? (full ? '1,4,16,64' : '4')).map((each) => 1024 * each),
    prefills: checkWholes('prefill', prefill ?? (full ? '10,1000,100000' : '10000')),
    areNamesOrdered: checkOrder(names ?? 'scattered'),
    dataParent: resolve(data ?? tmpdir()),
    program: resolve(program ?? `${import.meta.dirname}/../bin/cabinet`),
    settings: Object.fromEntries((set ?? []).map(checkSetting)),
    jsonFile: toPath(rest.json),
    outFile: toPath(rest.out),
    lines: rest.lines?.split(',') ?? null,
    beside: rest.beside?.split(',') ?? null,
    isStrict: rest.strict ?? false,
  };
}

function parseFlags(args: string[]) {
  const text = { type: 'string' } as const;
  const flags = {
    seconds: text,
    warmup: text,
    settle: text,
    rounds: text,
    connections: text,
    only: text,
    prefill: text,
    kib: text,
    full: { type: 'boolean' },
    names: text,
    data: text,
    program: text,
    set: { type: 'string', multiple: true },
    json: text,
    lines: text,
    out: text,
    beside: text,
    strict: { type: 'boolean' },
    size: text,
    rate: text,
    tree: text,
    wait: text,
    rest: text,
  } as const;
  try {
    return parseArgs({ args, options: flags, strict: true, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function checkNumber(flag: string, given: string, { above }: { above: number }): number {
  const number = Number(given);
  if (given === '' || !Number.isFinite(number) || number <= above)
    throw new UsageError(`--${flag} ${given}: wanted a number`);
  return number;
}

function checkWhole(flag: string, given: string): number {
  const number = checkNumber(flag, given, { above: 0 });
  if (!Number.isInteger(number)) throw new UsageError(`--${flag} ${given}: wanted a whole number`);
  return number;
}

function checkWholes(flag: string, given: string): number[] {
  return given.split(',').map((part) => checkWhole(flag, part));
}

function checkVariant(given: string): Variant {
  const variant = variants.find((known) => known === given);
  if (variant === undefined) throw new UsageError(`--only ${given}: wanted some of ${variants.join(', ')}`);
  return variant;
}

function checkShape(given: string): TreeShape {
  const shape = treeShapes.find((known) => known === given);
  if (shape === undefined) throw new UsageError(`--tree ${given}: wanted some of ${treeShapes.join(', ')}`);
  return shape;
}

function checkOrder(given: string): boolean {
  if (given !== 'scattered' && given !== 'ordered')
    throw new UsageError(`--names ${given}: wanted scattered or ordered`);
  return given === 'ordered';
}

function checkSetting(given: string): [string, string] {
  const [, name, value] = /^(CABINET_[A-Z0-9_]+)=(.*)$/.exec(given) ?? [];
  if (name === undefined || value === undefined) throw new UsageError(`--set ${given}: wanted CABINET_NAME=VALUE`);
  return [name, value];
}
