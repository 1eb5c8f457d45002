// Crash states: builds from a record what a disk may be left with by a power cut at any moment, and checks each against what
// had been answered by then. Most are looked at by threads that open the catalog as the service does; some are handed to
// the service itself.

import { cpSync, existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Problem } from './checker.ts';
import { openGround, type Preload } from './ground.ts';
import { record } from './record.ts';
import { Report } from './report.ts';
import { serveStates } from './served-states.ts';

const threads = 2;
/** A record serves so many states; then the service is recorded anew, for no two records are the same. */
const statesPerRecord = 10_000;

export interface StatesOptions {
  states: number;
  seed: number;
  /** How many are opened by the service itself. */
  served: number;
  /** A record that was kept, to see its states again. */
  kept?: string | null;
  /** This state alone. */
  only?: number | null;
  preload?: Preload | null;
  /** A small record will do. */
  isShort?: boolean;
}

export interface StatesTask {
  folder: string;
  scratch: string;
  seed: number;
  from: number;
  to: number;
  /** Every so many of them is this one's. */
  stride: number;
}

export interface StatesFound {
  checked: number;
  answered: number;
  problems: { state: number; point: number; problem: Problem }[];
}

export async function runStates(options: StatesOptions): Promise<Report> {
  const { states, seed } = options;
  const report = new Report(`crash states (seed ${seed})`);
  for (let done = 0; done < states; done += statesPerRecord) {
    const part = { ...options, seed: seed + done, states: Math.min(statesPerRecord, states - done) };
    await checkRecord(report, part);
    if (report.isSkipped || (options.kept ?? null) !== null) break;
  }
  return report;
}

async function checkRecord(report: Report, options: StatesOptions): Promise<void> {
  const { states, seed, served, kept, only, preload, isShort = false } = options;
  const ground = openGround({ isWatched: true, isLogged: true, preload: preload ?? null });
  const before = report.problems.length;
  try {
    if (ground.watching === null) {
      report.isSkipped = true;
      return;
    }
    if (kept === null || kept === undefined) await record(ground, seed, isShort);
    const folder = kept ?? ground.folder;
    const range = typeof only === 'number' ? { from: only, to: only + 1 } : { from: 0, to: states };
    await checkStates(report, { folder, seed, ...range });
    if (typeof only !== 'number') await serveStates(report, { folder, seed, count: served });
    // What was seeded to be found need not be seen again.
    const isKept = report.problems.length > before && folder === ground.folder && ground.preload === null;
    if (isKept) report.wrong(`the record is kept: ${keep(folder)}`);
  } finally {
    ground.close();
  }
}

/** Only what it takes to see a state again. */
function keep(folder: string): string {
  const target = mkdtempSync(join(tmpdir(), 'cabinet-record-'));
  for (const name of ['effects', 'ledger.json']) cpSync(join(folder, name), join(target, name));
  return target;
}

async function checkStates(report: Report, task: Omit<StatesTask, 'scratch' | 'stride'>): Promise<void> {
  const found = await Promise.all(
    Array.from({ length: threads }, (_, index) =>
      runThread({ ...task, from: task.from + index, stride: threads, scratch: makeScratch() }),
    ),
  );
  for (const { checked, answered, problems } of found) {
    report.add('checked', checked);
    report.add('answered saves held', answered);
    for (const { state, point, problem } of problems) {
      report.tell(
        [problem],
        `state ${state} (--seed ${task.seed} --only ${state} --record with what is kept), effect ${point}`,
      );
    }
  }
}

function runThread(task: StatesTask): Promise<StatesFound> {
  const worker = new Worker(new URL('./states-thread.ts', import.meta.url), { workerData: task });
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

/** In memory where that can be had: nothing here must survive. */
function makeScratch(): string {
  return mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'cabinet-states-'));
}
