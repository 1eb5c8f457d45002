// What the scenarios have in common; each of them runs at a tiny size in `long/`.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bench } from './bench-for-tests.ts';
import { replaceSection } from './results.ts';
import { toPhaseRows } from './tree-report.ts';

test('a failed run and a usage error have their exit codes', async () => {
  await assert.rejects(bench('small', '--program', '/no/such/program'), { code: 1, stderr: /^bench: .*ENOENT/ });
  await assert.rejects(bench('small', '--no-such-flag'), { code: 2 });
  await assert.rejects(bench('peers', '--beside', 'nobody'), {
    code: 2,
    stderr: /--beside nobody: wanted some of empty/,
  });
});

test('a section replaces the one before it and keeps the others', () => {
  const first = replaceSection(replaceSection('', 'listing', 'one\n'), 'trees', 'two\n');
  assert.equal(first, '## listing\n\none\n\n## trees\n\ntwo\n');
  assert.equal(replaceSection(first, 'listing', 'three'), '## listing\n\nthree\n\n## trees\n\ntwo\n');
  assert.equal(replaceSection('# Head\n\ntext\n', 'listing', 'one'), '# Head\n\ntext\n\n## listing\n\none\n');
});

test('a save counts for every phase in which it was in progress, and is compared with the usual time', () => {
  const phase = { tree: 'a', until: 0, othersPercent: null };
  const phases = [
    { ...phase, name: 'usual', from: 0, to: 100 },
    { ...phase, name: 'copy', from: 100, to: 200 },
    { ...phase, name: 'trash', from: 200, to: 300 },
  ];
  const saved = { failure: null, startedAt: [10, 20, 150, 250], latencyMs: [2, 4, 80, 3], stolenMs: [0, 0, 0, 0] };
  assert.deepEqual(
    toPhaseRows(phases, saved).map(({ saves, maxMs, ratio, tooLong }) => [saves, maxMs, ratio, tooLong]),
    [
      [2, 4, 1, 0],
      [1, 80, 20, 1],
      [2, 80, 20, 1],
    ],
  );
});

test("what the host took while a save was under way is not the service's, and is shown", () => {
  const phase = { tree: 'a', until: 0, othersPercent: null };
  const phases = [
    { ...phase, name: 'usual', from: 0, to: 100 },
    { ...phase, name: 'copy', from: 100, to: 200 },
  ];
  const saved = { failure: null, startedAt: [10, 20, 120, 150], latencyMs: [2, 34, 20, 80], stolenMs: [0, 30, 0, 70] };
  assert.deepEqual(
    toPhaseRows(phases, saved).map(({ maxMs, ownMaxMs, ratio, ownRatio }) => [maxMs, ownMaxMs, ratio, ownRatio]),
    [
      [34, 4, 8.5, 1],
      [80, 20, 20, 5],
    ],
  );
});
