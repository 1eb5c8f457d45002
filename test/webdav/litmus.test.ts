// litmus against SQLite, and against PostgreSQL and S3: every group whole, and no warnings.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findGround, newStores } from '../cluster/ground.ts';
import { skipWithout } from '../service/programs.ts';
import { startDav } from './dav.ts';
import { litmusGroups, runLitmus } from './litmus.ts';

const skip = skipWithout('litmus');

test('litmus passes on SQLite', { skip }, async () => {
  await using service = await startDav();
  await passes(service);
});

test('litmus passes on PostgreSQL and S3', { skip }, async () => {
  const ground = await findGround();
  try {
    await using service = await startDav({ ...(await newStores(ground)) });
    await passes(service);
  } finally {
    await ground.stop();
  }
});

async function passes(service: Awaited<ReturnType<typeof startDav>>): Promise<void> {
  const { base, space, authorization } = await service.addClient('litmus');
  const [user = '', password = ''] = Buffer.from(authorization.slice(6), 'base64').toString().split(':');
  const { groups, complaints, output } = await runLitmus(`${base}/dav/${space}/`, user, password);
  assert.deepEqual(complaints, []);
  const expected = Object.entries(litmusGroups).map(([name, run]) => [name, { run, passed: run }]);
  assert.deepEqual(groups, Object.fromEntries(expected), output);
}
