import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ActiveUploads, UploadLocks } from './upload-locks.ts';

test('a newer request ends the older one, and starts when that has ended', async () => {
  const locks = new UploadLocks();
  // Two threads: each has its own requests, the locks belong to the process.
  const [one, other] = [
    new ActiveUploads((id, end) => locks.acquire(id, end)),
    new ActiveUploads((id, end) => locks.acquire(id, end)),
  ];
  const events: string[] = [];
  const release = await one.acquire('a', () => events.push('the first is ended'));
  const entering = other
    .acquire('a', () => events.push('the second is ended'))
    .then((left) => {
      events.push('the second begins');
      return left;
    });
  await turn();
  assert.deepEqual(events, ['the first is ended']);
  release();
  (await entering)();
  assert.deepEqual(events, ['the first is ended', 'the second begins']);
  (await one.acquire('a', () => undefined))();
});

test('settle also waits for requests that wait for the lock', async () => {
  const locks = new UploadLocks();
  const uploads = new ActiveUploads((id, end) => locks.acquire(id, end));
  const events: string[] = [];
  const release = await uploads.acquire('a', () => undefined);
  const second = uploads
    .acquire('a', () => undefined)
    .then(async (left) => {
      await turn();
      events.push('the second is done');
      left();
    });
  const settled = uploads.settle().then(() => events.push('settled'));
  release();
  await Promise.all([second, settled]);
  assert.deepEqual(events, ['the second is done', 'settled']);
});

test('settle does not wait for a request that failed to acquire', async () => {
  const uploads = new ActiveUploads(() => Promise.reject(new Error('closed')));
  await assert.rejects(
    uploads.acquire('a', () => undefined),
    /closed/,
  );
  await uploads.settle();
});
