import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, beforeEach, test } from 'node:test';
import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, type JWK, SignJWT } from 'jose';
import { Refusal } from '../domain/refusal.ts';
import { systemClock } from '../runtime/clock.ts';
import { OutsideIssuer, type OutsideIssuerRules } from './outside-issuer.ts';
import { outsideAlgorithms } from './outside-rules.ts';

interface Signer {
  kid: string;
  alg: string;
  privateKey: CryptoKey;
  publicKey: CryptoKey;
  jwk: JWK;
}

async function makeSigner(kid: string, alg: string): Promise<Signer> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid, use: 'sig' } };
}

const nowSeconds = 1_800_000_000;
const first = await makeSigner('first', 'RS256');
const next = await makeSigner('next', 'ES256');
const stranger = await makeSigner('first', 'RS256');

const clock = { nowMs: 0 };
const provider = { keys: [] as unknown[], fetches: 0, isUp: true };
const server = createServer((_, response) => {
  provider.fetches += 1;
  response.writeHead(provider.isUp ? 200 : 503).end(JSON.stringify({ keys: provider.keys }));
}).listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
after(() => {
  server.close();
  server.closeAllConnections();
});

const rules: OutsideIssuerRules = {
  name: 'corp',
  issuer: `${address}/realm`,
  audience: 'cabinet',
  jwksUri: `${address}/keys`,
  appKeyClaim: 'client_id',
  userClaim: 'sub',
  scopeClaims: ['scope'],
  ownTokenWhen: null,
  tokenType: 'at+jwt',
  algorithms: outsideAlgorithms,
  environment: 'production',
};

const claims: Record<string, unknown> = {
  iss: rules.issuer,
  aud: 'cabinet',
  sub: 'ann',
  client_id: 'app-1',
  scope: 'openid content.read content.write',
  iat: nowSeconds,
  exp: nowSeconds + 300,
};

beforeEach(() => {
  Object.assign(provider, { keys: [first.jwk], fetches: 0, isUp: true });
  clock.nowMs = nowSeconds * 1000;
});

function openIssuer(changed: Partial<OutsideIssuerRules> = {}): OutsideIssuer {
  return new OutsideIssuer({ ...rules, ...changed }, { clock: { ...systemClock, now: () => clock.nowMs } });
}

function sign(
  changed: Record<string, unknown> = {},
  header: Record<string, unknown> = {},
  by = first,
): Promise<string> {
  const token = new SignJWT({ ...claims, ...changed });
  return token.setProtectedHeader({ alg: by.alg, kid: by.kid, typ: 'at+jwt', ...header }).sign(by.privateKey);
}

/** Puts together what a library would not sign. */
function forge(header: object, signature: (input: string) => string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const input = `${part({ typ: 'at+jwt', kid: 'first', ...header })}.${part(claims)}`;
  return `${input}.${signature(input)}`;
}

async function refuses(issuer: OutsideIssuer, token: string, code = 'TokenInvalid'): Promise<void> {
  await assert.rejects(issuer.verify(token), (error) => error instanceof Refusal && error.code === code);
}

test('a valid token has the application, the scopes and the person', async () => {
  assert.deepEqual(await openIssuer().verify(await sign()), {
    clientId: 'app-1',
    scopes: ['content.read', 'content.write'],
    boundTo: null,
    person: { id: 'corp:ann', signIn: null },
    isForMcp: false,
    outsideActor: 'corp:ann',
    epoch: null,
    expiresAtMs: (nowSeconds + 330) * 1000,
  });
});

test('a new key works at once, and the old one until it is removed and the set is refreshed', async () => {
  const issuer = openIssuer();
  const old = await sign({ exp: nowSeconds + 3600 });
  await issuer.verify(old);
  provider.keys = [first.jwk, next.jwk];
  await issuer.verify(await sign({}, {}, next));
  await issuer.verify(old);
  assert.equal(provider.fetches, 2);
  provider.keys = [next.jwk];
  clock.nowMs += 61_000;
  await refuses(issuer, await sign({}, { kid: 'other' }));
  await refuses(issuer, old);
  await issuer.verify(await sign({}, {}, next));
});

test('an outage is bridged for an hour, then reported, then over', async () => {
  const issuer = openIssuer();
  await issuer.verify(await sign());
  provider.isUp = false;
  const late = await sign({ exp: nowSeconds + 7200 });
  clock.nowMs += 3_590_000;
  await issuer.verify(late);
  clock.nowMs += 10_000;
  await refuses(issuer, late, 'IssuerUnavailable');
  provider.isUp = true;
  clock.nowMs += 5_000;
  await issuer.verify(late);
});

