// The account of the caller (docs/contract.md §12). The suite has applications only; people are in `test/security`.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefusal } from './assertions.ts';
import { signIn } from './client.ts';
import { ask, get } from './managing.ts';

const main = await signIn('Main');

test('GET /me shows an application that acts for itself: its AppKey, its name and its space', async () => {
  const { AppKey, Name } = main.application;
  const { Spaces } = await get<{ Spaces: object[] }>(main, '/spaces');
  const shown = { Id: AppKey, Name, Kind: 'application', Spaces, HasPassword: false, SecondFactors: [] };
  assert.deepEqual(await get(main, '/me'), shown);
  assert.equal(Spaces.length, 1);
});

test('An application has no password, no sessions, no app passwords and no second factors', async () => {
  const requests: [string, string, object?][] = [
    ['PUT', '/me/password', { Current: 'a wrong password', New: 'another long password' }],
    ['GET', '/me/sessions'],
    ['DELETE', '/me/sessions'],
    ['DELETE', '/me/sessions/x'],
    ['GET', '/me/consents'],
    ['DELETE', '/me/consents/x'],
    ['GET', '/me/app-passwords'],
    ['POST', '/me/app-passwords', { Name: 'laptop', Access: 'read' }],
    ['DELETE', '/me/app-passwords/x'],
    ['GET', '/me/second-factors'],
    ['POST', '/me/second-factors/totp/setup', { Password: 'a wrong password' }],
    ['POST', '/me/second-factors/totp', { Setup: 'x', Code: '000000', Name: 'phone' }],
    ['POST', '/me/second-factors/passkeys/setup', { Password: 'a wrong password' }],
    ['POST', '/me/second-factors/passkeys', { Setup: 'x', Credential: { id: 'x' }, Name: 'phone' }],
    ['POST', '/me/second-factors/recovery-codes', { Password: 'a wrong password' }],
    ['POST', '/me/second-factors/x/remove', { Password: 'a wrong password' }],
  ];
  for (const [method, path, fields] of requests) {
    assertRefusal(await ask(main, method, path, fields), 403, 'Forbidden');
  }
});
