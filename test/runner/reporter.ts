// A reporter of node:test for the runner: one JSON line per test file, with what was counted and what it cost. Loaded into the
// process of the test file, so that the processor time of everything that it has started is known there too.

import { readFileSync } from 'node:fs';
import type { TestEvent } from 'node:test/reporters';

/** Clock ticks per second; the same on every Linux that Node runs on. */
const ticksPerSecond = 100;

export interface FileReport {
  tests: number;
  passed: number;
  failed: number;
  skipped: number;
  /** Of this process and of everything that it has started and waited for. */
  processorSeconds: number;
}

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const counts = { tests: 0, passed: 0, failed: 0, skipped: 0 };
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    if (data.details.type === 'suite') continue;
    counts.tests += 1;
    if (type === 'test:fail') counts.failed += 1;
    else if (data.skip !== undefined && data.skip !== false) counts.skipped += 1;
    else counts.passed += 1;
  }
  yield `${JSON.stringify({ ...counts, processorSeconds: readProcessorSeconds() } satisfies FileReport)}\n`;
}

/** Of this process and of everything that it has started and waited for. */
export function readProcessorSeconds(): number {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
    // User and system time, then those of the children.
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return ticks / ticksPerSecond;
  } catch {
    return process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6;
  }
}
