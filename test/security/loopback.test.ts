// Native applications return to a loopback port that was unknown before (RFC 8252); other applications may not choose one.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addApplication } from '../service/operator.ts';
import { makeDataFolder, type Registered, removeDataFolder } from '../service/service.ts';
import { type StartedHere, startServiceHere } from '../service/service-here.ts';

const dataFolder = makeDataFolder();
let service: StartedHere;

before(async () => {
  service = await startServiceHere(dataFolder);
});

after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

async function register(name: string, ...uris: string[]): Promise<Registered> {
  return await addApplication(dataFolder, name, { forPeople: true, redirectUris: uris.join(' ') });
}

/** Whether the issuer lets a sign-in begin that is to come back to this address. */
async function isTaken({ AppKey }: Registered, redirectUri: string): Promise<boolean> {
  const address = new URL(`${service.production}/oauth2/authorize`);
  const parameters = {
    client_id: AppKey,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid',
    code_challenge: 'a'.repeat(43),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  const answer = await fetch(address, { redirect: 'manual' });
  const text = await answer.text();
  if (answer.status === 303) return true;
  assert.equal(answer.status, 400);
  assert.match(text, /redirect_uri/);
  return false;
}

test('a loopback redirect URI without a port is accepted with any port, and with no other change', async () => {
  const program = await register('program', 'http://127.0.0.1/signed-in');
  for (const uri of [
    'http://127.0.0.1/signed-in',
    'http://127.0.0.1:1/signed-in',
    'http://127.0.0.1:54321/signed-in',
  ]) {
    assert.ok(await isTaken(program, uri), uri);
  }
  for (const uri of [
    'http://127.0.0.1:54321/',
    'http://127.0.0.1:54321/signed-in/',
    'http://127.0.0.1:54321/signed-in?x=1',
    'http://localhost:54321/signed-in',
    'http://[::1]:54321/signed-in',
    'http://127.0.0.2:54321/signed-in',
    'http://127.0.0.1.example.com:54321/signed-in',
    'http://127.0.0.1:54321@example.com/signed-in',
    'https://127.0.0.1:54321/signed-in',
    'http://example.com/signed-in',
  ])
    assert.ok(!(await isTaken(program, uri)), uri);
});

test('a registered port must match', async () => {
  const page = await register('page', 'http://127.0.0.1:8080/console');
  assert.ok(await isTaken(page, 'http://127.0.0.1:8080/console'));
  for (const uri of ['http://127.0.0.1:8081/console', 'http://127.0.0.1/console'])
    assert.ok(!(await isTaken(page, uri)), uri);
});

test('an application with another redirect URI too must match ports exactly', async () => {
  const both = await register('both', 'http://127.0.0.1/back', 'https://app.example/back');
  assert.ok(await isTaken(both, 'http://127.0.0.1/back'));
  assert.ok(await isTaken(both, 'https://app.example/back'));
  assert.ok(!(await isTaken(both, 'http://127.0.0.1:54321/back')));
});
