// Setup links (docs/contract.md §12.5): the owner of an account chooses its password, on a page that needs no credentials.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefusal } from './assertions.ts';
import { type Answer, send, signIn } from './client.ts';
import { ask, manage, type NewUser, newName } from './managing.ts';

const admin = await signIn('Administrator');

/** The path alone is used: a proxy may own the address. */
function show(url: string): Promise<Answer> {
  return send(admin.base, new URL(url).pathname);
}

function setUp(url: string, password: string): Promise<Answer> {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams({ password }).toString();
  return send(admin.base, new URL(url).pathname, { method: 'POST', headers, body });
}

test('A setup link leads to a form, which sets the password once', async () => {
  const Id = newName();
  const { SetupUrl } = await manage<NewUser>(admin, 'POST', '/users', { Id, Role: 'viewer' });
  const page = await show(SetupUrl);
  assert.equal(page.status, 200);
  assert.equal(page.headers['cache-control'], 'no-store');
  assert.match(page.body.toString(), /<form method="post">/);
  assert.equal((await setUp(SetupUrl, 'short')).status, 400);
  assert.equal((await setUp(SetupUrl, 'four words nobody expects')).status, 200);
  assert.equal((await setUp(SetupUrl, 'five words nobody expects here')).status, 404);
  assert.equal((await show(SetupUrl)).status, 404);
});

test('A new setup link ends the earlier one', async () => {
  const Id = newName();
  const { SetupUrl } = await manage<NewUser>(admin, 'POST', '/users', { Id, Role: 'viewer' });
  const renewed = await manage<{ SetupUrl: string; SetupExpiresAt: string }>(admin, 'POST', `/users/${Id}/setup`);
  assert.deepEqual(Object.keys(renewed), ['SetupUrl', 'SetupExpiresAt']);
  assert.equal((await show(SetupUrl)).status, 404);
  assert.equal((await show(renewed.SetupUrl)).status, 200);
  assertRefusal(await ask(admin, 'POST', `/users/${newName()}/setup`), 404, 'UserNotFound');
});
