// The mutual-TLS address with the service's own CA (docs/contract.md §5.3): who is accepted, with which token, and the order of checks.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertEnvelope, assertRefusal } from '../interface/assertions.ts';
import { type Answer, askToken, basicAuthorization, type Caller, CONTENT, call, send } from '../interface/client.ts';
import { cabinetJson } from '../service/here.ts';
import { addCaller, makeDataFolder, removeDataFolder } from '../service/service.ts';
import { type StartedHere, startServiceHere } from '../service/service-here.ts';
import {
  addIssued,
  askBound,
  assertCertificateInvalid,
  assertNoToken,
  assertServed,
  type Bearer,
  callWith,
  fetchBound,
  type Issued,
  readClaims,
  readIssued,
  readOwnCa,
  type Send,
  through,
} from './server-applications.ts';
import { tally } from './tally.ts';
import type { Tls } from './tls-client.ts';

const dataFolder = makeDataFolder();
let service: StartedHere;
let base: string;
/** A server-based application, a second certificate of it, another application that may only read, and a client. */
let billing: Issued;
let spare: { tls: Tls; thumbprint: string };
let reports: Issued;
let desk: Caller;
/** `billing`, with its first certificate. */
let asBilling: Send;
let asReports: Send;
let asNobody: Send;
let bearer: Bearer;

before(async () => {
  service = await startServiceHere(dataFolder, { environment: { CABINET_MTLS_PORT: '0' } });
  base = String(service.mutualTls);
  billing = await addIssued(dataFolder, 'billing');
  reports = await addIssued(dataFolder, 'reports', { scopes: 'content.read' });
  const words = ['app', 'certificate', 'add', 'billing', '--issue-certificate', `${dataFolder}/../spare`];
  spare = readIssued(dataFolder, await cabinetJson<Issued>(dataFolder, words));
  desk = await addCaller(dataFolder, service.production, 'desk');
  asBilling = through(base, billing.tls);
  asReports = through(base, reports.tls);
  asNobody = through(base, { ca: readOwnCa(dataFolder) });
  bearer = await fetchBound(asBilling, billing.AppKey);
});

after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

function asPlain(): Send {
  return (path, request = {}) => send(service.production, path, request);
}

const newFolder = {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ FolderName: 'Never' }),
};

function parse(answer: Answer): Record<string, unknown> {
  return JSON.parse(answer.body.toString()) as Record<string, unknown>;
}

test('a token is bound to the certificate that it was requested with', async () => {
  const answer = await askBound(asBilling, billing.AppKey);
  assert.equal(answer.status, 200, answer.body.toString());
  const { access_token: token, ...rest } = parse(answer);
  assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 3600, scope: 'content.read content.write' });
  const claims = readClaims({ appKey: billing.AppKey, token: String(token) });
  assert.deepEqual(claims.cnf, { 'x5t#S256': billing.thumbprint });
  assert.equal(claims.client_id, billing.AppKey);
  assert.equal(claims.iss, service.production);
  assert.match(String(Buffer.from(String(token).split('.')[0] ?? '', 'base64url')), /"typ":"at\+jwt"/);
});

test('CreatedBy of entries saved here names the application', async () => {
  const created = await callWith(asBilling, bearer, '/folders', {
    ...newFolder,
    body: JSON.stringify({ FolderName: 'Invoices' }),
  });
  const { Folder } = assertEnvelope(created);
  assert.equal(Folder.CreatedBy, 'app:billing');
  const saved = await callWith(asBilling, bearer, '/files', {
    method: 'POST',
    headers: { FolderId: Folder.Id, FileName: 'a.txt', 'Content-Type': 'text/plain' },
    body: 'by mutual TLS',
  });
  const [file] = assertEnvelope(saved).Children;
  assert.equal(file?.CreatedBy, 'app:billing');
  const content = await callWith(asBilling, bearer, `/files/${file?.Id}/content`);
  assert.equal(content.body.toString(), 'by mutual TLS');
  assert.equal(saved.headers['strict-transport-security'], 'max-age=31536000');
});

test('Link headers use the mutual-TLS address', async () => {
  for (const FolderName of ['Links 1', 'Links 2']) {
    await callWith(asBilling, bearer, '/folders', { ...newFolder, body: JSON.stringify({ FolderName }) });
  }
  const page = await callWith(asBilling, bearer, '/folders/-root-?limit=1');
  const link = /^<([^>]+)>; rel="next"$/.exec(String(page.headers.link))?.[1];
  assert.ok(link?.startsWith(`${base}${CONTENT}/folders/`), String(link));
  const next = await callWith(asBilling, bearer, String(link).slice(base.length + CONTENT.length));
  assert.equal(assertEnvelope(next).Children.length, 1);
});

