// The scenario `steady`: how long a save takes at half of the highest load, beside one sync of a few bytes on the same disk. Saves
// are sent by the clock, whether earlier ones are answered or not, so that a stall (a checkpoint, say) delays all that are sent meanwhile.

import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Children } from './children.ts';
import { describeConditions } from './conditions.ts';
import type { Job } from './job.ts';
import { type Options, warmupOf } from './options.ts';
import { measureLoad } from './run-load.ts';
import type { SaverJob, SaverResult } from './saver.ts';
import { type Scenario, say, sleep } from './scenario.ts';
import { createFolder, savesInto, startService } from './service.ts';
import { layOut, median, quantile } from './table.ts';

const peakConnections = 128;
const saverConnections = 64;
const syncCount = 1000;
const syncedBytes = 4096;
/** Of a save's p99 to that of a sync. */
const mostRatio = 3;

type Times = { what: string; count: number; p50Ms: number; p99Ms: number; maxMs: number };
type Round = { peakPerSecond: number; saves: Times };
type Figures = { syncs: Times; rounds: Round[]; ratio: number };

export const steady: Scenario = {
  what: 'how long a save takes at half of the highest load, beside one sync of the disk',
  size: null,
  async run(children, options) {
    // Before anything else writes.
    const syncs = measureSyncs(children.folder);
    const service = await startService(children, options);
    const target = { ...savesInto(service, await createFolder(service, 'steady')), areNamesOrdered: false };
    const rounds: Round[] = [];
    for (let round = 1; round <= options.rounds; round++) {
      const limit = { seconds: options.seconds, warmupSeconds: warmupOf(round, options) };
      const label = `r${round}`;
      const peakPerSecond = await findPeak(children, { ...target, label, connections: peakConnections, limit });
      const job = {
        ...target,
        label: `${label}s`,
        connections: saverConnections,
        limit: { requests: Number.MAX_SAFE_INTEGER },
      };
      const saves = await saveSteadily(children, { job, perSecond: Math.round(peakPerSecond / 2) }, options);
      say(`round ${round}: peak ${peakPerSecond.toFixed(0)}/s, p99 of a save ${saves.p99Ms.toFixed(2)} ms`);
      rounds.push({ peakPerSecond, saves });
    }
    const ratio = median(rounds.map(({ saves }) => saves.p99Ms)) / syncs.p99Ms;
    const isHeld = ratio <= mostRatio;
    return { markdown: toMarkdown({ syncs, rounds, ratio }, options), isHeld, figures: { syncs, rounds, ratio } };
  },
};

async function findPeak(children: Children, job: Job): Promise<number> {
  const { requests, seconds } = await measureLoad(children, job);
  return requests / seconds;
}

/** Appends and syncs, one after the other. */
function measureSyncs(folder: string): Times {
  const file = join(folder, 'synced');
  const descriptor = openSync(file, 'w');
  const bytes = Buffer.alloc(syncedBytes, 1);
  const times = new Float64Array(syncCount);
  for (let index = 0; index < syncCount; index++) {
    const begun = performance.now();
    writeSync(descriptor, bytes);
    fdatasyncSync(descriptor);
    times[index] = performance.now() - begun;
  }
  closeSync(descriptor);
  rmSync(file);
  return toTimes('one sync of 4 KiB', times);
}

async function saveSteadily(children: Children, job: SaverJob, { seconds, warmupSeconds }: Options): Promise<Times> {
  const args = [join(import.meta.dirname, 'saver.ts')];
  const saver = children.begin({ program: process.execPath, args, input: JSON.stringify(job) });
  await sleep(warmupSeconds * 1000);
  const from = performance.timeOrigin + performance.now();
  await sleep(seconds * 1000);
  const { failure, startedAt, latencyMs } = (await saver.end()) as SaverResult;
  if (failure !== null) throw new Error(`a save got a wrong answer: ${failure}`);
  const measured = latencyMs.filter((_, index) => (startedAt[index] ?? 0) >= from);
  return toTimes(`saves, ${job.perSecond} a second`, new Float64Array(measured));
}

function toTimes(what: string, times: Float64Array): Times {
  const sorted = times.sort();
  const [p50Ms, p99Ms, maxMs] = [quantile(sorted, 0.5), quantile(sorted, 0.99), sorted.at(-1) ?? 0];
  return { what, count: sorted.length, p50Ms, p99Ms, maxMs };
}

function toMarkdown({ syncs, rounds, ratio }: Figures, options: Options): string {
  const facts = [`rounds of ${options.seconds} s`, `saves of 4 KiB over ${saverConnections} connections, by the clock`];
  const toCells = ({ what, count, p50Ms, p99Ms, maxMs }: Times, peak: string) => [
    what,
    peak,
    String(count),
    p50Ms.toFixed(2),
    p99Ms.toFixed(2),
    maxMs.toFixed(1),
  ];
  const cells = rounds.map(({ peakPerSecond, saves }) => toCells(saves, peakPerSecond.toFixed(0)));
  const table = layOut(['', 'peak/s', 'measured', 'p50 ms', 'p99 ms', 'max ms'], [toCells(syncs, ''), ...cells]);
  const verdict = `p99 of a save (median of the rounds) ÷ p99 of a sync: ${ratio.toFixed(2)} (≤ ${mostRatio}: ${ratio <= mostRatio ? 'holds' : 'missed'})`;
  return `${describeConditions(options, facts)}\n\n${table}\n\n${verdict}\n`;
}
