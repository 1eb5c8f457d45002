// The scrub: at long intervals, slowly and in the background, everything is read and verified as by `cabinet verify`. Findings
// go to the log and into the metrics. The time of the last scrub is stored in the catalog; an interrupted one starts over.

import type { Logger } from 'pino';
import type { Cabinet } from '../operations/cabinet.ts';
import type { EnvironmentMetrics } from '../telemetry/environment-metrics.ts';
import type { Job } from './job.ts';

const lookEveryMs = 60 * 60 * 1000;
const dayMs = 24 * 60 * 60 * 1000;
const maxLogged = 100;
const setting = 'scrub';

interface LastScrub {
  at: number;
  problems: number;
}

interface ScrubReport {
  entries: number;
  bytes: number;
  problemCount: number;
  problems: readonly { what: string; problem: string; affected: readonly object[] }[];
}

interface ScrubOptions {
  days: number;
  /** When the environment was created: the first scrub is due `days` after that. */
  createdAt(): number;
  verify(signal: AbortSignal): Promise<ScrubReport>;
  log: Logger;
  metrics: EnvironmentMetrics;
}

export function toScrubJob({ days, createdAt, verify, log, metrics }: ScrubOptions): Job {
  return {
    name: 'scrub',
    intervalMs: lookEveryMs,
    isExclusive: false,
    async run({ name, cabinet }, signal) {
      const last = await findLast(cabinet);
      if (last !== null) metrics.setScrub(last.at, last.problems);
      if (cabinet.clock.now() - (last?.at ?? createdAt()) < days * dayMs) return;
      const report = await verify(signal);
      logReport(log.child({ environment: name }), report);
      const done: LastScrub = { at: cabinet.clock.now(), problems: report.problemCount };
      metrics.setScrub(done.at, done.problems);
      await cabinet.catalog.setSetting({ name: setting, value: JSON.stringify(done) });
    },
  };
}

async function findLast({ catalog }: Cabinet): Promise<LastScrub | null> {
  const text = await catalog.findSetting({ name: setting });
  return text === null ? null : (JSON.parse(text) as LastScrub);
}

function logReport(log: Logger, { problems, problemCount, bytes, entries }: ScrubReport): void {
  for (const { what, problem, affected } of problems.slice(0, maxLogged)) {
    log.error({ what, problem, affected }, 'scrub found damage');
  }
  log.info({ entries, bytes, problems: problemCount }, 'scrub finished');
}