test('a token that was signed with another key is refused', async () => {
  await refuses(openIssuer(), await sign({}, {}, stranger));
  const [header, , signature] = (await sign()).split('.');
  const changed = Buffer.from(JSON.stringify({ ...claims, sub: 'eve' })).toString('base64url');
  await refuses(openIssuer(), `${header}.${changed}.${signature}`);
});

test('the key and its address are never taken from the token', async () => {
  const byStranger = { jwk: stranger.jwk, jku: `${address}/keys`, x5u: `${address}/keys` };
  await refuses(openIssuer(), await sign({}, byStranger, stranger));
});

test('a public key cannot be used as an HMAC secret', async () => {
  const { kid: _, use: __, ...bare } = first.jwk;
  const pem = await exportSPKI(first.publicKey);
  const secrets = [pem, pem.trim(), JSON.stringify(first.jwk), JSON.stringify(bare), first.jwk.n as string];
  for (const algorithms of [outsideAlgorithms, [...outsideAlgorithms, 'HS256']]) {
    const issuer = openIssuer({ algorithms });
    for (const secret of [...secrets, Buffer.from(first.jwk.n as string, 'base64url')]) {
      const token = forge({ alg: 'HS256' }, (input) => createHmac('sha256', secret).update(input).digest('base64url'));
      await refuses(issuer, token);
    }
  }
});

test('a symmetric key in the set is ignored', async () => {
  const k = Buffer.from('a secret of thirty-two characters');
  for (const alg of ['HS256', 'RS256', undefined]) {
    provider.keys = [{ kty: 'oct', kid: 'first', k: k.toString('base64url'), alg }, next.jwk];
    const token = forge({ alg: 'HS256' }, (input) => createHmac('sha256', k).update(input).digest('base64url'));
    await refuses(openIssuer({ algorithms: [...outsideAlgorithms, 'HS256'] }), token);
  }
});

test('a token without a signature is refused', async () => {
  for (const alg of ['none', 'None', '', undefined]) {
    await refuses(
      openIssuer({ algorithms: [...outsideAlgorithms, 'none'] }),
      forge({ alg }, () => ''),
    );
  }
  const [header, payload] = (await sign()).split('.');
  await refuses(openIssuer(), `${header}.${payload}.`);
});

test('the algorithm is that of the key, not of the token', async () => {
  const pss = { name: 'RSA-PSS', hash: 'SHA-256' };
  const pkcs8 = await crypto.subtle.exportKey('pkcs8', first.privateKey);
  const privateKey = await crypto.subtle.importKey('pkcs8', pkcs8, pss, false, ['sign']);
  const token = await sign({}, {}, { ...first, alg: 'PS256', privateKey });
  await refuses(openIssuer(), token);
  await openIssuer({ algorithms: ['PS256'] }).verify(token);
  provider.keys = [{ ...first.jwk, alg: 'PS256' }];
  await openIssuer().verify(token);
  await refuses(openIssuer(), await sign());
});

const wrongClaims: Record<string, Record<string, unknown>> = {
  'an ID token, which is for the client': { aud: 'app-1', nonce: 'n' },
  'for several others': { aud: ['account', 'app-1'] },
  'for nobody': { aud: undefined },
  'of another issuer': { iss: 'https://elsewhere.example' },
  'of the issuer with a slash': { iss: `${rules.issuer}/` },
  'of no issuer': { iss: undefined },
  expired: { exp: nowSeconds - 30 },
  'without an end': { exp: undefined },
  'with a text for an end': { exp: String(nowSeconds + 300) },
  'without a beginning': { iat: undefined },
  'from the future': { iat: nowSeconds + 31 },
  'for more than a day': { exp: nowSeconds + 86_401 },
  'for later': { nbf: nowSeconds + 31 },
  'without an application': { client_id: undefined },
  'with an empty application': { client_id: '' },
  'with a number for an application': { client_id: 7 },
  'with a number for scopes': { scope: 7 },
  'with numbers among its scopes': { scope: ['content.read', 7] },
  'with an empty person': { sub: '' },
  'with a long person': { sub: 'x'.repeat(201) },
  'with a person of two lines': { sub: 'ann\nbob' },
  'with white space around its person': { sub: ' ann' },
  'with a number for a person': { sub: 7 },
  'with half a character in its person': { sub: 'ann\ud83d' },
  'bound to a DPoP key': { cnf: { jkt: 'x'.repeat(43) } },
  'bound to a certificate and a DPoP key': { cnf: { 'x5t#S256': 'x'.repeat(43), jkt: 'x'.repeat(43) } },
  'bound to nothing': { cnf: {} },
  'bound to null': { cnf: null },
  'bound to what is no thumbprint': { cnf: { 'x5t#S256': 'x' } },
};

