// A reporter of node:test for the runner: one JSON line per process, with the numbers of its tests.

import type { TestEvent } from 'node:test/reporters';

export interface FileReport {
  tests: number;
  passed: number;
  failed: number;
  skipped: number;
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
  yield `${JSON.stringify(counts satisfies FileReport)}\n`;
}
