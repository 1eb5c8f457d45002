// The page on which a person types the code that a device shows (RFC 8628; docs/contract.md §12). The suite has no people, so it ends
// before the sign-in; `test/security/device-sign-in.test.ts` goes on.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, send } from './client.ts';
import { target } from './target.ts';

const { Production } = target();
const form = { 'Content-Type': 'application/x-www-form-urlencoded' };

async function beginDevice(): Promise<Record<string, string>> {
  const body = 'client_id=ak_cabinetcli0000000000000000000000&scope=openid';
  const answer = await send(Production, '/oauth2/device', { method: 'POST', headers: form, body });
  assert.equal(answer.status, 200, answer.body.toString());
  return JSON.parse(answer.body.toString()) as Record<string, string>;
}

/** Types a code, in a browser that has opened the page. */
async function typeCode(code: string): Promise<Answer> {
  const page = await send(Production, '/device', { headers: { Accept: 'text/html' } });
  assert.equal(page.status, 200);
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(page.body.toString())?.[1];
  assert.ok(xsrf !== undefined, 'the form is tied to the browser');
  const Cookie = [page.headers['set-cookie'] ?? []]
    .flat()
    .map((line) => line.split(';')[0])
    .join('; ');
  const body = new URLSearchParams({ xsrf, user_code: code }).toString();
  return await send(Production, '/device', { method: 'POST', headers: { ...form, Accept: 'text/html', Cookie }, body });
}

test('The code that a device shows leads to a page that shows it, and a wrong one is refused', async () => {
  const { user_code: code = '' } = await beginDevice();
  const right = await typeCode(code);
  assert.equal(right.status, 200);
  assert.match(right.body.toString(), new RegExp(`<strong>${code}</strong>`));
  const wrong = await typeCode('BBBB-BBBB');
  assert.match(wrong.body.toString(), /This code is not right/);
});

test('A browser that has begun nothing is led to the page for the code', async () => {
  const answer = await send(Production, '/device/unknown', { headers: { Accept: 'text/html' } });
  assert.equal(answer.status, 303);
  assert.match(String(answer.headers.location), /\/device$/);
});
