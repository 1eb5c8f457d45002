import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { MovableClock } from '../runtime/clock-for-tests.ts';
import { watchFiles } from './watched-files.ts';

test('what changes is loaded; what makes no sense is reported and changes nothing', {
  timeout: 60_000,
}, async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-watched-'));
  const path = join(folder, 'file');
  writeFileSync(path, '1');
  const mistakes: unknown[] = [];
  const changes: number[] = [];
  const clock = new MovableClock();
  const watched = await watchFiles({
    clock,
    paths: [path],
    load: ([file]) => {
      const number = Number(file?.toString() || Number.NaN);
      if (Number.isNaN(number)) throw new Error('not a number');
      return number;
    },
    onChange: (value) => changes.push(value),
    onMistake: (error) => mistakes.push(error),
  });
  context.after(() => watched.close());
  context.after(() => rmSync(folder, { recursive: true }));
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await clock.advance(500);
  };
  assert.equal(watched.value, 1);
  writeFileSync(path, '2');
  await until(() => watched.value === 2);
  writeFileSync(path, 'x');
  await until(() => mistakes.length === 1);
  assert.deepEqual([watched.value, mistakes.length], [2, 1]);
  rmSync(path);
  await until(() => mistakes.length === 2);
  assert.deepEqual([watched.value, mistakes.length], [2, 2]);
  writeFileSync(`${path}.new`, '3');
  renameSync(`${path}.new`, path);
  await until(() => watched.value === 3);
  assert.deepEqual([watched.value, changes], [3, [2, 3]]);
});

test('files that make no sense to begin with are an error', async () => {
  await assert.rejects(watchFiles({ paths: ['/nowhere/at-all'], load: () => 1, onMistake: () => undefined }), /ENOENT/);
});
