// litmus against SQLite, and against PostgreSQL and S3 over TLS: every group whole, and no warnings.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findGround, newStores } from '../cluster/ground.ts';
import { skipWithout } from '../service/programs.ts';
import { type DavService, startDav } from './dav.ts';
import { litmusGroups, runLitmus } from './litmus.ts';

const skip = skipWithout('litmus');

test('litmus passes on SQLite', { skip }, async () => {
  await using service = await startDav();
  await passes(service);
});

test('litmus passes on PostgreSQL and S3, over TLS', { skip: skipWithout('litmus', 'openssl') }, async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-dav-tls-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const ground = await findGround();
  try {
    await using service = await startDav({ ...(await newStores(ground)), ...makeCertificate(folder) });
    assert.match(service.production, /^https:/);
    // Its group `http` has one test for plain connections only.
    await passes(service, { groups: { ...litmusGroups, http: 3 }, complaints: ['-> 1 test was skipped.'] });
  } finally {
    await ground.stop();
  }
});

function makeCertificate(folder: string) {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')] as const;
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const files = ['-keyout', key, '-out', cert];
  const made = spawnSync('openssl', [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    ...subject,
    ...files,
  ]);
  assert.equal(made.status, 0, made.stderr.toString());
  return { CABINET_TLS_CERT: cert, CABINET_TLS_KEY: key };
}

async function passes(
  service: DavService,
  expected = { groups: litmusGroups, complaints: [] as string[] },
): Promise<void> {
  const { base, space, authorization } = await service.addClient('litmus');
  const [user = '', password = ''] = Buffer.from(authorization.slice(6), 'base64').toString().split(':');
  const { groups, complaints, output } = await runLitmus(`${base}/dav/${space}/`, user, password);
  assert.deepEqual(complaints, expected.complaints, output);
  const whole = Object.entries(expected.groups).map(([name, run]) => [name, { run, passed: run }]);
  assert.deepEqual(groups, Object.fromEntries(whole), output);
}
