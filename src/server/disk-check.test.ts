import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findDiskProblem, isImplausible, measureSync, nameUnreliable } from './disk-check.ts';

test('network and memory file systems are known, those of disks are not among them', () => {
  assert.match(nameUnreliable(0x6969) ?? '', /network/);
  // As statfs gives it where numbers are signed.
  assert.match(nameUnreliable(0xff534d42 | 0) ?? '', /network/);
  assert.match(nameUnreliable(0x01021994) ?? '', /memory/);
  for (const disk of [
    0xef53 /* ext4 */, 0x58465342 /* xfs */, 0x9123683e /* btrfs */, 0x2fc12fc1 /* zfs */, 0x794c7630,
  ]) {
    assert.equal(nameUnreliable(disk), null);
  }
});

test('memory says that it has synced at once, and is not believed', { skip: !existsSync('/dev/shm') }, () => {
  const folder = mkdtempSync('/dev/shm/cabinet-disk-');
  assert.match(findDiskProblem(folder) ?? '', /tmpfs/);
  // A busy machine makes some of them slow; of a disk none is so fast.
  const measured = Array.from({ length: 20 }, () => measureSync(folder) ?? Number.NaN);
  assert.ok(isImplausible(Math.min(...measured)), `${measured}`);
  rmSync(folder, { recursive: true });
});

test('trying a sync leaves nothing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-disk-'));
  assert.ok((measureSync(folder) ?? 0) > 0);
  assert.deepEqual(readdirSync(folder), []);
  rmSync(folder, { recursive: true });
});
