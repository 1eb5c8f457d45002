// The scenario `guard`: processor time of a durable save divided by that of an empty request, compared with the ratio recorded in
// `results/guard.json`. Processor time, not throughput, because the machine may be shared. The best of a few tries counts: a save that has
// become more expensive is so in all of them. `--json bench/results/guard.json` records a new ratio.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Children } from './children.ts';
import { describeConditions } from './conditions.ts';
import { measureAll } from './measure.ts';
import type { Options } from './options.ts';
import { toReport } from './report.ts';
import { type Scenario, say } from './scenario.ts';
import { divide } from './table.ts';

const recordFile = join(import.meta.dirname, 'results/guard.json');
const mostAbove = 1.25;
const tries = 5;

/** By the kind of processor: another one has another ratio. */
type Recorded = Record<string, number | undefined>;

export const guard: Scenario = {
  what: 'fails when a save costs a quarter more processor time, beside an empty request, than is recorded',
  size: null,
  async run(_, options) {
    const known = JSON.parse(readFileSync(recordFile, 'utf8')) as Recorded;
    const recorded = known[process.arch] ?? (options.jsonFile === null ? null : Number.POSITIVE_INFINITY);
    if (recorded === null) return skip(`nothing is recorded for ${process.arch}`);
    const most = recorded * mostAbove;
    const measured: number[] = [];
    while (measured.length < tries && !measured.some((ratio) => ratio <= most)) {
      const ratio = await measure(options);
      if (ratio === null) return skip('processor time can be read on Linux only');
      say(`try ${measured.length + 1}: ${ratio.toFixed(2)} times the processor time of an empty request`);
      measured.push(ratio);
    }
    const cpuRatio = Math.min(...measured);
    if (options.jsonFile === null && cpuRatio > most)
      throw new Error(
        `a save costs ${cpuRatio.toFixed(2)} times an empty request; at most ${most.toFixed(2)} is right`,
      );
    const markdown = `${describeConditions(options, [])}\n\nA save costs ${cpuRatio.toFixed(2)} times the processor time of an empty request; recorded ${recorded.toFixed(2)}, at most ${most.toFixed(2)}.\n`;
    return { markdown, isHeld: cpuRatio <= most, figures: { ...known, [process.arch]: cpuRatio } };
  },
};

/** On a service of its own: a try does not feel those before it. */
async function measure(options: Options): Promise<number | null> {
  // As it was recorded: with more threads a save takes more processor time.
  const settings = { CABINET_HTTP_THREADS: '1', ...options.settings };
  const fixed: Pick<Options, 'only' | 'connections' | 'bodyBytes' | 'rounds'> = {
    only: ['empty', 'minimal'],
    connections: [128],
    bodyBytes: [4096],
    rounds: 5,
  };
  const guarded: Options = { ...options, ...fixed, settings };
  const children = new Children(options.dataParent);
  try {
    const { rows } = toReport(await measureAll(children, guarded), guarded);
    const cpu = (variant: string) => rows.find((row) => row.variant === variant)?.cpuMicrosPerRequest ?? null;
    return divide(cpu('minimal'), cpu('empty'));
  } finally {
    await children.close();
  }
}

function skip(why: string) {
  say(`SKIPPED: ${why}`);
  return { markdown: 'skipped\n', isHeld: true, figures: {} };
}
