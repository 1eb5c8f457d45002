// How long saves took in each phase, beside how long they usually take.

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
  /** The longest save beside the usual p99 of the same tree. */
  ratio: number;
  othersPercent: number | null;
};

export function toPhaseRows(phases: readonly Phase[], saved: SaverResult): PhaseRow[] {
  let usualP99Ms = 0;
  return phases.map((phase) => {
    const times = timesWithin(phase, saved);
    const p99Ms = quantile(times, 0.99);
    if (phase.name === 'usual') usualP99Ms = p99Ms;
    const maxMs = times.at(-1) ?? 0;
    return {
      name: phase.name,
      tree: phase.tree,
      seconds: (phase.until - phase.from) / 1000,
      saves: times.length,
      p50Ms: quantile(times, 0.5),
      p99Ms,
      maxMs,
      ratio: maxMs / usualP99Ms,
      othersPercent: phase.othersPercent,
    };
  });
}

export function isHeld({ name, ratio }: PhaseRow): boolean {
  return name === 'usual' || ratio <= mostRatio;
}

/** In rising order: every save that was under way at some time of the phase. */
function timesWithin({ from, to }: Phase, { startedAt, latencyMs }: SaverResult): number[] {
  return latencyMs
    .filter((ms, index) => {
      const start = startedAt[index] ?? 0;
      return start < to && start + ms > from;
    })
    .toSorted((left, right) => left - right);
}