test('discovery on both addresses names the mutual-TLS endpoints and the issuer', async () => {
  for (const document of ['oauth-authorization-server', 'openid-configuration']) {
    for (const ask of [asPlain(), asNobody]) {
      const found = parse(await ask(`/.well-known/${document}`));
      assert.equal(found.issuer, service.production);
      assert.equal(found.tls_client_certificate_bound_access_tokens, true);
      assert.deepEqual(found.mtls_endpoint_aliases, {
        token_endpoint: `${base}/oauth2/token`,
        revocation_endpoint: `${base}/oauth2/revoke`,
      });
      assert.ok((found.token_endpoint_auth_methods_supported as string[]).includes('tls_client_auth'));
    }
  }
  assert.deepEqual(parse(await asNobody('/oauth2/jwks')), parse(await asPlain()('/oauth2/jwks')));
});

test('discovery is the same on both addresses', async () => {
  const path = '/.well-known/oauth-authorization-server';
  assert.deepEqual(parse(await asNobody(path)), parse(await asPlain()(path)));
});

test('other applications are refused here with any certificate', async () => {
  for (const ask of [asNobody, asBilling]) {
    const deskBearer = { appKey: desk.application.AppKey, token: desk.token };
    const answer = await callWith(ask, deskBearer, '/folders/-root-');
    assertRefusal(answer, 403, 'MutualTlsNotAllowed');
    assert.equal(answer.headers['www-authenticate'], undefined);
    tally('bad credentials');
  }
  await assertEnvelope(await call(desk, '/folders/-root-'));
});

test('other applications get no token here, however they send their secret', async () => {
  const { AppKey, Secret } = desk.application;
  const basic = { form: {}, headers: { Authorization: basicAuthorization(AppKey, Secret) } };
  for (const ask of [asNobody, asBilling]) {
    for (const more of [basic, { form: { client_secret: Secret } }]) {
      const answer = await askBound(ask, AppKey, more);
      assert.equal(answer.status, 400, answer.body.toString());
      assert.equal(parse(answer).error, 'unauthorized_client');
      tally('bad credentials');
    }
  }
});

test('server-based applications are refused on the plain address', async () => {
  assertRefusal(await callWith(asPlain(), bearer, '/folders/-root-'), 403, 'MutualTlsRequired');
  assertRefusal(await callWith(asPlain(), bearer, '/folders', newFolder), 403, 'MutualTlsRequired');
  tally('bad credentials', 2);
});

test('server-based applications get no token on the plain address', async () => {
  const grant = { grant_type: 'client_credentials' };
  const secret = billing.Secret;
  const attempts = [
    askToken(service.production, { ...grant, client_id: billing.AppKey }, {}),
    askToken(service.production, { ...grant, client_id: billing.AppKey, client_secret: secret }, {}),
    askToken(service.production, grant, { Authorization: basicAuthorization(billing.AppKey, secret) }),
    askToken(service.production, grant, { Authorization: basicAuthorization(billing.AppKey, '') }),
  ];
  for (const answer of await Promise.all(attempts)) {
    assert.ok(answer.status === 401 || answer.status === 400, String(answer.status));
    assert.match(String(parse(answer).error), /^invalid_(client|request)$/);
    tally('bad credentials');
  }
});

test('checks run in the order token, AppKey, address, certificate, scope', async () => {
  const readOnly = await fetchBound(asReports, reports.AppKey);
  const deskBearer = { appKey: desk.application.AppKey, token: desk.token };
  const nothing = { Authorization: undefined, AppKey: undefined };
  const unknown = `ak_${'0'.repeat(32)}`;
  const cases: [Send, Bearer, object, number, string][] = [
    [asNobody, readOnly, nothing, 401, 'TokenMissing'],
    [asNobody, readOnly, { ...nothing, Authorization: 'Bearer a.b.c' }, 401, 'TokenInvalid'],
    [asNobody, readOnly, { AppKey: undefined }, 401, 'AppKeyMissing'],
    [asNobody, readOnly, { AppKey: unknown }, 401, 'AppKeyUnknown'],
    [asNobody, readOnly, { AppKey: billing.AppKey }, 401, 'AppKeyMismatch'],
    [asNobody, deskBearer, {}, 403, 'MutualTlsNotAllowed'],
    [asNobody, readOnly, {}, 401, 'CertificateInvalid'],
    [asReports, readOnly, {}, 403, 'InsufficientScope'],
    [asPlain(), readOnly, { AppKey: undefined }, 401, 'AppKeyMissing'],
    [asPlain(), readOnly, { AppKey: desk.application.AppKey }, 401, 'AppKeyMismatch'],
    [asPlain(), readOnly, {}, 403, 'MutualTlsRequired'],
    [asNobody, readOnly, { ...nothing, AppKey: ['a', 'b'] }, 400, 'DuplicateHeader'],
  ];
  for (const [ask, who, headers, status, code] of cases) {
    const request = { ...newFolder, headers: { ...newFolder.headers, ...headers } };
    assertRefusal(await callWith(ask, who, '/folders', request), status, code);
    tally('bad credentials');
  }
  assertRefusal(await asNobody(`${CONTENT}/nowhere`), 404, 'RouteNotFound');
  assertRefusal(await asNobody(`${CONTENT}/folders`, { method: 'DELETE' }), 404, 'MethodNotAllowed');
});

