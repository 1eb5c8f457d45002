import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { EngineCost } from './save-cost.ts';
import { isMeasured, load, machines, reachedAt, scale, toLimits, toNeeds } from './scale.ts';

const cost: EngineCost = {
  nodeMicros: 500,
  busiestThreadMicros: 200,
  databaseMicros: 300,
  writtenBytes: 8000,
  storedBytes: 5000,
  readNodeMicros: 100,
  readDatabaseMicros: 60,
  savesPerSecond: 1000,
};

/** One save and two reads a second at the busiest hour. */
const given = {
  load: { ...load, savesPerDay: 8640, peakFactor: 10, readsPerSave: 2, largeShare: 0.5, largeBytes: 1000 },
  machines: { ...machines, usableShare: 0.5, databaseCores: 2, nodeCores: 4, keptYears: 1, nodeDiskBytes: 1e18 },
};

test('the need grows with the load', () => {
  const needs = toNeeds(cost, 10_000, given);
  assert.equal(needs.savesPerSecond, 10_000);
  assert.equal(needs.readsPerSecond, 20_000);
  assert.equal(needs.nodes, 8, '4 cores of the busiest thread, of which half is used');
  assert.equal(needs.databaseCores, 8.4);
  assert.equal(needs.writtenBytesPerSecond, 80e6);
  assert.equal(needs.keptRows, 8640 * 365 * 10_000);
  assert.equal(needs.keptLargeBytes, needs.keptRows * 500);
  assert.equal(needs.largePutsPerSecond, 5000);
  assert.equal(toNeeds(cost, 1, given).nodes, 1);
});

test('the first limit comes first, with its factor', () => {
  const embedded = toLimits('sqlite', cost, given);
  assert.equal(embedded[0]?.what, 'one thread of the process');
  assert.equal(Math.round(reachedAt(embedded[0] as (typeof embedded)[0])), 1250, 'half a core at 400 µs for each save');
  const shared = toLimits('postgres', cost, given);
  const reached = shared.map(reachedAt);
  assert.deepEqual(
    reached,
    reached.toSorted((a, b) => a - b),
  );
  const database = shared.find(({ what }) => what === 'processor of the database');
  assert.equal(Math.round(reachedAt(database as (typeof shared)[0])), 2381, 'one core at 420 µs for each save');
});

test('figures that were not measured are reported', () => {
  assert.ok(isMeasured(cost));
  assert.ok(!isMeasured({ ...cost, databaseMicros: null }));
});

test('docs/scale.md has the result of the figures', async () => {
  const { markdown } = await scale.run(null as never, null as never);
  const page = readFileSync(join(import.meta.dirname, '../docs/scale.md'), 'utf8');
  assert.ok(page.includes(markdown.trim()), 'npm run bench -- scale --out docs/scale.md');
});
