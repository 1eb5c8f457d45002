import assert from 'node:assert/strict';
import { test } from 'node:test';
import { showBuildProgress } from './build-progress.ts';

function record(isTTY: boolean) {
  const written: string[] = [];
  return { isTTY, written, write: (text: string) => written.push(text) };
}

test('a log gets one line when the build starts and one when it ends', () => {
  const output = record(false);
  showBuildProgress(output).end(true);
  assert.match(output.written.join(''), /^Building the console\. [^\r\n]+\nBuilt the console in \d+ s\.\n$/);
});

test('a terminal gets a line that counts the seconds and is removed at the end', () => {
  const output = record(true);
  const progress = showBuildProgress(output);
  assert.match(output.written.join(''), /^\rBuilding the console\. .* 0 s$/);
  progress.end(false);
  assert.ok(output.written.join('').endsWith('\r\x1b[K'));
});
