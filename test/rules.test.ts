// The rules for tests in CONTRIBUTING.md, as far as they can be checked: no sleeps, no fixed ports, no judging by elapsed time.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');
const patterns = [
  'test/**/*.ts',
  'sdk/test/*.ts',
  '{src,console}/**/*.test.ts',
  'src/**/*-for-tests.ts',
  'bench/**/*.test.ts',
];
const self = 'test/rules.test.ts';
const files = globSync(patterns, { cwd: root, exclude: ['**/node_modules/**'] }).filter((path) => path !== self);

const asksAgain = 'pauses before it looks at its condition again';
const isLoad = 'the pauses are the load: clients that think, networks that delay, moments at which something is killed';
const givesUp = 'gives up on what hangs';
const tick = 'waits until the clock shows another millisecond, so that two times differ';

/** Files that may set a timer, and why. */
const timers: Record<string, string> = {
  'src/auth/outside-keys-fetched.test.ts': 'a server that answers slowly, against a real connection',
  'src/auth/outside-keys.test.ts': 'a server that answers slowly, against a real connection',
  'src/blobs/local/local.test.ts': tick,
  'src/catalog/commits.test.ts': 'another thread announces a commit later',
  'src/catalog/sqlite/sqlite.test.ts': asksAgain,
  'src/cli/user/progress-line.test.ts': asksAgain,
  'src/listener/answer.test.ts': 'a reader that is slow, on a real socket',
  'src/search/extract/extract.test.ts': asksAgain,
  'src/telemetry/tracer.test.ts': 'parts of a trace that overlap',
  'test/browser/console-files.test.ts': 'lets the browser draw',
  'test/cli/broken-off.test.ts': 'a network that is slow',
  'test/cluster/commit-cutter.ts': isLoad,
  'test/cluster/faults.ts': isLoad,
  'test/cluster/impatient-client.ts': givesUp,
  'test/cluster/lost-connections.test.ts': isLoad,
  'test/cluster/nemesis.ts': isLoad,
  'test/cluster/network.ts': isLoad,
  'test/cluster/nodes-rolling.test.ts': isLoad,
  'test/cluster/postgres.ts': asksAgain,
  'test/cluster/search-room.ts': asksAgain,
  'test/cluster/swift.ts': asksAgain,
  'test/cluster/webhook-story.ts': isLoad,
  'test/cluster/workload.ts': isLoad,
  'test/crash/bugs.ts': 'a mistake that is put into the service',
  'test/crash/bystander.ts': isLoad,
  'test/crash/disk-full.ts': isLoad,
  'test/crash/faults.ts': isLoad,
  'test/crash/kills.ts': isLoad,
  'test/crash/record.ts': isLoad,
  'test/crash/slowness.ts': isLoad,
  'test/interface/10-download.test.ts': tick,
  'test/interface/10-link.test.ts': 'the contract lets a link expire after a second at the earliest',
  'test/interface/10-managing.test.ts': asksAgain,
  'test/interface/10-pages.test.ts': asksAgain,
  'test/interface/10-search.test.ts': asksAgain,
  'test/interface/4-uploads-draft.test.ts': asksAgain,
  'test/interface/client.ts': tick,
  'test/interface/wire.ts': asksAgain,
  'test/resume/cutter.ts': isLoad,
  'test/resume/judges.ts': givesUp,
  'test/resume/large.ts': isLoad,
  'test/resume/run.ts': isLoad,
  'test/runner/job.ts': givesUp,
  'test/security/attacks-sign-in-ended.test.ts': asksAgain,
  'test/security/attacks-sign-in-malformed.test.ts': isLoad,
  'test/security/attacks-sign-in.test.ts': asksAgain,
  'test/security/stream.ts': isLoad,
  'test/service/cut-uploads.ts': isLoad,
  'test/service/disk-full.test.ts': asksAgain,
  'test/service/faults.test.ts': asksAgain,
  'test/service/hostile.test.ts': isLoad,
  'test/service/restart.test.ts': isLoad,
  'test/service/service.ts': asksAgain,
  'test/service/strace.ts': asksAgain,
  'test/service/trees-cut.test.ts': isLoad,
};

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

test('timers are set only where a reason is given, and every file with a reason still sets one', () => {
  const withTimers = files.filter((path) => /(?<!\.)\bsetTimeout(\(| as )/.test(read(path)));
  assert.deepEqual(withTimers.toSorted(), Object.keys(timers).toSorted());
});

// Files share a process: what one of them replaces at its top level, all others get.
test('nothing is mocked outside of a test', () => {
  assert.deepEqual(
    files.filter((path) => /^mock\./m.test(read(path))),
    [],
  );
});

test('no test uses a fixed port', () => {
  const wrong = files.filter((path) => /\.listen\([1-9]|CABINET_(\w+_)?PORT: '[1-9]\d{0,3}'/.test(read(path)));
  assert.deepEqual(wrong, []);
});

/** Shorter bounds that are needed, by file. */
const judgedByTime: Record<string, number> = {
  // The service gives up on connections after half a minute: stopping must not wait for that.
  'test/service/hostile.test.ts': 1,
  'test/service/search.test.ts': 1,
  // A long poll of two seconds.
  'test/interface/10-changes.test.ts': 1,
  // The service ends itself; a supervisor counts on it.
  'test/service/faults.test.ts': 1,
  // Clocks that are compared, not durations.
  'src/runtime/clock.test.ts': 1,
  'test/service/metrics.test.ts': 1,
};

test('no assertion compares elapsed time with less than half a minute', () => {
  const found: Record<string, number> = {};
  for (const path of files) {
    const bounds = [
      ...read(path).matchAll(/assert\.ok\([^;]*?(?:Ms|performance\.now\(\)[^;]*?|Date\.now\(\)[^;]*?) <=? ([\d_]+)/g),
    ];
    const short = bounds.filter(([, bound = '']) => Number(bound.replaceAll('_', '')) < 27_000);
    if (short.length > 0) found[path] = short.length;
  }
  assert.deepEqual(found, judgedByTime);
});

/** Hooks of a test run in the order in which they were registered. */
test('a folder is removed after what uses it was closed', () => {
  const wrong = files.flatMap((path) => {
    let removed: string | null = null;
    return read(path)
      .split('\n')
      .flatMap((line, index) => {
        if (/^\s*(test|it)\(|^\S/.test(line)) removed = null;
        if (!line.includes('context.after(')) return [];
        const before = removed;
        removed = /after\(\(\) => .*(removeDataFolder|rmSync)/.test(line) ? line : before;
        return before === null ? [] : [`${path}:${index + 1}`];
      });
  });
  assert.deepEqual(wrong, []);
});
