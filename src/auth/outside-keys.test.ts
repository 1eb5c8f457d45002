import assert from 'node:assert/strict';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { Refusal } from '../domain/refusal.ts';
import { systemClock } from '../runtime/clock.ts';
import { OutsideKeys } from './outside-keys.ts';
import { outsideAlgorithms } from './outside-rules.ts';

const second = 1000;
const minute = 60 * second;

async function makeKey(kid: string): Promise<JWK> {
  const { publicKey } = await generateKeyPair('ES256', { extractable: true });
  return { ...(await exportJWK(publicKey)), kid };
}

const [first, next] = await Promise.all([makeKey('first'), makeKey('next')]);

async function openServer(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An issuer whose answer the test changes, counting its requests, and our keys of it with a clock of the test. */
async function openIssuer(t: TestContext) {
  const issuer = {
    keys: [first] as unknown,
    answer: null as ((response: ServerResponse) => void) | null,
    fetches: 0,
    nowMs: 1_800_000_000_000,
    failures: [] as string[],
  };
  const address = await openServer(t, (_, response) => {
    issuer.fetches += 1;
    if (issuer.answer !== null) issuer.answer(response);
    else response.end(JSON.stringify({ keys: issuer.keys }));
  });
  const keys = new OutsideKeys(
    { issuer: address, jwksUri: `${address}/keys`, algorithms: outsideAlgorithms },
    { clock: { ...systemClock, now: () => issuer.nowMs }, onFailure: (error) => issuer.failures.push(String(error)) },
  );
  return { issuer, keys };
}

async function has(keys: OutsideKeys, kid?: string): Promise<boolean> {
  return (await keys.find({ kid, alg: 'ES256' })) !== null;
}

function isUnavailable(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'IssuerUnavailable' && error.details.retryAfterSeconds === 5;
}

async function waitUntil(isSo: () => boolean): Promise<void> {
  for (let tries = 0; !isSo(); tries += 1) {
    assert.ok(tries < 4000, 'did not happen within 20 seconds');
    await sleep(5);
  }
}

function fail(response: ServerResponse): void {
  response.writeHead(500).end('{"keys":[]}');
}

test('concurrent first requests share one fetch', async (t) => {
  const { issuer, keys } = await openIssuer(t);
  const found = await Promise.all(Array.from({ length: 100 }, () => has(keys, 'first')));
  assert.ok(found.every(Boolean));
  assert.equal(issuer.fetches, 1);
});

test('keys are not fetched again for ten minutes, and then in the background', async (t) => {
  const { issuer, keys } = await openIssuer(t);
  assert.ok(await has(keys, 'first'));
  issuer.nowMs += 10 * minute - 1;
  assert.ok(await has(keys, 'first'));
  assert.equal(issuer.fetches, 1);
  issuer.nowMs += 1;
  const held: ServerResponse[] = [];
  issuer.answer = (response) => held.push(response);
  assert.ok(await has(keys, 'first'), 'does not wait for the answer that is held back');
  assert.ok(await has(keys, 'first'));
  await waitUntil(() => held.length === 1);
  held[0]?.end(JSON.stringify({ keys: [next] }));
  await waitUntil(() => held[0]?.writableFinished === true);
  assert.ok(await has(keys, 'next'));
  assert.equal(issuer.fetches, 2);
});

test('a new key is found at once, and the old one for as long as it is in the set', async (t) => {
  const { issuer, keys } = await openIssuer(t);
  assert.ok(await has(keys, 'first'));
  issuer.keys = [first, next];
  const found = await Promise.all(Array.from({ length: 20 }, () => has(keys, 'next')));
  assert.ok(found.every(Boolean));
  assert.ok(await has(keys, 'first'));
  assert.equal(issuer.fetches, 2);
});

test('a removed key is gone once the set is refreshed', async (t) => {
  const { issuer, keys } = await openIssuer(t);
  assert.ok(await has(keys, 'first'));
  issuer.keys = [next];
  assert.ok(await has(keys, 'first'));
  issuer.nowMs += 10 * minute;
  await has(keys, 'first');
  await waitUntil(() => issuer.fetches === 2);
  await has(keys, 'next');
  assert.equal(await has(keys, 'first'), false);
});

test('ten thousand unknown keys cause one fetch in thirty seconds', async (t) => {
  const { issuer, keys } = await openIssuer(t);
  assert.ok(await has(keys, 'first'));
  const seek = async (prefix: string) => {
    for (let round = 0; round < 100; round += 1) {
      const kids = Array.from({ length: 100 }, (_, index) => `${prefix}-${round}-${index}`);
      const found = await Promise.all(kids.map((kid) => has(keys, kid)));
      assert.ok(!found.includes(true));
    }
  };
  await seek('a');
  assert.equal(issuer.fetches, 2);
  issuer.nowMs += 30 * second - 1;
  await seek('b');
  assert.equal(issuer.fetches, 2);
  issuer.nowMs += 1;
  await seek('c');
  assert.equal(issuer.fetches, 3);
});

test('unknown keys cause no second fetch beside the first, or beside one in the background', async (t) => {
  const { issuer, keys } = await openIssuer(t);
  for (let index = 0; index < 50; index += 1) assert.equal(await has(keys, `x${index}`), false);
  assert.equal(issuer.fetches, 1);
  issuer.nowMs += 10 * minute;
  for (let index = 0; index < 50; index += 1) assert.equal(await has(keys, `y${index}`), false);
  assert.equal(issuer.fetches, 2);
});

test('during an outage known keys serve for an hour, then none do until a fetch succeeds', async (t) => {
  const { issuer, keys } = await openIssuer(t);
  assert.ok(await has(keys, 'first'));
  issuer.answer = fail;
  issuer.nowMs += 60 * minute - 1;
  assert.ok(await has(keys, 'first'));
  await waitUntil(() => issuer.failures.length === 1);
  issuer.nowMs += 5 * second;
  await assert.rejects(has(keys, 'first'), isUnavailable);
  issuer.answer = null;
  await assert.rejects(has(keys, 'first'), isUnavailable, 'a failed fetch is not repeated within five seconds');
  issuer.nowMs += 5 * second;
  assert.ok(await has(keys, 'first'));
});

test('a failed fetch is not repeated within five seconds', async (t) => {
  const { issuer, keys } = await openIssuer(t);
  issuer.answer = fail;
  for (let index = 0; index < 500; index += 1) await assert.rejects(has(keys, `x${index}`), isUnavailable);
  assert.equal(issuer.fetches, 1);
  issuer.nowMs += 5 * second;
  await Promise.all(Array.from({ length: 500 }, () => assert.rejects(has(keys, 'first'), isUnavailable)));
  assert.equal(issuer.fetches, 2);
});

test('a search for an unknown key that fails leaves the known ones as they were', async (t) => {
  const { issuer, keys } = await openIssuer(t);
  assert.ok(await has(keys, 'first'));
  issuer.answer = fail;
  assert.equal(await has(keys, 'next'), false);
  assert.ok(await has(keys, 'first'));
  issuer.nowMs += 31 * second;
  issuer.answer = null;
  issuer.keys = [next];
  assert.ok(await has(keys, 'next'));
});

test('an unknown key is searched for as soon as the pause after a failure is over', async (t) => {
  const { issuer, keys } = await openIssuer(t);
  assert.ok(await has(keys, 'first'));
  issuer.answer = fail;
  issuer.nowMs += 10 * minute;
  assert.ok(await has(keys, 'first'));
  await waitUntil(() => issuer.failures.length === 1);
  assert.equal(await has(keys, 'next'), false);
  issuer.answer = null;
  issuer.keys = [first, next];
  issuer.nowMs += 5 * second;
  assert.ok(await has(keys, 'next'));
  assert.equal(issuer.fetches, 3);
});

test('setting the clock back does not extend the life of keys', async (t) => {
  const { issuer, keys } = await openIssuer(t);
  assert.ok(await has(keys, 'first'));
  issuer.nowMs -= 24 * 60 * minute;
  issuer.answer = fail;
  await assert.rejects(has(keys, 'first'), isUnavailable);
});

test('a token need not name its key when there is only one', async (t) => {
  const { issuer, keys } = await openIssuer(t);
  assert.ok(await has(keys, undefined));
  issuer.keys = [first, next];
  assert.ok(await has(keys, 'next'));
  assert.equal(await has(keys, undefined), false);
  assert.equal(issuer.fetches, 2);
});
