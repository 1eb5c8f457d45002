// The mistakes that `test/crash` puts into the service replace exact texts of its sources. Whoever changes such a text hears
// of it here, long before the crash suite runs.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { bugs, busySweeper } from './crash/bugs.ts';

const root = join(import.meta.dirname, '..');

test('every text that a seeded bug replaces stands in its module exactly once', () => {
  const replaced = [...bugs.flatMap(({ mistake }) => mistake), ...busySweeper];
  const wrong = replaced.filter(
    ({ module, from }) => readFileSync(join(root, module), 'utf8').split(from).length !== 2,
  );
  assert.deepEqual(
    wrong.map(({ module, from }) => `${module}: ${from}`),
    [],
  );
});
