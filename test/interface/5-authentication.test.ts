// Authentication of content requests (docs/contract.md §5.2): the bearer token, the AppKey and scopes, the exact response
// of each case, and the order of checks (docs/contract.md §7.2).

import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { test } from 'node:test';
import { assertRefusal, must } from './assertions.ts';
import { type Answer, CONTENT, call, type Headers, makeFolder, postFile, postFolder, send, signIn } from './client.ts';
import { target } from './target.ts';

const main = await signIn('Main');
const neighbour = await signIn('Neighbour');
const reader = await signIn('Reader');
const tester = await signIn('Tester');
const { Disabled } = target().Applications;
const OPERATIONS = [
  ['POST', '/folders'],
  ['POST', '/files'],
  ['GET', '/folders/-root-'],
] as const;
const UNKNOWN_KEY = `ak_${'0'.repeat(32)}`;

/** The same answer from every operation: authentication does not depend on the operation. */
async function assertEverywhere(headers: Headers, code: string, challenge?: string): Promise<void> {
  for (const [method, path] of OPERATIONS) {
    const answer = await call(main, path, { method, headers });
    assertRefusal(answer, 401, code);
    if (challenge !== undefined) assert.equal(answer.headers['www-authenticate'], challenge);
  }
}

test('No Authorization is 401 TokenMissing, with a challenge that names no error', async () => {
  await assertEverywhere({ Authorization: undefined }, 'TokenMissing', 'Bearer realm="cabinet"');
});

test('A malformed token is 401 TokenInvalid', async () => {
  const [head, claims, signature] = main.token.split('.');
  const values = ['Bearer', 'Bearer x', 'Bearer a.b.c', `Bearer ${head}.${claims}`, `Bearer ${head}.${claims}.`];
  const nonsense = [main.token, `Bearer ${main.token} x`, `Bearer ${main.token},x`, `Token ${main.token}`];
  const cut = [`Bearer ${main.token.slice(0, -6)}`, `Bearer ${main.token}AAAA`, `Bearer ${head}.${head}.${signature}`];
  for (const Authorization of [...values, ...nonsense, ...cut, `Bearer ${'x'.repeat(6000)}`]) {
    await assertEverywhere({ Authorization }, 'TokenInvalid', 'Bearer error="invalid_token"');
  }
});

test('A forged token is 401 TokenInvalid', async () => {
  for (const token of forgeTokens()) {
    const answer = await call(main, '/folders/-root-', { headers: { Authorization: `Bearer ${token}` } });
    assertRefusal(answer, 401, 'TokenInvalid');
    assert.equal(answer.headers['www-authenticate'], 'Bearer error="invalid_token"');
  }
});

test('The Bearer scheme is case-insensitive', async () => {
  const answer = await call(main, '/folders/-root-?limit=1', { headers: { Authorization: `bearer ${main.token}` } });
  assert.equal(answer.status, 200);
});

test('HTTP Basic does not authenticate content requests', async () => {
  const { AppKey, Secret } = main.application;
  const Authorization = `Basic ${btoa(`${AppKey}:${Secret}`)}`;
  for (const [method, path] of OPERATIONS) {
    assertRefusal(await call(main, path, { method, headers: { Authorization } }), 401, /^Token(Invalid|Missing)$/);
  }
});

test('A token in the query is ignored', async () => {
  const path = `${CONTENT}/folders/-root-?access_token=${main.token}`;
  const answer = await send(main.base, path, { headers: { AppKey: main.application.AppKey } });
  assertRefusal(answer, 401, 'TokenMissing');
});

test('A missing AppKey, an unknown one, and one that is not of the token each have a code', async () => {
  await assertEverywhere({ AppKey: undefined }, 'AppKeyMissing');
  await assertEverywhere({ AppKey: '' }, 'AppKeyMissing');
  for (const AppKey of [UNKNOWN_KEY, 'x', main.application.Name, tester.application.AppKey]) {
    await assertEverywhere({ AppKey }, 'AppKeyUnknown');
  }
  await assertEverywhere({ AppKey: neighbour.application.AppKey }, 'AppKeyMismatch');
});

test('A disabled application is unknown, whatever its token', { skip: Disabled === undefined }, async () => {
  const { AppKey, Token } = must(Disabled, 'disabled application');
  await assertEverywhere({ Authorization: `Bearer ${Token}`, AppKey }, 'AppKeyUnknown');
});

test('Writing without content.write is 403 InsufficientScope that names the scope', async () => {
  const narrowed = await signIn('Main', 'content.read');
  for (const caller of [reader, narrowed]) {
    const refused = [await postFolder(caller, { FolderName: 'x' }), await postFile(caller, { FileName: 'x' }, 'x')];
    for (const answer of refused) {
      assertRefusal(answer, 403, 'InsufficientScope');
      const challenge = 'Bearer error="insufficient_scope", scope="content.write"';
      assert.equal(answer.headers['www-authenticate'], challenge);
    }
  }
});

