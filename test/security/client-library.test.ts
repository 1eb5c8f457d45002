// Every way to get a token, with a published client library (openid-client), from discovery to content.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { decodeJwt } from 'jose';
import * as client from 'openid-client';
import { assertEnvelope, assertRefusal } from '../interface/assertions.ts';
import { type Answer, CONTENT, send } from '../interface/client.ts';
import { addApplication, addUser, setRole } from '../service/operator.ts';
import { eventually, makeDataFolder, removeDataFolder } from '../service/service.ts';
import { type StartedHere, startServiceHere } from '../service/service-here.ts';
import { Browser } from './browser.ts';
import { addPage, begin, finish, redirectUri } from './people.ts';
import { addIssued, through } from './server-applications.ts';
import { sendTls, type Tls } from './tls-client.ts';

const dataFolder = makeDataFolder();
let service: StartedHere;

before(async () => {
  service = await startServiceHere(dataFolder, { environment: { CABINET_MTLS_PORT: '0' } });
});

after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

function discover(
  appKey: string,
  authentication: client.ClientAuth,
  metadata: Partial<client.ClientMetadata> = {},
  customFetch: client.CustomFetch | null = null,
): Promise<client.Configuration> {
  const options = {
    execute: [client.allowInsecureRequests],
    ...(customFetch !== null && { [client.customFetch]: customFetch }),
  };
  return client.discovery(new URL(service.production), appKey, metadata, authentication, options);
}

function open(appKey: string, token: string): Promise<Answer> {
  const headers = { Authorization: `Bearer ${token}`, AppKey: appKey };
  return send(service.production, `${CONTENT}/folders/-root-`, { headers });
}

for (const [name, toAuthentication] of [
  ['HTTP Basic', client.ClientSecretBasic],
  ['the form', client.ClientSecretPost],
] as const) {
  test(`client credentials with the secret in ${name} give a token that opens the application's root`, async () => {
    const { AppKey, Secret, RootFolderId } = await addApplication(dataFolder, name.replace(' ', '-'));
    const configuration = await discover(AppKey, toAuthentication(Secret));
    const tokens = await client.clientCredentialsGrant(configuration, { scope: 'content.read' });
    assert.deepEqual([tokens.token_type, tokens.scope, tokens.expires_in], ['bearer', 'content.read', 3600]);
    assert.equal(assertEnvelope(await open(AppKey, tokens.access_token)).Folder.Id, RootFolderId);
    const all = await client.clientCredentialsGrant(configuration);
    assert.equal(decodeJwt(all.access_token).scope, 'content.read content.write');
    const wrong = await discover(AppKey, toAuthentication(`${Secret}x`));
    await assert.rejects(
      client.clientCredentialsGrant(wrong),
      (error) =>
        (error instanceof client.WWWAuthenticateChallengeError || error instanceof client.ResponseBodyError) &&
        error.status === 401,
    );
  });
}

/** The fetch function for requests that need a certificate. */
function fetchShowing(tls: Tls): client.CustomFetch {
  return async (address, { method, headers, body }) => {
    const { protocol, origin, pathname, search } = new URL(address);
    if (protocol === 'http:') return await fetch(address, { method, headers });
    const request = { method, headers, ...(body !== null && body !== undefined && { body: String(body) }) };
    const answer = await sendTls(origin, pathname + search, request, tls);
    return new Response(new Uint8Array(answer.body), {
      status: answer.status,
      headers: { 'Content-Type': String(answer.headers['content-type']) },
    });
  };
}

test('a certificate gets a token that is bound to it and works only with it, at the address from discovery', async () => {
  const { AppKey, RootFolderId, tls, thumbprint } = await addIssued(dataFolder, 'server');
  const metadata = { use_mtls_endpoint_aliases: true };
  const configuration = await discover(AppKey, client.TlsClientAuth(), metadata, fetchShowing(tls));
  const { mtls_endpoint_aliases: aliases } = configuration.serverMetadata();
  assert.equal(aliases?.token_endpoint, `${service.mutualTls}/oauth2/token`);
  const { access_token: token } = await client.clientCredentialsGrant(configuration);
  assert.deepEqual(decodeJwt(token).cnf, { 'x5t#S256': thumbprint });
  const request = { headers: { Authorization: `Bearer ${token}`, AppKey } };
  const mutual = through(service.mutualTls ?? '', tls);
  const { Folder } = assertEnvelope(await mutual(`${CONTENT}/folders/-root-`, request));
  assert.equal(Folder.Id, RootFolderId);
  const bare = through(service.mutualTls ?? '', { ca: String(tls.ca) });
  assertRefusal(await bare(`${CONTENT}/folders/-root-`, request), 401, 'CertificateInvalid');
  assertRefusal(await open(AppKey, token), 403, 'MutualTlsRequired');
  const plain = await discover(AppKey, client.TlsClientAuth());
  await assert.rejects(client.clientCredentialsGrant(plain), 'without the certificate there is no token');
});

test('a person signs in by a code with PKCE, refreshes, and revokes the tokens', async () => {
  const { AppKey } = await addPage(dataFolder, 'page');
  const { RootFolderId } = await addApplication(dataFolder, 'shared');
  const { User, Password } = await addUser(dataFolder, 'ann');
  await setRole(dataFolder, 'ann', 'viewer', 'shared');
  const configuration = await discover(AppKey, client.None());
  assert.ok(configuration.serverMetadata().supportsPKCE());
  const [browser, begun] = [new Browser(), await begin(configuration)];
  const back = await browser.submit(await browser.open(begun.url), { user: User, password: Password });
  assert.ok(back.url.href.startsWith(redirectUri));
  assert.equal(back.url.searchParams.get('iss'), service.production);
  const tokens = await finish(configuration, back.url, begun);
  assert.equal(tokens.claims()?.sub, 'ann');
  const refreshed = await client.refreshTokenGrant(configuration, String(tokens.refresh_token));
  for (const { access_token: token } of [tokens, refreshed]) {
    assert.equal(assertEnvelope(await open(AppKey, token)).Folder.Id, RootFolderId);
  }
  await client.tokenRevocation(configuration, String(refreshed.refresh_token));
  await assert.rejects(
    client.refreshTokenGrant(configuration, String(refreshed.refresh_token)),
    (error) => error instanceof client.ResponseBodyError && error.error === 'invalid_grant',
  );
  const isOver = async () => (await open(AppKey, refreshed.access_token)).status === 401;
  await eventually('the access token is refused', isOver, 1000);
});
