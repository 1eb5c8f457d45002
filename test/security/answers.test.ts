// Headers that protect every response from misuse, and fields that a request cannot set.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { assertEnvelope } from '../interface/assertions.ts';
import { type Caller, call, postFile, postFolder, saveFile, send } from '../interface/client.ts';
import { addUser } from '../service/operator.ts';
import { addCaller, makeDataFolder, removeDataFolder } from '../service/service.ts';
import { type StartedHere, startServiceHere } from '../service/service-here.ts';
import { addPage, redirectUri } from './people.ts';
import { sendTls } from './tls-client.ts';

const dataFolder = makeDataFolder();
let service: StartedHere;
let caller: Caller;

before(async () => {
  const environment = {
    CABINET_PUBLIC_URL: 'https://cabinet.example',
    CABINET_MTLS_PORT: '0',
    CABINET_HSTS_SUBDOMAINS: 'yes',
  } as const;
  service = await startServiceHere(dataFolder, { environment });
  caller = await addCaller(dataFolder, service.production, 'answers');
});

after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

test('a file that could attack a browser is sent as an attachment that no browser executes', async () => {
  for (const [name, type] of [
    ['a.html', 'text/html'],
    ['a.svg', 'image/svg+xml'],
    ['a.xml', 'application/xml'],
    ['a "quoted"; x=\u00e9.js', 'text/javascript'],
  ] as const) {
    const at = { FolderId: '', FileName: name, 'Content-Type': type };
    const { File } = await saveFile(caller, at, '<script>alert(1)</script>');
    const { headers } = await call(caller, `/files/${File.Id}/content`);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['content-security-policy'], "sandbox; default-src 'none'");
    assert.match(
      String(headers['content-disposition']),
      /^attachment; filename="[^"\\]+"; filename\*=UTF-8''[\w.%~-]+$/,
    );
    assert.match(String(headers['cache-control']), /no-store/);
  }
});

test('responses and errors are not cached, and their type is not sniffed', async () => {
  const answers = [
    await call(caller, '/folders/-root-'),
    await call(caller, '/folders/nothing'),
    await send(service.production, '/nothing', {}),
    await send(service.production, '/v1/contentmanagement/spaces', {}),
    await call(caller, '/files', { method: 'PUT' }),
  ];
  for (const { headers } of answers) {
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers.server, undefined);
    assert.equal(headers['x-powered-by'], undefined);
  }
});

test('fields that the service sets cannot be set by a request', async () => {
  const wished = {
    Id: '0199b7a4-0000-7000-8000-000000000000',
    Type: 'file',
    CreatedBy: 'someone',
    ModifiedBy: 'someone',
    CreatedAt: '2000-01-01T00:00:00.000Z',
    Size: 1_000_000,
    Space: 'another',
    SpaceId: 'another',
    Role: 'manager',
  };
  const { Folder } = assertEnvelope(await postFolder(caller, { FolderName: 'wished', ...wished }));
  const body = JSON.stringify({ filename: Buffer.from('x').toString('base64'), ...wished });
  const headers = { FileName: 'wished.txt', 'Content-Type': 'application/json' };
  const [File] = assertEnvelope(await postFile(caller, headers, body)).Children;
  for (const entry of [Folder, File]) {
    assert.notEqual(entry?.Id, wished.Id);
    assert.deepEqual([entry?.CreatedBy, entry?.ModifiedBy], ['app:answers', 'app:answers']);
    assert.ok(String(entry?.CreatedAt) > '2026');
  }
  assert.deepEqual([Folder.Type, Folder.Size, File?.Type, File?.Size], ['folder', 0, 'file', 1]);
});

test('what the issuer answers has a policy for content, whoever rendered it', async () => {
  for (const path of ['/oauth2/jwks', '/oauth2/authorize?client_id=nobody', '/oauth2/logout']) {
    const { headers } = await send(service.production, path, { headers: { Accept: 'text/html' } });
    assert.match(String(headers['content-security-policy']), /^default-src 'none';.*frame-ancestors 'none'/, path);
  }
});

/** As a proxy that ends TLS passes it on. Resolves to the cookies that the sign-in sets. */
async function signInBehindTls(location: string, cookies: readonly string[]): Promise<string[]> {
  const { User, Password } = await addUser(dataFolder, 'cookie-owner');
  const Cookie = cookies.map((cookie) => cookie.split(';')[0]).join('; ');
  const pathOf = (address: unknown) => new URL(String(address), service.production).pathname;
  const form = new URLSearchParams({ user: User, password: Password }).toString();
  const signedIn = await send(service.production, pathOf(location), {
    method: 'POST',
    headers: { Cookie, 'Content-Type': 'application/x-www-form-urlencoded' },
    body: form,
  });
  assert.equal(signedIn.status, 303, signedIn.body.toString());
  const { headers } = await send(service.production, pathOf(signedIn.headers.location), { headers: { Cookie } });
  return [headers['set-cookie'] ?? []].flat();
}

test('with https, cookies are Secure and TLS addresses send Strict-Transport-Security', async () => {
  const { AppKey } = await addPage(dataFolder, 'cookies');
  const query = new URLSearchParams({
    client_id: AppKey,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  });
  const { status, headers } = await send(service.production, `/oauth2/authorize?${query}`, {});
  assert.equal(status, 303);
  const cookies = [headers['set-cookie'] ?? []].flat();
  assert.ok(cookies.length > 0);
  for (const cookie of cookies) assert.match(cookie, /^__(Secure|Host)-.*; secure/i);
  const session = (await signInBehindTls(String(headers.location), cookies)).filter((one) => one.includes('_session'));
  assert.ok(session.length > 0);
  for (const cookie of session) {
    assert.match(cookie, /^__Host-.*; path=\/;/i);
    assert.doesNotMatch(cookie, /; domain=/i);
  }
  const ca = readFileSync(join(dataFolder, 'production', 'certificates', 'ca.pem'));
  const answer = await sendTls(String(service.mutualTls), '/health/live', {}, { ca });
  assert.equal(answer.headers['strict-transport-security'], 'max-age=31536000; includeSubDomains');
  // Also where the answer comes before the body that was announced.
  const early = { method: 'POST', headers: { 'Content-Length': '1000000', Expect: '100-continue' } };
  const refused = await sendTls(String(service.mutualTls), '/v1/contentmanagement/files', early, { ca });
  assert.equal(refused.status, 401);
  assert.equal(refused.headers['strict-transport-security'], 'max-age=31536000; includeSubDomains');
});
