import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { MovableClock } from '../runtime/clock-for-tests.ts';
import { watchFreeSpace } from './free-space.ts';

test('a folder that is gone has no free space, and nothing is thrown from the timer', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-free-'));
  const clock = new MovableClock();
  const space = watchFreeSpace(folder, clock);
  assert.ok(space.freeBytes() > 0);
  rmSync(folder, { recursive: true });
  await clock.advance(1000);
  assert.equal(space.freeBytes(), 0);
  space.stop();
});
