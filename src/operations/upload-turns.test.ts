import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Turns, UploadTurns } from './upload-turns.ts';

test('the newer request ends the older one, and begins when that is over', async () => {
  const turns = new Turns();
  // Two threads: each has its own requests, the turns are those of the process.
  const [one, other] = [
    new UploadTurns((id, end) => turns.enter(id, end)),
    new UploadTurns((id, end) => turns.enter(id, end)),
  ];
  const told: string[] = [];
  const leave = await one.enter('a', () => told.push('the first is ended'));
  const entering = other
    .enter('a', () => told.push('the second is ended'))
    .then((left) => {
      told.push('the second begins');
      return left;
    });
  await turn();
  assert.deepEqual(told, ['the first is ended']);
  leave();
  (await entering)();
  assert.deepEqual(told, ['the first is ended', 'the second begins']);
  (await one.enter('a', () => undefined))();
});

test('what settles has waited also for those who waited for their turn', async () => {
  const turns = new Turns();
  const uploads = new UploadTurns((id, end) => turns.enter(id, end));
  const told: string[] = [];
  const leave = await uploads.enter('a', () => undefined);
  const second = uploads
    .enter('a', () => undefined)
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
  const uploads = new UploadTurns(() => Promise.reject(new Error('closed')));
  await assert.rejects(
    uploads.enter('a', () => undefined),
    /closed/,
  );
  await uploads.settle();
});
