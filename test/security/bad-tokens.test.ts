// Every credential of the corpus, and tokens that were valid once, against a running service: none is accepted, and each
// gets the exact response of docs/contract.md §5.2.

import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { assertEnvelope, assertRefusal } from '../interface/assertions.ts';
import {
  type Answer,
  type Caller,
  CONTENT,
  call,
  fetchToken,
  type Headers,
  listFolder,
  saveFile,
} from '../interface/client.ts';
import { contentHead, exchange } from '../interface/wire.ts';
import { cabinetJson } from '../service/here.ts';
import { addApplication, command } from '../service/operator.ts';
import { addCaller, eventually, makeDataFolder, removeDataFolder } from '../service/service.ts';
import { startServiceHere } from '../service/service-here.ts';
import { families } from './bad-tokens.ts';
import { type Forge, openForge, toInput } from './forge.ts';
import { invalidToken, type Refused, tokenInvalid, withoutError } from './refused.ts';
import { tally } from './tally.ts';

const dataFolder = makeDataFolder();
const leastCrafted = 600;
let service: Awaited<ReturnType<typeof startServiceHere>>;
let attacker: Server;
let askedOfAttacker = 0;
let main: Caller;
let neighbour: Caller;
let tester: Caller;
let forge: Forge;

before(async () => {
  service = await startServiceHere(dataFolder, { environment: { CABINET_TEST_PORT: '0' }, hasClock: true });
  main = await addCaller(dataFolder, service.production, 'main');
  neighbour = await addCaller(dataFolder, service.production, 'neighbour');
  tester = await addTester();
  attacker = createServer((_request, response) => {
    askedOfAttacker += 1;
    response.end(JSON.stringify({ keys: [forge.strangersJwk] }));
  });
  await new Promise<void>((resolve) => attacker.listen(0, '127.0.0.1', resolve));
  forge = await openForge({ ...toForgeOptions(), issuer: service.production, foreignIssuer: tester.base });
});

after(async () => {
  attacker.close();
  await service.stop();
  removeDataFolder(dataFolder);
});

async function addTester(): Promise<Caller> {
  const base = String(service.test);
  const application = { Name: 'tester', ...(await addApplication(dataFolder, 'tester', { env: 'test' })) };
  return { base, application, token: await fetchToken(base, application) };
}

function toForgeOptions() {
  const { port } = attacker.address() as AddressInfo;
  const attackerUrl = `http://127.0.0.1:${port}`;
  return { dataFolder, attackerUrl, application: main.application, neighbour: neighbour.application };
}

type Sent = Pick<Refused, 'headers' | 'query' | 'body'>;

/** Over a connection of its own and as it is: some of these no HTTP client would send. */
function show(caller: Caller, { headers, query = '' }: Sent): Promise<Answer> {
  return exchange(caller.base, contentHead(caller, 'GET', `/folders/-root-${query}`, headers));
}

function save(caller: Caller, { headers, query = '', body = 'x' }: Sent): Promise<Answer> {
  const all: Headers = { FileName: 'x', 'Content-Length': String(body.length), ...headers };
  return exchange(caller.base, contentHead(caller, 'POST', `/files${query}`, all) + body);
}

async function assertRefused(refused: Refused, caller = main): Promise<void> {
  const { name, status, code, challenge } = refused;
  for (const ask of [show, save]) {
    const answer = await ask(caller, refused);
    assert.notEqual(answer.status, 200, `${name} was let in`);
    assertRefusal(answer, status, code);
    assert.equal(answer.headers['www-authenticate'], challenge, name);
  }
  // WebDAV needs no AppKey, and takes the AppKey and its secret by Basic.
  if (code !== 'AppKeyMissing' && name !== 'Basic') await assertRefusedByDav(refused, caller);
  tally('bad credentials');
}

async function assertRefusedByDav({ name, headers }: Refused, caller: Caller): Promise<void> {
  const head = contentHead(caller, 'PROPFIND', '', { Depth: '0', ...headers });
  const { status } = await exchange(caller.base, head.replace(`PROPFIND ${CONTENT} `, 'PROPFIND /dav/ '));
  assert.ok([400, 401, 403, 429].includes(status), `WebDAV let ${name} in: ${status}`);
}

function bearing(token: string): { headers: Headers } {
  return { headers: { Authorization: `Bearer ${token}` } };
}

test('The same builder without a mistake makes a token that is accepted', async () => {
  assertEnvelope(await show(main, bearing(forge.token())));
  assertEnvelope(await save(main, bearing(forge.token())));
});

