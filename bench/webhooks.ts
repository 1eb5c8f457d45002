// The scenario `webhooks`: saves at a steady rate beside 50 webhooks, one of which hangs, and beside none, in turns. Where webhooks
// watch other folders, a save must cost nearly what it costs without them. Where one or all of them take every save, up to 49 requests
// are wanted for each: how many are sent meanwhile, and what they cost, is reported.

import { join } from 'node:path';
import type { Children } from './children.ts';
import { Client } from './client.ts';
import { describeConditions } from './conditions.ts';
import { Neighbours, untilQuiet } from './cost.ts';
import type { Options } from './options.ts';
import { readThreadMicros } from './process-cost.ts';
import type { SaverJob, SaverResult } from './saver.ts';
import { type Scenario, say, sleep } from './scenario.ts';
import { type Application, createFolder, type Service, savesInto, startService, toEnvironment } from './service.ts';
import { divide, layOut, median, medianKnown, quantile, show } from './table.ts';

const webhooks = 50;
const connections = 8;
const warmupMs = 2000;
const highest = { p99: 1.2, cpu: 1.15 };

const kinds = ['none', 'of other folders', 'one of every save', 'of every save'] as const;
type Kind = (typeof kinds)[number];
/** How many are to get every save; the first of them hangs. The others watch folders into which nothing is saved meanwhile. */
const watchers: Record<Kind, number> = {
  none: 0,
  'of other folders': 1,
  'one of every save': 2,
  'of every save': webhooks,
};
/** Those for which the promise is made. */
const bound: readonly Kind[] = ['of other folders'];
type Sample = {
  p50Ms: number;
  p99Ms: number;
  cpuMicros: number | null;
  delivered: number;
  othersPercent: number | null;
};

export const webhooksScenario: Scenario = {
  what: 'saves at a steady rate beside 50 webhooks, one of which hangs: their time and their processor time (--rate)',
  size: null,
  async run(children, options) {
    const bench = await openBench(children, options);
    const samples = Object.fromEntries(kinds.map((kind) => [kind, [] as Sample[]])) as Record<Kind, Sample[]>;
    const chosen = kinds.filter((kind) => options.lines?.some((word) => kind.includes(word)) ?? true);
    await bench.measure('none', 'warm', options.settleSeconds * 1000);
    for (let round = 1; round <= options.rounds; round += 1) {
      for (const kind of chosen) {
        const sample = await bench.measure(kind, `${round}`, options.seconds * 1000);
        const { p50Ms, p99Ms, cpuMicros } = sample;
        say(`round ${round}, ${kind}: ${show(p50Ms, 2)} / ${show(p99Ms, 2)} ms, ${show(cpuMicros, 0)} µs`);
        samples[kind].push(sample);
      }
    }
    bench.close();
    return toOutcome(samples, options);
  },
};

interface Bench {
  measure(kind: Kind, label: string, ms: number): Promise<Sample>;
  close(): void;
}

async function openBench(children: Children, given: Options): Promise<Bench> {
  const options = { ...given, settings: { ...given.settings, CABINET_WEBHOOK_NETWORKS: '127.0.0.0/8' } };
  const args = [join(import.meta.dirname, 'webhook-receivers.ts')];
  const { ready } = await children.serve({ program: process.execPath, args });
  const receivers = (ready as { Production: string }).Production;
  const service = await startService(children, options, await registerManager(children, options));
  const client = new Client(service);
  const folders: string[] = [];
  for (let n = 0; n < webhooks; n += 1) folders.push(await createFolder(service, `watched ${n}`));
  let made = 0;
  const add = async (kind: Kind) => {
    const urls = folders.map((FolderId, n) => ({
      Url: `${receivers}/${n === 0 ? 'hang' : n}`,
      Events: ['file.*'],
      ...(n >= watchers[kind] && { FolderId }),
    }));
    if (kind === 'none') return;
    for (const json of urls) await client.json('/webhooks', { method: 'POST', json });
    // Each has something to send, so that the first one hangs from now on.
    for (const FolderId of folders) await saveOne(client, FolderId, `begin ${made++}`);
  };
  const remove = async () => {
    const { Webhooks } = await client.json<{ Webhooks: { Id: string }[] }>('/webhooks?limit=100');
    for (const { Id } of Webhooks) await client.ask(`/webhooks/${Id}`, { method: 'DELETE' });
  };
  const countTaken = async () => (await client.json<{ taken: number }>(receivers)).taken;
  return {
    async measure(kind, label, ms) {
      await untilQuiet(children, service, options);
      await add(kind);
      const folderId = await createFolder(service, `saved ${kind} ${label}`);
      const saved = await saveSteadily({ children, service, options }, folderId, `${kind} ${label}`, {
        ms,
        countTaken,
      });
      await remove();
      return saved;
    },
    close: () => client.close(),
  };
}

