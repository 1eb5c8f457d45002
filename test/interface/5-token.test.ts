// Token endpoint (docs/contract.md §5.1): how applications get access tokens, what they contain, and where the keys are.
// These responses follow OAuth 2.0, not the content API, apart from the tracking id.

import assert from 'node:assert/strict';
import { createPublicKey, verify, type webcrypto } from 'node:crypto';
import { test } from 'node:test';
import { must, UUID } from './assertions.ts';
import {
  type Answer,
  askToken,
  basicAuthorization,
  fetchToken,
  type Headers,
  postFolder,
  send,
  signIn,
} from './client.ts';
import { type Application, target } from './target.ts';

const { Production: base, Applications: applications } = target();
const GRANT = { grant_type: 'client_credentials' };

type TokenAnswer = { access_token: string; token_type: string; expires_in: number; scope?: string; error?: string };
type PublicKey = webcrypto.JsonWebKey & { kid?: string };
type Jwt = { header: Record<string, unknown>; claims: Record<string, unknown>; signed: string; signature: Buffer };

test('An AppKey is ak_ and 32 lower-case letters and digits', () => {
  for (const { AppKey } of Object.values(applications)) assert.match(AppKey, /^ak_[a-z0-9]{32}$/);
});

test('The secret is sent by HTTP Basic or in the form', async () => {
  const { AppKey, Secret } = applications.Main;
  const byBasic = read(await askToken(base, GRANT, basic(applications.Main)));
  const byForm = read(await askToken(base, { ...GRANT, client_id: AppKey, client_secret: Secret }, {}));
  for (const { access_token, token_type, expires_in } of [byBasic, byForm]) {
    assert.equal(token_type.toLowerCase(), 'bearer');
    assert.equal(expires_in, 3600);
    const caller = { base, application: applications.Main, token: access_token };
    assert.equal((await postFolder(caller, {})).status, 400, 'the token is not accepted');
  }
});

test('A token response must not be stored, and has a tracking id', async () => {
  const answer = await askToken(base, GRANT, basic(applications.Main));
  assert.match(answer.headers['cache-control'] ?? '', /no-store/);
  assert.match(String(answer.headers.requesttrackingid), UUID);
  assert.match(answer.headers['content-type'] ?? '', /^application\/json\b/);
});

test('An access token is an RFC 9068 JWT of one hour, signed with a published key', async () => {
  const before = Math.floor(Date.now() / 1000);
  const { header, claims, signed, signature } = decode(await fetchToken(base, applications.Main));
  const discovery = await readDiscovery('oauth-authorization-server');
  assert.equal(header.typ, 'at+jwt');
  assert.equal(claims.iss, discovery.issuer);
  assert.equal(claims.client_id, applications.Main.AppKey);
  assert.ok(typeof claims.aud === 'string' || Array.isArray(claims.aud), 'there is no audience');
  assert.equal(Number(claims.exp) - Number(claims.iat), 3600);
  assert.ok(Math.abs(Number(claims.iat) - before) < 60, `issued at ${claims.iat}`);
  for (const claim of ['sub', 'jti']) assert.equal(typeof claims[claim], 'string', `there is no ${claim}`);
  const key = must(
    (await readKeys()).find(({ kid }) => kid === header.kid),
    'published key of the token',
  );
  assert.ok(isSignedBy(key, String(header.alg), signed, signature), 'the signature does not verify');
});

test('A request without scope gets all scopes of its application', async () => {
  const scopes = async (application: Application) => decode(await fetchToken(base, application)).claims.scope;
  assert.deepEqual(
    String(await scopes(applications.Main))
      .split(' ')
      .sort(),
    ['content.read', 'content.write'],
  );
  assert.equal(await scopes(applications.Reader), 'content.read');
});

test('An application may write by default', async () => {
  const { claims } = decode(await fetchToken(base, applications.Stranger));
  assert.ok(String(claims.scope).split(' ').includes('content.write'), `scope is ${claims.scope}`);
});

test('A request with scope gets that scope alone', async () => {
  const narrow = await signIn('Main', 'content.read');
  assert.equal(decode(narrow.token).claims.scope, 'content.read');
});

test("No token has a scope that is not its application's", async () => {
  for (const scope of ['content.write', 'content.read content.admin', 'nonsense']) {
    const answer = await askToken(base, { ...GRANT, scope }, basic(applications.Reader));
    if (answer.status === 200) {
      assert.match(String(decode(read(answer).access_token).claims.scope ?? ''), /^(content\.read)?$/);
    } else {
      assert.deepEqual([answer.status, readError(answer)], [400, 'invalid_scope']);
    }
  }
});

test('An unknown scope is 400 invalid_scope, also beside a known one', async () => {
  for (const scope of ['nonsense', 'content.read nonsense']) {
    const answer = await askToken(base, { ...GRANT, scope }, basic(applications.Main));
    assert.deepEqual([answer.status, readError(answer)], [400, 'invalid_scope']);
  }
});

test('An unknown client and a wrong secret get the same 401 invalid_client', async () => {
  const { AppKey, Secret } = applications.Main;
  const unknownKey = `ak_${'a'.repeat(32)}`;
  const attempts: Headers[] = [
    { Authorization: basicAuthorization(AppKey, 'wrong') },
    { Authorization: basicAuthorization(unknownKey, Secret) },
    { Authorization: basicAuthorization(AppKey, applications.Neighbour.Secret) },
    { Authorization: basicAuthorization(applications.Tester.AppKey, applications.Tester.Secret) },
  ];
  const bodies = new Set<string>();
  for (const headers of attempts) {
    const answer = await askToken(base, GRANT, headers);
    assert.deepEqual([answer.status, readError(answer)], [401, 'invalid_client']);
    assert.match(answer.headers['www-authenticate'] ?? '', /^Basic /);
    assert.match(String(answer.headers.requesttrackingid), UUID);
    bodies.add(answer.body.toString());
  }
  assert.equal(bodies.size, 1, 'the answers tell the cases apart');
});