test('Other valid spellings are accepted', async () => {
  const good = forge.token();
  const { exp, aud } = forge.claims;
  const tokens = [
    forge.token({ header: { typ: 'AT+JWT' } }),
    forge.token({ header: { typ: 'application/at+jwt' } }),
    forge.token({ header: { unknown: 'is ignored' } }),
    forge.token({ claims: { aud: ['https://other.example', aud] } }),
    forge.token({ claims: { nbf: forge.nowSeconds - 1 } }),
    forge.token({ claims: { exp: Number(exp) - 0.5 } }),
    forge.token({ claims: { unknown: 'is ignored' } }),
  ];
  const values = [
    `bearer ${good}`,
    `BEARER ${good}`,
    `  Bearer ${good}  `,
    ...tokens.map((token) => `Bearer ${token}`),
  ];
  for (const Authorization of values) assertEnvelope(await show(main, { headers: { Authorization } }));
  assertEnvelope(await show(main, { headers: { AppKey: `  ${main.application.AppKey}  ` } }));
});

for (const { title, make } of families) {
  test(title, async () => {
    const wrong: string[] = [];
    for (const refused of make(forge)) {
      await assertRefused(refused).catch((error: Error) => wrong.push(`${refused.name}: ${error.message}`));
    }
    assert.deepEqual(wrong, []);
  });
}

test('The corpus is not smaller than it was', () => {
  const all = families.flatMap(({ make }) => make(forge));
  assert.ok(all.length >= leastCrafted, `${all.length} are left`);
  for (const { title, make } of families) {
    const names = make(forge).map(({ name }) => name);
    const twice = names.filter((name, index) => names.indexOf(name) !== index);
    assert.deepEqual(twice, [], title);
  }
});

test('The keys that a token points to were never fetched', () => {
  assert.equal(askedOfAttacker, 0);
});

test('Scopes with a similar spelling are not valid', async () => {
  const spelled = [
    '',
    ' ',
    'CONTENT.READ',
    'content.readx',
    'content',
    'content.*',
    'read',
    'content.read,content.write',
  ];
  for (const scope of [...spelled, 'content.read\tcontent.write', 'content.admin', undefined]) {
    for (const [ask, needed] of [[show, 'content.read'] as const, [save, 'content.write'] as const]) {
      const answer = await ask(main, bearing(forge.token({ claims: { scope } })));
      assertRefusal(answer, 403, 'InsufficientScope');
      assert.equal(answer.headers['www-authenticate'], `Bearer error="insufficient_scope", scope="${needed}"`);
    }
    tally('bad credentials');
  }
});

test('A scope in the token is ignored if the application is not registered with it', async () => {
  const registered = await addApplication(dataFolder, 'reader', { scopes: 'content.read' });
  const { AppKey } = registered;
  const claims = { sub: AppKey, client_id: AppKey, scope: 'content.read content.write content.admin' };
  const reader = { base: main.base, application: { Name: 'reader', ...registered }, token: forge.token({ claims }) };
  assertEnvelope(await show(reader, { headers: {} }));
  const answer = await save(reader, { headers: {} });
  assertRefusal(answer, 403, 'InsufficientScope');
  assert.equal(answer.headers['www-authenticate'], 'Bearer error="insufficient_scope", scope="content.write"');
  tally('bad credentials');
});

test('A token with any one byte changed is refused', { timeout: 60_000 }, async () => {
  const good = forge.token();
  // It is remembered now; what differs from it must not be taken for it.
  assertEnvelope(await show(main, bearing(good)));
  const mutation = fc.record({ at: fc.nat(good.length - 1), byte: fc.integer({ min: 0, max: 255 }) });
  await fc.assert(
    fc.asyncProperty(mutation, async ({ at, byte }) => {
      const changed = good.slice(0, at) + String.fromCharCode(byte) + good.slice(at + 1);
      fc.pre(!isSame(good, changed));
      const answer = await show(main, bearing(changed));
      assert.ok(answer.status === 401 || answer.status === 400, `${answer.status} for ${JSON.stringify(changed)}`);
    }),
    { numRuns: 400 },
  );
  tally('bad credentials');
});

/** The last letter of a part has bits that stand for nothing; with these changed it is the same token. */
function isSame(one: string, other: string): boolean {
  if (one === other) return true;
  if (!/^[\w.-]+$/.test(other)) return false;
  const [decoded, otherDecoded] = [one, other].map((token) =>
    token.split('.').map((part) => Buffer.from(part, 'base64url').toString('hex')),
  );
  return JSON.stringify(decoded) === JSON.stringify(otherDecoded);
}

test('A signature that was accepted before is valid for its own token only', async () => {
  const good = forge.token();
  assertEnvelope(await show(main, bearing(good)));
  const signature = good.slice(good.lastIndexOf('.') + 1);
  const { header, claims } = forge;
  const { AppKey } = neighbour.application;
  const inputs: Record<string, string> = {
    'more scopes': toInput(header, { ...claims, scope: 'content.read content.write content.admin' }),
    'a later end': toInput(header, { ...claims, exp: Number(claims.exp) + 60 }),
    'another id': toInput(header, { ...claims, jti: 'another' }),
    'a person': toInput(header, { ...claims, sub: 'ann', grant: 'x' }),
    'another application': toInput(header, { ...claims, sub: AppKey, client_id: AppKey }),
    'another header': toInput({ ...header, x: 1 }, claims),
    'the same claims with a space': toInput(header, `${JSON.stringify(claims)} `),
  };
  for (const [name, input] of Object.entries(inputs)) await assertRefused(tokenInvalid(name, `${input}.${signature}`));
});

