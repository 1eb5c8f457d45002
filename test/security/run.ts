// `npm run test:security`: everything about who gets in, and a count of what was tried. Fewer than this, and a test has
// lost what it is for.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sum, type Tallied, tallied } from './tally.ts';

const least: Record<Tallied, number> = { 'bad credentials': 250, 'routes × callers': 60, 'cross-space calls': 20 };

const folder = mkdtempSync(join(tmpdir(), 'cabinet-tally-'));
const path = join(folder, 'tally');
writeFileSync(path, '');
const words = ['--test', '--test-concurrency=1', join(import.meta.dirname, '*.test.ts')];
const { status } = spawnSync(process.execPath, words, {
  stdio: 'inherit',
  env: { ...process.env, TEST_TALLY: path },
});
const lines = readFileSync(path, 'utf8');
rmSync(folder, { recursive: true });

const counts = tallied.map((what) => ({ what, count: sum(lines, what) }));
process.stdout.write('\ntried, and refused as it must be:\n');
for (const { what, count } of counts) process.stdout.write(`  ${what.padEnd(18)} ${count}\n`);
const tooFew = counts.filter(({ what, count }) => count < least[what]);
for (const { what } of tooFew) process.stdout.write(`too few ${what}: at least ${least[what]} are wanted\n`);
const isGood = status === 0 && tooFew.length === 0;
process.stdout.write(isGood ? 'none passed\n' : 'FAILED\n');
process.exitCode = isGood ? 0 : 1;
