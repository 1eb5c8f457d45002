import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { Refusal } from '../domain/refusal.ts';
import { systemClock } from '../runtime/clock.ts';
import { MovableClock } from '../runtime/clock-for-tests.ts';
import { OutsideKeys, type OutsideKeysOptions } from './outside-keys.ts';
import { outsideAlgorithms } from './outside-rules.ts';

async function makeKey(kid: string, algorithm = 'ES256'): Promise<JWK> {
  const { publicKey } = await generateKeyPair(algorithm, { extractable: true });
  return { ...(await exportJWK(publicKey)), kid };
}

const [first, next, rsa] = await Promise.all([makeKey('first'), makeKey('next'), makeKey('rsa', 'RS256')]);

async function openServer(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

type Answer = (response: ServerResponse) => void;

async function openKeys(
  t: TestContext,
  answer: Answer,
  options: OutsideKeysOptions = {},
  algorithms = outsideAlgorithms,
) {
  const address = await openServer(t, (_, response) => answer(response));
  return new OutsideKeys({ issuer: address, jwksUri: `${address}/keys`, algorithms }, options);
}

function withKeys(keys: readonly unknown[]): Answer {
  return (response) => response.end(JSON.stringify({ keys }));
}

async function has(keys: OutsideKeys, kid: string, alg = 'ES256'): Promise<boolean> {
  return (await keys.find({ kid, alg })) !== null;
}

function isUnavailable(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'IssuerUnavailable';
}

const badAnswers: Record<string, Answer> = {
  'of a megabyte': (response) => response.end(JSON.stringify({ keys: [first], padding: 'x'.repeat(2 ** 20) })),
  'of HTML': (response) => response.setHeader('content-type', 'text/html').end('<!doctype html><p>Hello'),
  'with status 500': (response) => response.writeHead(500).end(JSON.stringify({ keys: [first] })),
  'with status 203': (response) => response.writeHead(203).end(JSON.stringify({ keys: [first] })),
  'that is an array': (response) => response.end(JSON.stringify([{ keys: [first] }])),
  'that is null': (response) => response.end('null'),
  'without keys': (response) => response.end('{}'),
  'with 101 keys': (response) => response.end(JSON.stringify({ keys: [first, ...Array(100).fill({})] })),
  'that breaks off': (response) =>
    response.writeHead(200, { 'content-length': 900 }).write('{', () => response.destroy()),
};

for (const [about, answer] of Object.entries(badAnswers)) {
  test(`an answer ${about} is not taken`, async (t) => {
    const failures: unknown[] = [];
    const keys = await openKeys(t, answer, { onFailure: (error) => failures.push(error) });
    await assert.rejects(has(keys, 'first'), isUnavailable);
    assert.equal(failures.length, 1);
  });
}

test('an endless response is read up to 64 KiB', async (t) => {
  let isClosed = false;
  const answer = (response: ServerResponse) => {
    const timer = setInterval(() => response.write(' '.repeat(8192)), 1);
    response.on('close', () => {
      clearInterval(timer);
      isClosed = true;
    });
  };
  const keys = await openKeys(t, answer, { timeoutMs: 60_000 });
  await assert.rejects(has(keys, 'first'), isUnavailable);
  for (let tries = 0; !isClosed && tries < 4000; tries += 1) await sleep(5);
  assert.ok(isClosed);
});

test('a slow response is given up after five seconds', { timeout: 60_000 }, async (t) => {
  const clock = new MovableClock();
  const request = Promise.withResolvers<ServerResponse>();
  const keys = await openKeys(t, (response) => request.resolve(response), { clock });
  let isGivenUp = false;
  const finding = has(keys, 'first').finally(() => {
    isGivenUp = true;
  });
  finding.catch(() => undefined);
  const response = await request.promise;
  for (const ms of [0, 2000, 2999]) {
    await clock.advance(ms);
    await new Promise((resolve) => response.write(' ', resolve));
    assert.equal(isGivenUp, false);
  }
  const closed = once(response, 'close');
  await clock.advance(1);
  await assert.rejects(finding, isUnavailable);
  await closed;
});

test('a redirect is not followed', async (t) => {
  let isFollowed = false;
  const elsewhere = await openServer(t, (_, response) => {
    isFollowed = true;
    response.end(JSON.stringify({ keys: [first] }));
  });
  const keys = await openKeys(t, (response) => response.writeHead(302, { location: elsewhere }).end());
  await assert.rejects(has(keys, 'first'), isUnavailable);
  assert.equal(isFollowed, false);
});

test('keys that are not public signing keys are ignored, the others are used', async (t) => {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const small = await crypto.subtle.generateKey(
    { name: 'RSASSA-PKCS1-v1_5', modulusLength: 1024, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' },
    true,
    ['sign', 'verify'],
  );
  const records = [
    { kty: 'oct', k: 'c2VjcmV0', kid: 'oct', alg: 'HS256' },
    { ...rsa, kid: 'with-k', k: 'c2VjcmV0' },
    { ...first, kid: 'encrypts', use: 'enc' },
    { ...first, kid: 'derives', key_ops: ['deriveBits'] },
    { ...(await exportJWK(privateKey)), kid: 'private' },
    { ...(await exportJWK(small.publicKey)), kid: 'small' },
    { ...rsa, kid: 'symmetric', alg: 'HS256' },
    { ...rsa, kid: 'unlisted', alg: 'RS384' },
    { ...rsa, kid: 'mislabelled', alg: 'ES256' },
    { ...first, kid: 'off-curve', x: next.x },
    null,
    'text',
    { ...first, kid: 7 },
    { ...first, use: 'sig', key_ops: ['verify'] },
  ];
  const keys = await openKeys(t, withKeys(records), {}, [...outsideAlgorithms, 'RS384', 'HS256']);
  for (const { kid } of records.filter((record) => typeof record === 'object' && record !== null)) {
    const found = await Promise.all(['HS256', 'RS256', 'RS384', 'ES256'].map((alg) => keys.find({ kid, alg })));
    const isFound = found.some((key) => key !== null);
    assert.equal(isFound, kid === 'first', String(kid));
  }
});

test('a key is for its own algorithm only, or for the default of its kind', async (t) => {
  const kinds = { RS256: rsa, ES256: first, ES384: null, ES512: null, EdDSA: null };
  const made = await Promise.all(Object.entries(kinds).map(([alg, key]) => key ?? makeKey(alg, alg)));
  const defaults = Object.keys(kinds).map((alg, index) => ({ ...made[index], kid: alg }));
  const keys = await openKeys(t, withKeys([...defaults, { ...rsa, kid: 'PS256', alg: 'PS256' }]));
  for (const kid of [...Object.keys(kinds), 'PS256']) {
    for (const alg of [...outsideAlgorithms, 'none', 'HS256'])
      assert.equal(await has(keys, kid, alg), kid === alg, alg);
  }
});

test('an RSA key without an algorithm is for PS256 where RS256 is not allowed', async (t) => {
  const records = [rsa, { ...rsa, kid: 'old', alg: 'RS256' }];
  const keys = await openKeys(t, withKeys(records), {}, ['PS256', 'ES256']);
  assert.ok(await has(keys, 'rsa', 'PS256'));
  assert.equal(await has(keys, 'rsa', 'RS256'), false);
  assert.equal(await has(keys, 'old', 'RS256'), false);
});

async function openDiscovery(t: TestContext, toDocument: (address: string) => unknown, path = '') {
  const requests: string[] = [];
  const address = await openServer(t, (request, response) => {
    const isKeys = request.url === '/keys';
    response.end(JSON.stringify(isKeys ? { keys: [first] } : toDocument(address)));
  });
  const clock = { nowMs: 0 };
  const rules = { issuer: `${address}${path}`, jwksUri: null, algorithms: outsideAlgorithms };
  const recordingFetch: typeof fetch = (input, init) => {
    requests.push(String(input).replace(address, ''));
    return fetch(input, init);
  };
  return {
    requests,
    clock,
    keys: new OutsideKeys(rules, { clock: { ...systemClock, now: () => clock.nowMs }, fetch: recordingFetch }),
  };
}

test('without a configured address, discovery is used once', async (t) => {
  const discovery = (address: string) => ({ issuer: `${address}/realm/`, jwks_uri: `${address}/keys` });
  const { requests, clock, keys } = await openDiscovery(t, discovery, '/realm/');
  assert.ok(await has(keys, 'first'));
  clock.nowMs += 61 * 60_000;
  assert.ok(await has(keys, 'first'));
  assert.deepEqual(requests, ['/realm/.well-known/openid-configuration', '/keys', '/keys']);
});

const badDocuments: Record<string, (address: string) => unknown> = {
  'of another issuer': (address) => ({ issuer: `${address}/`, jwks_uri: `${address}/keys` }),
  'without an issuer': (address) => ({ jwks_uri: `${address}/keys` }),
  'without keys': (address) => ({ issuer: address }),
  'with keys over http elsewhere': (address) => ({ issuer: address, jwks_uri: 'http://keys.example/keys' }),
  'with keys in a file': (address) => ({ issuer: address, jwks_uri: 'file:///etc/passwd' }),
};

for (const [about, toDocument] of Object.entries(badDocuments)) {
  test(`a discovery document ${about} is not taken`, async (t) => {
    const { requests, keys } = await openDiscovery(t, toDocument);
    await assert.rejects(has(keys, 'first'), isUnavailable);
    assert.deepEqual(requests, ['/.well-known/openid-configuration']);
  });
}

test('a discovery document does not send us to another host of a private network', async () => {
  const asked: string[] = [];
  const failures: unknown[] = [];
  const issuer = 'https://login.example';
  const open = (jwksUri: string, addresses: readonly string[]) => {
    const answers: Record<string, unknown> = {
      [`${issuer}/.well-known/openid-configuration`]: { issuer, jwks_uri: jwksUri },
      [jwksUri]: { keys: [first] },
    };
    const fetchHere = (async (address: string) => {
      asked.push(address);
      return new Response(JSON.stringify(answers[address]));
    }) as typeof fetch;
    const onFailure = (error: unknown) => failures.push(error);
    return new OutsideKeys(
      { issuer, jwksUri: null, algorithms: outsideAlgorithms },
      { fetch: fetchHere, resolve: async () => addresses, onFailure },
    );
  };
  for (const [jwksUri, addresses] of [
    ['https://169.254.169.254/keys', []],
    ['https://inner.example/keys', ['10.0.0.7']],
  ] as const) {
    await assert.rejects(has(open(jwksUri, addresses), 'first'), isUnavailable);
    assert.ok(!asked.includes(jwksUri));
  }
  assert.equal(failures.length, 2);
  assert.ok(await has(open('https://keys.example/keys', ['8.8.8.8']), 'first'));
  assert.ok(
    await has(open(`${issuer}/keys`, ['10.0.0.7']), 'first'),
    'the issuer’s own host is where we are sent anyway',
  );
});
