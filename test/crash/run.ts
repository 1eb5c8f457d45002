// `npm run crash`: the proof that a 200 is durable, in parts of chosen size. Without arguments: all of them,
// small. One line of counts for each; the exit code says whether anything was wrong.

import { parseArgs } from 'node:util';
import { runAborts } from './aborts.ts';
import { runDiskFull } from './disk-full.ts';
import { runFaults } from './faults.ts';
import { runFlips } from './flips.ts';
import { runKills } from './kills.ts';
import type { Report } from './report.ts';
import { runSeededBugs } from './seeded-bugs.ts';
import { runStates } from './states.ts';

const { values } = parseArgs({
  options: {
    states: { type: 'string' },
    faults: { type: 'boolean' },
    size: { type: 'string' },
    'seeded-bugs': { type: 'boolean' },
    'disk-full': { type: 'boolean' },
    rounds: { type: 'string' },
    bug: { type: 'string' },
    quick: { type: 'boolean', default: false },
    aborts: { type: 'string' },
    slow: { type: 'string' },
    kills: { type: 'string' },
    flips: { type: 'string' },
    served: { type: 'string' },
    record: { type: 'string' },
    only: { type: 'string' },
    seed: { type: 'string' },
  },
});

const seed = values.seed === undefined ? Date.now() % 1_000_000 : Number(values.seed);
const toNumber = (text: string | undefined, fallback: number) => (text === undefined ? fallback : Number(text));

const wanted: Record<string, (() => Promise<Report>) | undefined> = {
  states: () =>
    runStates({
      seed,
      states: toNumber(values.states, 2000),
      served: toNumber(values.served, 4),
      only: values.only === undefined ? null : Number(values.only),
      kept: values.record ?? null,
    }),
  flips: () => runFlips({ seed, flips: toNumber(values.flips, 400) }),
  'seeded-bugs': () => runSeededBugs(seed, { only: values.bug ?? null, isQuick: values.quick }),
  aborts: () =>
    runAborts({
      seed,
      aborts: toNumber(values.aborts, 500),
      slow: toSlow(),
      hasTools: !isSmall,
    }),
  'disk-full': () => runDiskFull({ seed, rounds: toNumber(values.rounds, isAll ? 1 : 5) }),
  kills: () => runKills({ seed, kills: toNumber(values.kills, 200), ...(isAll && { mostMs: 240_000 }) }),
  faults: () => runFaults({ seed, size: values.size === undefined ? (isAll ? 30 : null) : Number(values.size) }),
};
const names = Object.keys(wanted).filter((name) => name in values);
const isAll = names.length === 0;
/** Slow uploads have a number: less than the usual thousand is a small run. */
const isSmall = isAll || values.slow !== undefined;

function toSlow(): { uploads: number; readers: number } {
  const uploads = toNumber(values.slow, isAll ? 300 : 1000);
  return { uploads, readers: Math.ceil(uploads / 10) };
}

let hasFailed = false;
for (const [name, part] of Object.entries(wanted)) {
  if (part === undefined || !(isAll || names.includes(name))) continue;
  const begun = performance.now();
  const report = await part();
  report.count('seconds', Math.round((performance.now() - begun) / 1000));
  report.print();
  hasFailed ||= report.problems.length > 0;
}
process.exitCode = hasFailed ? 1 : 0;
