// Counts what the files of the suite have tried. With fewer than these, a test has lost its purpose.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sum, type Tallied, tallied } from './tally.ts';

const least: Record<Tallied, number> = {
  'bad credentials': 250,
  'routes × callers': 60,
  'cross-space calls': 20,
  'exposed secrets': 8,
  'tampered backups': 30,
  'attacks of tenants': 20,
  'rewritten journals': 14,
  'attempts beyond links and grants': 1000,
};

export async function openTally(): Promise<{ environment: Record<string, string>; close(): Promise<string[]> }> {
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-tally-'));
  const path = join(folder, 'tally');
  writeFileSync(path, '');
  return {
    environment: { TEST_TALLY: path },
    async close() {
      const lines = readFileSync(path, 'utf8');
      rmSync(folder, { recursive: true });
      return findTooFew(lines);
    },
  };
}

function findTooFew(lines: string): string[] {
  const counts = tallied.map((what) => ({ what, count: sum(lines, what) }));
  for (const { what, count } of counts) console.log(`security: ${count} ${what} were refused as they must be`);
  return counts
    .filter(({ what, count }) => count < least[what])
    .map(({ what, count }) => `${count} ${what} were tried; at least ${least[what]} are expected`);
}