test('A token of one environment is unknown in the other, whatever it claims', async () => {
  const { token, application } = tester;
  const asTester = { Authorization: `Bearer ${token}`, AppKey: application.AppKey };
  const tests = await openForge({
    ...toForgeOptions(),
    environment: 'test',
    issuer: tester.base,
    foreignIssuer: main.base,
  });
  const posing = { iss: main.base, aud: forge.claims.aud };
  const ofTest: [string, Headers][] = [
    ['a token of the test environment', bearing(token).headers],
    ['and its AppKey', asTester],
    ['one that says it is of production', bearing(tests.token({ claims: posing })).headers],
    ['one under the kid of production', bearing(tests.token({ header: { kid: forge.kid }, claims: posing })).headers],
    ['one without a kid', bearing(tests.token({ header: { kid: undefined }, claims: posing })).headers],
  ];
  for (const [name, headers] of ofTest) await assertRefused({ ...tokenInvalid(name, ''), headers });
  await assertRefused({
    name: 'its AppKey alone',
    headers: { AppKey: application.AppKey },
    status: 401,
    code: 'AppKeyUnknown',
    challenge: withoutError,
  });
  const { AppKey } = application;
  const claims = { iss: tester.base, aud: tests.claims.aud, sub: AppKey, client_id: AppKey };
  for (const forged of [main.token, forge.token({ claims }), forge.token({ header: { kid: tests.kid }, claims })]) {
    await assertRefused(tokenInvalid('a token of production', forged), tester);
  }
});

test('A token that expires is refused although it was accepted before', async () => {
  const now = Math.floor(Date.now() / 1000);
  // The tolerance for clocks is 30 s: this one is taken for five more.
  const dying = forge.token({ claims: { exp: now - 25, iat: now - 3625 } });
  assertEnvelope(await show(main, bearing(dying)));
  assertEnvelope(await show(main, bearing(dying)));
  await service.advance(5001);
  await assertRefused(tokenInvalid('expired while it was remembered', dying));
});

test('A disabled application is unknown within a second, also with a token that was accepted before', async () => {
  const doomed = await addCaller(dataFolder, service.production, 'doomed');
  assertEnvelope(await show(doomed, { headers: {} }));
  await command(dataFolder, 'app disable', { application: 'doomed' });
  await service.advance(1000);
  const refused = { status: 401, code: 'AppKeyUnknown', challenge: withoutError };
  await assertRefused({ name: 'disabled', headers: {}, ...refused }, doomed);
  const { AppKey } = doomed.application;
  const forged = bearing(forge.token({ claims: { sub: AppKey, client_id: AppKey } }));
  await assertRefused({ name: 'disabled, with a new token', ...forged, ...refused }, doomed);
  const other = { Authorization: `Bearer ${main.token}` };
  await assertRefused({ name: 'disabled, with another’s token', headers: other, ...refused }, doomed);
});

test('Nothing was saved but what the valid token saved', async () => {
  const names = (await listFolder(main, main.application.RootFolderId)).map(({ Name }) => Name);
  assert.deepEqual(names, ['x']);
  const { File } = await saveFile(main, { FolderId: main.application.RootFolderId, FileName: 'x' }, 'x');
  assert.equal(File.CreatedAt, File.ModifiedAt);
});

test('After its signing key was revoked no token is accepted, even if it was accepted before', async () => {
  const remembered = forge.token();
  assertEnvelope(await show(main, bearing(remembered)));
  await cabinetJson(dataFolder, ['keys', 'rotate', '--revoke-old']);
  await eventually('it is refused', async () => (await show(main, bearing(remembered))).status === 401, 1000);
  for (const token of [remembered, main.token, neighbour.token, forge.token({ claims: { jti: 'new' } })]) {
    await assertRefused(tokenInvalid('of the revoked key', token));
  }
  await assertRefused(tokenInvalid('of the revoked key, no kid', forge.token({ header: { kid: undefined } })));
  const { kid } = await openForge({ ...toForgeOptions(), issuer: service.production, foreignIssuer: tester.base });
  await assertRefused(tokenInvalid('of the revoked key under the new kid', forge.token({ header: { kid } })));
  const renewed = { ...main, token: await fetchToken(main.base, main.application) };
  const answer = await call(renewed, '/folders/-root-');
  assertEnvelope(answer);
  assert.equal(answer.headers['www-authenticate'], undefined);
  assert.equal((await call(main, '/folders/-root-')).headers['www-authenticate'], invalidToken);
});
