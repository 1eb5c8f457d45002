// How missing programs are recorded and reported.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { renderSkipped } from './programs.ts';

const toLine = (program: string, packages: string[], skipped: string) => JSON.stringify({ program, packages, skipped });

test('nothing is reported if nothing was skipped', () => {
  assert.equal(renderSkipped([]), '');
  assert.equal(renderSkipped(['', '']), '');
});

test('everything skipped is reported once, with one command that installs what is missing', () => {
  const lines = [
    toLine('haproxy', ['haproxy'], 'nodes behind HAProxy'),
    toLine('gcc', ['gcc', 'libc6-dev'], 'disk faults'),
    toLine('haproxy', ['haproxy'], 'nodes behind HAProxy'),
    toLine('root', [], 'a full disk'),
    '',
  ];
  assert.equal(
    renderSkipped(lines),
    `3 skipped, because something they need is missing:
  a full disk (needs root on Linux)
  disk faults (needs gcc)
  nodes behind HAProxy (needs haproxy)
To run them on Debian: apt-get install gcc haproxy libc6-dev
`,
  );
});

test('no command is given if no package would help', () => {
  const text = renderSkipped([toLine('root', [], 'a full disk')]);
  assert.equal(text, '1 skipped, because something they need is missing:\n  a full disk (needs root on Linux)\n');
});

test('a missing program is recorded once, as a line of JSON, and is a reason to skip', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-programs-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'skipped');
  const program = `import { hasProgram, skipWithout } from ${JSON.stringify(join(import.meta.dirname, 'programs.ts'))};
    console.log(skipWithout('weed', 'minio'), hasProgram('weed'));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
    env: { TEST_SKIPPED: path, PATH: '/usr/bin:/bin' },
  });
  assert.equal(stdout, 'needs weed and minio false\n');
  assert.match(stderr, /^SKIPPED: the benchmark against SeaweedFS \(needs weed\)$/m);
  const lines = readFileSync(path, 'utf8').split('\n');
  assert.deepEqual(lines.slice(0, 1), [toLine('weed', [], 'the benchmark against SeaweedFS')]);
  assert.equal(lines.length, 3);
  assert.match(renderSkipped(lines), /SeaweedFS/);
});
