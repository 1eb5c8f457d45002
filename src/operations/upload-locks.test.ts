import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ActiveUploads, UploadLocks } from './upload-locks.ts';

test('the newer request ends the older one, and begins when that is over', async () => {
  const turns = new UploadLocks();
  // Two threads: each has its own requests, the turns are those of the process.
  const [one, other] = [
    new ActiveUploads((id, end) => turns.acquire(id, end)),
    new ActiveUploads((id, end) => turns.acquire(id, end)),
  ];
  const told: string[] = [];
  const leave = await one.acquire('a', () => told.push('the first is ended'));
  const entering = other
    .acquire('a', () => told.push('the second is ended'))
    .then((left) => {
      told.push('the second begins');
      return left;
    });
  await turn();
  assert.deepEqual(told, ['the first is ended']);
  leave();
  (await entering)();
  assert.deepEqual(told, ['the first is ended', 'the second begins']);
  (await one.acquire('a', () => undefined))();
});

test('what settles has waited also for those who waited for their turn', async () => {
  const turns = new UploadLocks();
  const uploads = new ActiveUploads((id, end) => turns.acquire(id, end));
  const told: string[] = [];
  const leave = await uploads.acquire('a', () => undefined);
  const second = uploads
    .acquire('a', () => undefined)
    .then(async (left) => {
      await turn();
      told.push('the second is done');
      left();
    });
  const settled = uploads.settle().then(() => told.push('settled'));
  leave();
  await Promise.all([second, settled]);
  assert.deepEqual(told, ['the second is done', 'settled']);
});

test('whoever is not let in is not waited for', async () => {
  const uploads = new ActiveUploads(() => Promise.reject(new Error('closed')));
  await assert.rejects(
    uploads.acquire('a', () => undefined),
    /closed/,
  );
  await uploads.settle();
});