test('A client without a secret gets no token', async () => {
  const { AppKey } = applications.Main;
  const attempts = [
    await askToken(base, GRANT, { Authorization: basicAuthorization(AppKey, '') }),
    await askToken(base, { ...GRANT, client_id: AppKey }, {}),
  ];
  for (const answer of attempts)
    assert.match(`${answer.status} ${readError(answer)}`, /^40[01] invalid_(client|request)$/);
});

test('A request without client credentials is 401 invalid_client', async () => {
  for (const headers of [{}, { Authorization: 'Basic !!!' }, { Authorization: 'Bearer x' }]) {
    const answer = await askToken(base, GRANT, headers);
    assert.deepEqual([answer.status, readError(answer)], [401, 'invalid_client']);
    assert.match(String(answer.headers['www-authenticate']), /^Basic realm="/);
  }
});

test('A disabled application gets no token', { skip: applications.Disabled === undefined }, async () => {
  const answer = await askToken(base, GRANT, basic(must(applications.Disabled, 'disabled application')));
  assert.deepEqual([answer.status, readError(answer)], [401, 'invalid_client']);
});

test('Other grants and malformed requests get the errors of OAuth', async () => {
  const refused: [Record<string, string>, string][] = [
    [{ grant_type: 'password', username: 'a', password: 'b' }, 'unsupported_grant_type'],
    [{ grant_type: 'nonsense' }, 'unsupported_grant_type'],
    [{}, 'invalid_request'],
  ];
  for (const [form, error] of refused) {
    const answer = await askToken(base, form, basic(applications.Main));
    assert.deepEqual([answer.status, readError(answer)], [400, error]);
  }
});

for (const name of ['oauth-authorization-server', 'openid-configuration']) {
  test(`The discovery document ${name} names the endpoints at the public address`, async () => {
    const discovery = await readDiscovery(name);
    assert.equal(new URL(String(discovery.token_endpoint)).pathname, '/oauth2/token');
    assert.ok(String(discovery.token_endpoint).startsWith(String(discovery.issuer)), 'endpoint of another address');
    assert.ok(String(discovery.jwks_uri).startsWith(String(discovery.issuer)), 'keys at another address');
    assert.ok((discovery.grant_types_supported as string[]).includes('client_credentials'));
    const methods = discovery.token_endpoint_auth_methods_supported as string[];
    assert.ok(methods.includes('client_secret_basic') && methods.includes('client_secret_post'));
  });
}

test('Discovery lists RS256 beside ES256 for ID tokens: strict clients of OpenID Connect refuse an issuer without it', async () => {
  for (const name of ['oauth-authorization-server', 'openid-configuration']) {
    assert.deepEqual((await readDiscovery(name)).id_token_signing_alg_values_supported, ['ES256', 'RS256'], name);
  }
});

test('The published keys contain nothing private', async () => {
  const keys = await readKeys();
  assert.ok(keys.length > 0);
  for (const key of keys) {
    for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'])
      assert.equal(secret in key, false, `${secret} is public`);
    assert.notEqual(key.kty, 'oct');
  }
});

function basic(application: Application): Headers {
  return { Authorization: basicAuthorization(application.AppKey, application.Secret) };
}

function read(answer: Answer): TokenAnswer {
  assert.equal(answer.status, 200, answer.body.toString());
  return JSON.parse(answer.body.toString()) as TokenAnswer;
}

function readError(answer: Answer): string | undefined {
  return (JSON.parse(answer.body.toString()) as TokenAnswer).error;
}

async function readDiscovery(name: string): Promise<Record<string, unknown>> {
  const answer = await send(base, `/.well-known/${name}`);
  assert.equal(answer.status, 200);
  assert.match(String(answer.headers.requesttrackingid), UUID);
  return JSON.parse(answer.body.toString()) as Record<string, unknown>;
}

async function readKeys(): Promise<PublicKey[]> {
  const { jwks_uri } = await readDiscovery('oauth-authorization-server');
  const answer = await send(base, new URL(String(jwks_uri)).pathname);
  assert.equal(answer.status, 200);
  return (JSON.parse(answer.body.toString()) as { keys: PublicKey[] }).keys;
}

function decode(token: string): Jwt {
  const [header = '', claims = '', signature = ''] = token.split('.');
  const parse = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString()) as Record<string, unknown>;
  return {
    header: parse(header),
    claims: parse(claims),
    signed: `${header}.${claims}`,
    signature: Buffer.from(signature, 'base64url'),
  };
}

function isSignedBy(jwk: PublicKey, algorithm: string, signed: string, signature: Buffer): boolean {
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  const bytes = Buffer.from(signed);
  if (algorithm === 'EdDSA' || algorithm === 'Ed25519') return verify(null, bytes, key, signature);
  const hash = `sha${algorithm.slice(2)}`;
  if (algorithm.startsWith('ES')) return verify(hash, bytes, { key, dsaEncoding: 'ieee-p1363' }, signature);
  return algorithm.startsWith('RS') && verify(hash, bytes, key, signature);
}