for (const [about, changed] of Object.entries(wrongClaims)) {
  test(`a token is refused: ${about}`, async () => {
    await refuses(openIssuer(), await sign(changed));
  });
}

test('the type must be the configured one, with or without "application/"', async () => {
  for (const typ of ['JWT', 'dpop+jwt', undefined]) await refuses(openIssuer(), await sign({}, { typ }));
  for (const typ of ['at+jwt', 'AT+JWT', 'application/at+jwt']) await openIssuer().verify(await sign({}, { typ }));
  const lax = openIssuer({ tokenType: 'JWT' });
  await lax.verify(await sign({}, { typ: 'JWT' }));
  await refuses(lax, await sign());
});

test('clocks may differ by half a minute', async () => {
  await openIssuer().verify(await sign({ iat: nowSeconds + 30, nbf: nowSeconds + 30, exp: nowSeconds + 86_400 }));
  await openIssuer().verify(await sign({ iat: nowSeconds - 300, exp: nowSeconds - 29 }));
});

test('a token of more than 16 KiB, or a malformed one, is refused before anything is fetched', async () => {
  const issuer = openIssuer();
  await refuses(issuer, await sign({ padding: 'x'.repeat(12 * 1024) }));
  for (const text of ['', 'x', 'a.b.c', 'a.b.c.d.e']) await refuses(issuer, text);
  assert.equal(provider.fetches, 0);
});

test('a certificate-bound token has the thumbprint of the certificate', async () => {
  const thumbprint = 'A-_9'.repeat(10).concat('xyz');
  const { boundTo } = await openIssuer().verify(await sign({ cnf: { 'x5t#S256': thumbprint } }));
  assert.equal(boundTo, thumbprint);
});

test('scopes may be a list, or absent', async () => {
  const issuer = openIssuer({ scopeClaims: ['roles'] });
  const listed = await issuer.verify(await sign({ roles: ['content.admin', 'other'], scope: 'content.read' }));
  assert.deepEqual(listed.scopes, ['content.admin']);
  assert.deepEqual((await issuer.verify(await sign())).scopes, []);
});

test("a token is the application's own when its user is the application, or the configured claim says so", async () => {
  const entra = openIssuer({ ownTokenWhen: { claim: 'idtyp', value: 'app' }, appKeyClaim: 'azp', userClaim: 'oid' });
  const own: [OutsideIssuer, Record<string, unknown>, string][] = [
    [openIssuer(), { sub: 'app-1' }, 'corp:app-1'],
    [openIssuer({ userClaim: 'email' }), { sub: 'app-1' }, 'corp:app-1'],
    [openIssuer({ ownTokenWhen: { claim: 'client_id', value: null } }), {}, 'corp:ann'],
    [entra, { azp: 'app-2', oid: 'o-1', idtyp: 'app' }, 'corp:o-1'],
  ];
  for (const [issuer, changed, actor] of own) {
    const { person, outsideActor } = await issuer.verify(await sign(changed));
    assert.deepEqual({ person, outsideActor }, { person: null, outsideActor: actor });
  }
  const user = await entra.verify(await sign({ azp: 'app-2', oid: 'o-1', idtyp: 'user' }));
  assert.deepEqual(user.person, { id: 'corp:o-1', signIn: null });
  assert.equal(user.clientId, 'app-2');
});

test('a token that names nobody is not the application’s own', async () => {
  await refuses(openIssuer(), await sign({ sub: undefined }));
  await refuses(openIssuer({ userClaim: 'email' }), await sign({ sub: undefined }));
});

test('a person without the user claim does not pass for the application', async () => {
  await refuses(openIssuer({ userClaim: 'email' }), await sign({ sub: 'ann' }));
});

test('scopes are gathered from all the claims that may carry them', async () => {
  const issuer = openIssuer({ scopeClaims: ['scp', 'roles'] });
  const { scopes } = await issuer.verify(await sign({ scp: 'content.read', roles: ['content.write', 'other'] }));
  assert.deepEqual(scopes, ['content.read', 'content.write']);
});
