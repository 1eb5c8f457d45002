// How long saves took in each phase, compared with the usual time.

import type { SaverResult } from './saver.ts';
import { quantile } from './table.ts';
import type { Phase } from './tree-phases.ts';

/** "no save waits longer than ten times its usual p99" */
export const mostRatio = 10;

export type PhaseRow = {
  name: string;
  tree: string;
  seconds: number;
  saves: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  /** The longest save without what the host of the machine took from a core meanwhile. */
  ownMaxMs: number;
  /** The longest save beside the usual p99 of the same tree, and the same without what the host took. */
  ratio: number;
  ownRatio: number;
  /** How many saves took longer than they may. */
  tooLong: number;
  othersPercent: number | null;
};

export function toPhaseRows(phases: readonly Phase[], saved: SaverResult): PhaseRow[] {
  let usualP99Ms = 0;
  return phases.map((phase) => {
    const within = savesWithin(phase, saved);
    const times = toRising(within.map(({ ms }) => ms));
    const ownTimes = toRising(within.map(({ ms, stolenMs }) => Math.max(0, ms - stolenMs)));
    if (phase.name === 'usual') usualP99Ms = quantile(ownTimes, 0.99);
    const ownMaxMs = ownTimes.at(-1) ?? 0;
    const maxMs = times.at(-1) ?? 0;
    return {
      name: phase.name,
      tree: phase.tree,
      seconds: (phase.until - phase.from) / 1000,
      saves: times.length,
      p50Ms: quantile(times, 0.5),
      p99Ms: quantile(times, 0.99),
      maxMs,
      ownMaxMs,
      ratio: maxMs / usualP99Ms,
      ownRatio: ownMaxMs / usualP99Ms,
      tooLong: ownTimes.filter((ms) => ms > mostRatio * usualP99Ms).length,
      othersPercent: phase.othersPercent,
    };
  });
}

export function isHeld({ name, ownRatio }: PhaseRow): boolean {
  return name === 'usual' || ownRatio <= mostRatio;
}

/** Every save that was under way at some time of the phase. */
function savesWithin({ from, to }: Phase, { startedAt, latencyMs, stolenMs }: SaverResult) {
  return latencyMs
    .map((ms, index) => ({ ms, start: startedAt[index] ?? 0, stolenMs: stolenMs[index] ?? 0 }))
    .filter(({ ms, start }) => start < to && start + ms > from);
}

function toRising(times: number[]): number[] {
  return times.sort((left, right) => left - right);
}
