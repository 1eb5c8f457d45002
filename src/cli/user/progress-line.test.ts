// How progress looks.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Progress } from './progress.ts';
import { renderBar, renderLine, toDuration } from './progress-line.ts';

const mebibyte = 1_000_000;
const state = {
  verb: 'put',
  done: { files: 3, bytes: 30 * mebibyte },
  total: { files: 10, bytes: 60 * mebibyte },
  bytesPerSecond: 2 * mebibyte,
  name: 'film.mkv',
};

test('a bar shows how far it is, the rate and the time that is left', () => {
  const bar = renderBar(state, 120);
  assert.match(bar, /^put ━+╌+ {2}50 % {2}30 MB of 60 MB {2}2 MB\/s {2}0:15 left {2}3 of 10 files {2}film\.mkv$/);
  assert.equal(bar.match(/━/g)?.length, bar.match(/╌/g)?.length);
});

test('a plain line says the same without a name', () => {
  assert.equal(renderLine(state), 'put: 50 %, 30 MB of 60 MB, 2 MB/s, 0:15 left, 3 of 10 files');
});

test('while the total is not known there is neither a bar nor a time', () => {
  assert.equal(renderBar({ ...state, total: null }, 80), 'put 30 MB  2 MB/s  film.mkv');
});

test('a bar is never wider than the terminal', () => {
  const counts = fc.record({ files: fc.nat(), bytes: fc.nat() });
  fc.assert(
    fc.property(counts, counts, fc.string(), fc.integer({ min: 20, max: 300 }), (done, total, name, columns) => {
      const { length } = renderBar({ ...state, done, total, name }, columns);
      assert.ok(length < columns, `${length}`);
    }),
  );
});

test('times are written as people write them', () => {
  assert.deepEqual([0, 7, 60, 750, 11_100].map(toDuration), ['0:00', '0:07', '1:00', '12:30', '3:05:00']);
});

test('what cannot be seen in a name does not reach the terminal', { timeout: 60_000 }, async () => {
  const written: string[] = [];
  const progress = new Progress('get', false, { isTTY: true, columns: 100, write: (text) => written.push(text) });
  progress.begin('a\x1b[2Jb');
  while (written.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
  progress.close();
  assert.ok(!written.join('').includes('\x1b[2J'));
  assert.ok(written.join('').includes('a\\u{1b}[2Jb'));
});