async function registerManager(children: Children, options: Options): Promise<Application> {
  const scopes = 'content.read content.write content.admin';
  const args = ['app', 'add', 'manager', '--scopes', scopes, '--json'];
  const env = toEnvironment(children, options);
  return (await children.run({ program: options.program, args, env })) as Application;
}

async function saveOne(client: Client, FolderId: string, FileName: string): Promise<void> {
  const headers = { FolderId, FileName, Prefer: 'return=minimal', 'Content-Type': 'text/plain' };
  await client.ask('/files', { method: 'POST', headers, body: 'x' });
}

type Running = { children: Children; service: Service; options: Options };

async function saveSteadily(
  { children, service, options }: Running,
  folderId: string,
  label: string,
  { ms, countTaken }: { ms: number; countTaken(): Promise<number> },
): Promise<Sample> {
  const limit = { requests: Number.MAX_SAFE_INTEGER };
  const job = { ...savesInto(service, folderId), label: label.replaceAll(' ', '-'), areNamesOrdered: false };
  const input: SaverJob = { job: { ...job, connections, limit }, perSecond: options.savesPerSecond };
  const args = [join(import.meta.dirname, 'saver.ts')];
  const saver = children.begin({ program: process.execPath, args, input: JSON.stringify(input) });
  await sleep(warmupMs);
  const neighbours = new Neighbours();
  const now = () => performance.timeOrigin + performance.now();
  const [from, takenBefore, cpuBefore] = [now(), await countTaken(), readThreadMicros(service.pid)];
  await sleep(ms);
  const [until, cpuAfter, takenAfter] = [now(), readThreadMicros(service.pid), await countTaken()];
  const othersPercent = neighbours.percent();
  const { failure, startedAt, latencyMs } = (await saver.end()) as SaverResult;
  if (failure !== null) throw new Error(`a save got a wrong answer: ${failure}`);
  const within = latencyMs.filter((_, n) => (startedAt[n] ?? 0) >= from && (startedAt[n] ?? 0) < until);
  const sorted = within.toSorted((left, right) => left - right);
  const cpuMicros = cpuBefore === null || cpuAfter === null ? null : (cpuAfter - cpuBefore) / within.length;
  return {
    ...{ p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99), cpuMicros, othersPercent },
    delivered: (takenAfter - takenBefore) / within.length,
  };
}

interface Figures extends Omit<Sample, 'othersPercent'> {
  /** Of each round, divided by what was measured without webhooks in the same round; the median. */
  p99Ratio: number | null;
  cpuRatio: number | null;
}

function toFigures(samples: readonly Sample[], none: readonly Sample[]): Figures {
  const toRatio = (read: (sample: Sample) => number | null) =>
    medianKnown(samples.map((sample, round) => divide(read(sample), none[round] ? read(none[round]) : null)));
  return {
    p50Ms: median(samples.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(samples.map(({ p99Ms }) => p99Ms)),
    cpuMicros: medianKnown(samples.map(({ cpuMicros }) => cpuMicros)),
    delivered: median(samples.map(({ delivered }) => delivered)),
    p99Ratio: toRatio(({ p99Ms }) => p99Ms),
    cpuRatio: toRatio(({ cpuMicros }) => cpuMicros),
  };
}

function toOutcome(samples: Record<Kind, Sample[]>, options: Options) {
  const chosen = kinds.filter((kind) => samples[kind].length > 0);
  const figures = Object.fromEntries(chosen.map((kind) => [kind, toFigures(samples[kind], samples.none)]));
  const rows = Object.entries(figures).map(([kind, { p50Ms, p99Ms, cpuMicros, delivered, p99Ratio, cpuRatio }]) => [
    ...[kind, show(p50Ms, 2), show(p99Ms, 2), show(p99Ratio, 2), show(cpuMicros, 0), show(cpuRatio, 2)],
    show(delivered, 2),
  ]);
  const head = ['50 webhooks', 'p50 ms', 'p99 ms', '÷ none', 'CPU µs per save', '÷ none', 'delivered per save'];
  const isHeld = bound.every((kind) => {
    const { p99Ratio, cpuRatio } = figures[kind] ?? {};
    return (cpuRatio ?? Infinity) <= highest.cpu && (p99Ratio ?? Infinity) <= highest.p99;
  });
  const promise = `p99 ≤ ${highest.p99} × none, CPU ≤ ${highest.cpu} × none`;
  const verdict = `${bound.join(', ')}: ${promise}: ${isHeld ? 'holds' : 'missed'}.`;
  const others = medianKnown(Object.values(samples).flatMap((some) => some.map(({ othersPercent }) => othersPercent)));
  const facts = describeConditions(options, [
    `${options.savesPerSecond} saves of 4 KiB a second over ${connections} connections`,
    `others used ${show(others, 0)} % of the machine`,
  ]);
  return { markdown: `${facts}\n\n${layOut(head, rows)}\n\n${verdict}\n`, isHeld, figures: { samples, figures } };
}
