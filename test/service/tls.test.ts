// TLS on the production address, by configuration.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { skipWithout } from './programs.ts';
import { makeDataFolder, removeDataFolder } from './service.ts';
import { startServiceHere } from './service-here.ts';

const withoutOpenssl = skipWithout('openssl');

test('with a certificate the production address serves HTTPS, TLS 1.2 or later', {
  skip: withoutOpenssl,
}, async (context) => {
  const dataFolder = makeDataFolder();
  const [cert, key] = ['cert.pem', 'key.pem'].map((name) => join(dirname(dataFolder), name)) as [string, string];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const made = spawnSync('openssl', [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    ...subject,
    '-keyout',
    key,
    '-out',
    cert,
  ]);
  assert.equal(made.status, 0, made.stderr.toString());
  const environment = { CABINET_TLS_CERT: cert, CABINET_TLS_KEY: key } as const;
  const service = await startServiceHere(dataFolder, { environment });
  context.after(async () => {
    await service.stop();
    removeDataFolder(dataFolder);
  });
  assert.match(service.production, /^https:/);
  const ask = (maxVersion: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3') =>
    new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const options = { ca: readFileSync(cert), maxVersion, minVersion: 'TLSv1' as const, agent: false as const };
      request(`${service.production}/.well-known/oauth-authorization-server`, options, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        answer.on('end', () => resolve({ status: answer.statusCode, text }));
      })
        .on('error', reject)
        .end();
    });
  const { status, text } = await ask('TLSv1.3');
  assert.equal(status, 200);
  assert.equal((JSON.parse(text) as { issuer: string }).issuer, service.production);
  assert.equal((await ask('TLSv1.2')).status, 200);
  await assert.rejects(ask('TLSv1.1'));
});
