// The tests have teeth: each mistake of the list is put into the running service, and the part of the suite that it belongs
// to must find it. A row for each. The same parts, as small, without a mistake, must find nothing.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runAborts } from './aborts.ts';
import { type Bug, bugs, busySweeper, type Catcher } from './bugs.ts';
import { runFaults } from './faults.ts';
import { openGround, type Preload, startOn } from './ground.ts';
import { runKills } from './kills.ts';
import { Report } from './report.ts';
import type { Replacement } from './seed-hook.ts';
import { runStates } from './states.ts';
import { runSweeps } from './sweeps.ts';

const root = join(import.meta.dirname, '../..');
/** What is rare may need to be tried again, with another seed. */
const tries = 5;

type Run = (seed: number, preload: Preload) => Promise<Report>;

const catchers: Record<Catcher, Run> = {
  start: refusesToStart,
  states: (seed, preload) => runStates({ states: 120, seed, served: 0, preload, isShort: true }),
  kills: (seed, preload) => runKills({ kills: 2, seed, preload, termEvery: 2, leastAnswered: 100 }),
  faults: (seed, preload) =>
    runFaults({ seed, size: null, preload, only: { faults: ['blob writes', 'blob syncs'], phases: ['work'] } }),
  aborts: (seed, preload) =>
    runAborts({ aborts: 100, seed, slow: { uploads: 0, readers: 0 }, hasTools: false, preload }),
  sweeps: (seed, preload) => runSweeps({ seed, preload }),
};

export interface SeededBugsOptions {
  /** Those whose names have this in them. */
  only?: string | null;
  /** One bug for each part of the suite that finds its own within seconds. */
  isQuick?: boolean;
}

const quickCatchers: readonly Catcher[] = ['start', 'states', 'faults', 'aborts'];

export async function runSeededBugs(seed: number, options: SeededBugsOptions = {}): Promise<Report> {
  const report = new Report(`seeded bugs (seed ${seed})`);
  const ground = openGround({ isWatched: true });
  ground.close();
  if (ground.watching === null) {
    report.isSkipped = true;
    return report;
  }
  if (options.isQuick !== true) {
    const sound = await catchers.sweeps(seed, toPreload('sweeps', []));
    for (const { text } of sound.problems) report.wrong(`without a mistake, the sweeper: ${text}`);
  }
  for (const bug of choose(options)) {
    const found = await hunt(bug, seed).catch((error) => `NOT MADE: ${error instanceof Error ? error.message : error}`);
    const isCaught = found.startsWith('caught');
    console.log(`  ${bug.name.padEnd(60)} ${bug.catcher.padEnd(7)} ${found}`);
    report.add('bugs', 1);
    report.add('caught', isCaught ? 1 : 0);
    if (!isCaught) report.wrong(`${bug.name}: ${found}`);
  }
  return report;
}

function choose({ only = null, isQuick = false }: SeededBugsOptions): Bug[] {
  if (!isQuick) return bugs.filter(({ name }) => only === null || name.includes(only));
  return quickCatchers.flatMap((wanted) => bugs.find(({ catcher }) => catcher === wanted) ?? []);
}

/** What the suite said of it first. */
async function hunt({ mistake, catcher }: Bug, seed: number): Promise<string> {
  for (const { module, from } of mistake) {
    const count = readFileSync(join(root, module), 'utf8').split(from).length - 1;
    if (count !== 1) throw new Error(`${module} has ${count} times: ${from}`);
  }
  for (let turn = 0; turn < tries; turn += 1) {
    const { problems } = await catchers[catcher](seed + turn, toPreload(catcher, mistake));
    if (problems.length > 0)
      return `caught: ${problems[0]?.kind}, ${problems[0]?.text.slice(0, 160).replaceAll('\n', ' ')}`;
  }
  return 'NOT CAUGHT';
}

function toPreload(catcher: Catcher, mistake: readonly Replacement[]): Preload {
  const replacements = catcher === 'sweeps' ? [...busySweeper, ...mistake] : mistake;
  return { path: join(import.meta.dirname, 'seed-hook.ts'), variable: JSON.stringify(replacements) };
}

/** Some mistakes the service finds itself. */
async function refusesToStart(_seed: number, preload: Preload): Promise<Report> {
  const report = new Report('start');
  const ground = openGround({ isWatched: false, preload });
  try {
    const service = await startOn(ground);
    await service.stop();
  } catch (error) {
    if (error instanceof Error && /synchronous is/.test(error.message))
      report.wrong(`it refuses to start: ${error.message}`);
    else throw error;
  } finally {
    ground.close();
  }
  return report;
}
