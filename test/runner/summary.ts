// What a run prints at its end: seconds by suite, the slowest files, how often the service was started, what was unstable or
// skipped, and one line that says whether it passed.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Outcome, root } from './job.ts';
import { hasPassed, maxUnstable, type Result } from './schedule.ts';

const slowestShown = 20;
const linesShown = 80;
const outputFolder = 'test-output';

export interface Counted {
  starts: number;
  commands: number;
  seconds: number;
  processorSeconds: number;
  /** A paragraph; empty: nothing was skipped. */
  skipped: string;
}

export function printSummary(result: Result, counted: Counted): void {
  const { outcomes } = result;
  const { starts, commands, skipped } = counted;
  for (const outcome of outcomes.filter(({ isPassed }) => !isPassed)) printFailure(outcome);
  printSuites(outcomes, counted.processorSeconds);
  printSlowest(outcomes);
  const [seconds, processor] = [Math.round(counted.seconds), Math.round(counted.processorSeconds)];
  print(
    `\n${starts} starts of the service, ${commands} commands; ${seconds} s in all, ${processor} s of processor time`,
  );
  if (skipped !== '') print(`\n${skipped}`);
  printUnstable(result);
  printVerdict(result);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function printFailure({ job, output, ending }: Outcome): void {
  const lines = output.trimEnd().split('\n').slice(-linesShown);
  print(`\n== ${job.name} (${job.suite}): ${ending}\n${lines.join('\n')}`);
}

/** The sums of what ran beside each other: more than the run took. */
function printSuites(outcomes: readonly Outcome[], inAll: number): void {
  print('\nseconds  processor  tests  skipped  suite');
  for (const [suite, some] of Map.groupBy(outcomes, ({ job }) => job.suite)) {
    const sum = (read: (outcome: Outcome) => number) => some.reduce((total, outcome) => total + read(outcome), 0);
    const cells = [
      pad(sum(({ seconds }) => seconds).toFixed(0), 7),
      pad(sum(({ processorSeconds }) => processorSeconds ?? 0).toFixed(0), 10),
      pad(String(sum(({ report }) => report?.tests ?? 1)), 6),
      pad(String(sum(({ report }) => report?.skipped ?? 0)), 8),
    ];
    print(`${cells.join(' ')}  ${suite}`);
  }
  const ofJobs = outcomes.reduce((total, { processorSeconds }) => total + (processorSeconds ?? 0), 0);
  print(`${pad('', 7)} ${pad((inAll - ofJobs).toFixed(0), 10)} ${pad('', 15)}  shared servers, and the runner itself`);
}

function printSlowest(outcomes: readonly Outcome[]): void {
  const slowest = outcomes.toSorted((left, right) => right.seconds - left.seconds).slice(0, slowestShown);
  print(`\nThe ${slowest.length} slowest, in seconds:`);
  for (const { job, seconds } of slowest) print(`${pad(seconds.toFixed(1), 7)}  ${job.name} (${job.suite})`);
}

function pad(text: string, width: number): string {
  return text.padStart(width);
}

function printUnstable({ unstable }: Result): void {
  if (unstable.length === 0) return;
  print(`\nUnstable: failed beside others, passed when run again alone (at most ${maxUnstable} are tolerated):`);
  mkdirSync(join(root, outputFolder), { recursive: true });
  for (const { first, second } of unstable) {
    const path = join(outputFolder, `unstable-${first.job.suite}-${first.job.name}`.replaceAll(/[^\w.-]+/g, '-'));
    const texts = [`== first run: ${first.ending}`, first.output, '== second run: passed', second.output];
    writeFileSync(join(root, `${path}.log`), texts.join('\n'));
    print(`  ${first.job.name} (${first.job.suite}): both outputs are in ${path}.log`);
  }
}

function printVerdict(result: Result): void {
  const { outcomes, unstable } = result;
  const failed = outcomes.filter(({ isPassed }) => !isPassed);
  const tests = outcomes.reduce((sum, { report }) => sum + (report?.tests ?? 1), 0);
  print(`\n${tests} tests in ${outcomes.length} processes`);
  if (failed.length > 0) print(`failed: ${failed.map(({ job }) => `${job.name} (${job.suite})`).join(', ')}`);
  if (!hasPassed(result) && failed.length === 0) print(`failed: ${unstable.length} were unstable`);
  const tooMany = failed.length === 0 && !hasPassed(result) ? 1 : 0;
  print(`${outcomes.length - failed.length} passed, ${failed.length + tooMany} failed`);
}