test('each of two certificates of an application has its own tokens, and both work', async () => {
  const asSpare = through(base, spare.tls);
  const spareBearer = await fetchBound(asSpare, billing.AppKey);
  assert.deepEqual(readClaims(spareBearer).cnf, { 'x5t#S256': spare.thumbprint });
  await assertServed(asSpare, spareBearer);
  await assertServed(asBilling, bearer);
  const wrong = 'The access token is bound to another certificate.';
  await assertCertificateInvalid(asSpare, bearer, wrong);
  await assertCertificateInvalid(asBilling, spareBearer, wrong);
  tally('bad credentials', 2);
});

test('a token does not work with the certificate of another application, or without one', async () => {
  await assertCertificateInvalid(asReports, bearer, 'The certificate is not one of this application.');
  await assertCertificateInvalid(asNobody, bearer, 'No certificate was shown.');
  const answer = await callWith(asNobody, bearer, '/folders/-root-');
  assert.equal(answer.headers['www-authenticate'], 'Bearer error="invalid_token"');
  const stolen = { appKey: reports.AppKey, token: bearer.token };
  assertRefusal(await callWith(asReports, stolen, '/folders/-root-'), 401, 'AppKeyMismatch');
  tally('bad credentials', 3);
});

test('the token endpoint refuses clients without a certificate or with that of another application', async () => {
  await assertNoToken(asNobody, billing.AppKey, 'No certificate was shown.');
  await assertNoToken(asReports, billing.AppKey, 'The certificate is not one of this application.');
  await assertNoToken(asBilling, reports.AppKey, 'The certificate is not one of this application.');
  await assertNoToken(asBilling, `ak_${'0'.repeat(32)}`, /./);
  const { AppKey, Secret } = billing;
  const basic = { headers: { Authorization: basicAuthorization(AppKey, Secret) } };
  for (const ask of [asNobody, asReports]) {
    for (const more of [basic, { form: { client_secret: Secret } }]) {
      const answer = await askBound(ask, AppKey, more);
      assert.equal(answer.status, 401, answer.body.toString());
      assert.equal(parse(answer).error, 'invalid_client');
    }
  }
  tally('bad credentials', 8);
});

test('a certificate does not get more scopes than its application has', async () => {
  const answer = await askBound(asReports, reports.AppKey, { form: { scope: 'content.read content.write' } });
  assert.equal(answer.status, 400, answer.body.toString());
  assert.equal(parse(answer).error, 'invalid_scope');
  const narrow = await fetchBound(asBilling, billing.AppKey, { scope: 'content.read' });
  assertRefusal(await callWith(asBilling, narrow, '/folders', newFolder), 403, 'InsufficientScope');
});

test("people's pages are not here", async () => {
  const query = `client_id=${billing.AppKey}&response_type=code&redirect_uri=https%3A%2F%2Fapp.example%2Fback`;
  const paths = [`/oauth2/authorize?${query}`, '/oauth2/authorize/x', '/oauth2/login/x', '/oauth2/logout'];
  for (const path of paths) {
    for (const method of ['GET', 'POST']) {
      const { status, headers } = await asBilling(path, { method });
      assert.equal(status, 404, `${method} ${path}`);
      assert.equal(headers['set-cookie'], undefined);
    }
  }
});

test('refused requests have changed nothing', async () => {
  const { Children } = await assertServed(asBilling, bearer);
  assert.ok(Children.every(({ Name }) => Name !== 'Never'));
  assert.deepEqual(assertEnvelope(await call(desk, '/folders/-root-')).Children, []);
});
