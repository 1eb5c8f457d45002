// `npm test`: everything that a change can break. `npm run test:long`: the same code with larger numbers, and what measures.
// `-- --only NAME` runs a suite, or the files whose path contains NAME; CONTRIBUTING.md says when to run which. Every test file runs in
// a process of its own, several at a time.

import { readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Fixture, stopStores } from './runner/fixtures.ts';
import { joinTestFiles } from './runner/groups.ts';
import { endAll, type Job, type Outcome, readProcessorSeconds, runJob, toUnstarted } from './runner/job.ts';
import { hasPassed, type Result, runAll } from './runner/schedule.ts';
import { makeScratch } from './runner/scratch.ts';
import { listLongSuites, listSuites, type Suite } from './runner/suites.ts';
import { printSummary } from './runner/summary.ts';
import { installForTests, renderSkipped } from './service/programs.ts';

const { values } = parseArgs({
  options: {
    long: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    lanes: { type: 'string', default: String(Math.min(availableParallelism() + 2, 8)) },
  },
});

const scratch = makeScratch({ isLong: values.long });
const counts = { starts: join(scratch, 'starts'), skipped: join(scratch, 'skipped') };
Object.assign(process.env, {
  // Hundreds of processes load the same sources: kept compiled, a start takes half the work.
  NODE_COMPILE_CACHE: join(scratch, 'compiled'),
  TMPDIR: scratch,
  // Where Debian has HAProxy and mkfs; not on the path of everybody.
  PATH: `${process.env.PATH}:/usr/sbin:/sbin`,
  // Whatever the machine has, the same is tested: one HTTP thread, but where a suite says more.
  CABINET_HTTP_THREADS: '1',
  TEST_STARTS: counts.starts,
  TEST_SKIPPED: counts.skipped,
  TEST_SIZE: values.long ? 'long' : 'short',
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    endAll();
    process.exit(1);
  });
}

const suites = choose(values.long ? listLongSuites() : listSuites());
if (suites.length === 0) {
  console.error(`No suite or file is called ${values.only.join(', ')}.`);
  process.exit(2);
}
if (values.only.length === 0) installForTests();
const fixtures = new Map<string, Promise<Fixture>>();
const { result, problems } = await runSuites();
for (const problem of problems) process.stdout.write(`\nPROBLEM: ${problem}\n`);
printSummary(result, {
  ...readStarts(),
  seconds: performance.now() / 1000,
  processorSeconds: readProcessorSeconds(),
  skipped: renderSkipped(readLines(counts.skipped)),
});
rmSync(scratch, { recursive: true, force: true });
// What a fixture has left open must not keep a finished run alive.
process.exit(hasPassed(result) && problems.length === 0 ? 0 : 1);

/** All, or those that `--only` names: whole suites by name, else single files. */
function choose(all: Suite[]): Suite[] {
  if (values.only.length === 0) return all;
  const isNamed = (name: string) => values.only.some((only) => name === only);
  const isMeant = ({ name }: Job) => values.only.some((only) => name.includes(only));
  const named = all.filter(({ name }) => isNamed(name));
  if (named.length > 0) return named;
  return all.map((suite) => ({ ...suite, jobs: suite.jobs.filter(isMeant) })).filter(({ jobs }) => jobs.length > 0);
}

async function runSuites(): Promise<{ result: Result; problems: string[] }> {
  const beside = suites.filter(({ isAlone }) => isAlone !== true);
  const alone = suites.filter(({ isAlone }) => isAlone === true);
  const first = await runAll(toJobs(beside), Number(values.lanes), run);
  const second = await runAll(toJobs(alone), 1, run);
  const problems = await closeFixtures();
  const outcomes = [...first.outcomes, ...second.outcomes];
  return { result: { outcomes, unstable: [...first.unstable, ...second.unstable] }, problems };
}

function toJobs(some: readonly Suite[]): Job[] {
  return some.flatMap(({ jobs, filesPerProcess = 1 }) => joinTestFiles(jobs, filesPerProcess));
}

async function run(job: Job): Promise<Outcome> {
  const outcome = await findFixture(job).then(
    (fixture) => runJob({ ...job, environment: { ...fixture?.environment, ...job.environment } }, scratch),
    (error) => toUnstarted(job, error),
  );
  const mark = outcome.isPassed ? 'ok    ' : 'FAILED';
  const seconds = outcome.seconds.toFixed(1).padStart(6);
  const processor = (outcome.processorSeconds?.toFixed(1) ?? '–').padStart(6);
  process.stdout.write(`${mark} ${seconds} s ${processor} cpu  ${job.suite}: ${job.name}\n`);
  return outcome;
}

async function findFixture({ suite }: Job): Promise<Fixture | undefined> {
  const open = suites.find(({ name }) => name === suite)?.fixture;
  if (open !== undefined && !fixtures.has(suite)) fixtures.set(suite, open());
  try {
    return await fixtures.get(suite);
  } catch (error) {
    // Whoever comes next tries again.
    fixtures.delete(suite);
    throw error;
  }
}

/** A fixture may judge the whole suite: not where only some of its files ran. */
async function closeFixtures(): Promise<string[]> {
  const problems: string[] = [];
  for (const [suite, opened] of fixtures) {
    const found = await (await opened).close();
    if (values.only.length === 0) problems.push(...found.map((problem) => `${suite}: ${problem}`));
  }
  await stopStores();
  return problems;
}

function readStarts(): { starts: number; commands: number } {
  const lines = readLines(counts.starts);
  const starts = lines.filter((line) => line === 'serve').length;
  return { starts, commands: lines.length - starts };
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').filter(Boolean);
  } catch {
    return [];
  }
}