test('content.read is sufficient to read', async () => {
  const folder = await makeFolder(main);
  assert.equal((await call(reader, `/folders/${folder.Id}`)).status, 200);
});

test('A repeated Authorization, AppKey, FolderId or FileName is 400 DuplicateHeader', async () => {
  const folder = await makeFolder(main);
  const headers = {
    Authorization: `Bearer ${main.token}`,
    AppKey: main.application.AppKey,
    FolderId: folder.Id,
    FileName: 'a',
  };
  for (const [name, value] of Object.entries(headers)) {
    const twice = await postFile(main, { ...headers, [name]: [value, value] }, 'x');
    assertRefusal(twice, 400, 'DuplicateHeader');
    const spelled = await postFile(main, { ...headers, [name.toUpperCase()]: 'other' }, 'x');
    assertRefusal(spelled, 400, 'DuplicateHeader');
  }
});

const PRECEDENCE: { title: string; ask: () => Promise<Answer>; status: number; code: string }[] = [
  {
    title: 'the route comes before repeated headers and the token',
    ask: () => send(main.base, `${CONTENT}/nothing`, { headers: { AppKey: ['a', 'b'] } }),
    status: 404,
    code: 'RouteNotFound',
  },
  {
    title: 'the method comes before repeated headers and the token',
    ask: () => send(main.base, `${CONTENT}/files`, { method: 'PUT', headers: { AppKey: ['a', 'b'] } }),
    status: 404,
    code: 'MethodNotAllowed',
  },
  {
    title: 'repeated headers come before the token',
    ask: () => call(main, '/files', { method: 'POST', headers: { Authorization: 'x', FolderId: ['a', 'b'] } }),
    status: 400,
    code: 'DuplicateHeader',
  },
  {
    title: 'the token comes before the AppKey',
    ask: () => call(main, '/files', { method: 'POST', headers: { Authorization: 'Bearer x', AppKey: undefined } }),
    status: 401,
    code: 'TokenInvalid',
  },
  {
    title: 'the AppKey comes before the scope',
    ask: () => call(reader, '/files', { method: 'POST', headers: { AppKey: UNKNOWN_KEY } }),
    status: 401,
    code: 'AppKeyUnknown',
  },
  {
    title: 'the scope comes before the parameters',
    ask: () => postFile(reader, { FolderId: 'unknown', FileName: '..', ConflictBehavior: 'x' }, 'x'),
    status: 403,
    code: 'InsufficientScope',
  },
];

for (const { title, ask, status, code } of PRECEDENCE) {
  test(`Of two faults, ${title}`, async () => {
    assertRefusal(await ask(), status, code);
  });
}

/** Tokens with valid claims and invalid signatures, by keys that are made here. */
function forgeTokens(): string[] {
  const [head = '', body = '', signature = ''] = main.token.split('.');
  const header = JSON.parse(Buffer.from(head, 'base64url').toString()) as Record<string, unknown>;
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>;
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const ed = generateKeyPairSync('ed25519');
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = ed.publicKey.export({ format: 'jwk' });
  const input = (more: object) => `${encode({ ...header, ...more })}.${body}`;
  const bySignature = (text: string, made: Buffer) => `${text}.${made.toString('base64url')}`;
  const byEd = (more: object) => bySignature(input(more), sign(null, Buffer.from(input(more)), ed.privateKey));
  const byHmac = (secret: string) => {
    const text = input({ alg: 'HS256' });
    return bySignature(text, createHmac('sha256', secret).update(text).digest());
  };
  const rsInput = input({ alg: 'RS256' });
  const esInput = input({ alg: 'ES256' });
  return [
    ...['none', 'None', 'NONE', ''].flatMap((alg) => [`${input({ alg })}.`, `${input({ alg })}.${signature}`]),
    byEd({ alg: 'EdDSA' }),
    byEd({ alg: 'EdDSA', jwk }),
    byEd({ alg: 'EdDSA', jku: 'http://127.0.0.1:1/keys', kid: 'other' }),
    byEd({ alg: 'EdDSA', kid: undefined }),
    byHmac('secret'),
    byHmac(''),
    bySignature(rsInput, sign('sha256', Buffer.from(rsInput), rsa.privateKey)),
    bySignature(esInput, sign('sha256', Buffer.from(esInput), { key: ec.privateKey, dsaEncoding: 'ieee-p1363' })),
    `${input({ typ: 'JWT' })}.${signature}`,
    `${input({ crit: ['x'] })}.${signature}`,
    `${head}.${encode({ ...claims, scope: 'content.admin' })}.${signature}`,
    `${head}.${encode({ ...claims, exp: Number(claims.exp) + 3600 })}.${signature}`,
    `${head}.${encode({ ...claims, client_id: neighbour.application.AppKey })}.${signature}`,
    tester.token,
  ];
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
