// ID tokens by RS256 (`CABINET_ID_TOKEN_ALGORITHM`), for clients that verify nothing else, beside access tokens by ES256.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, importJWK, type JWK, jwtVerify, SignJWT } from 'jose';
import type * as client from 'openid-client';
import { assertRefusal } from '../interface/assertions.ts';
import { type Caller, call } from '../interface/client.ts';
import { addUser, setRole } from '../service/operator.ts';
import { addCaller, makeDataFolder, type Registered, removeDataFolder } from '../service/service.ts';
import { type StartedHere, startServiceHere } from '../service/service-here.ts';
import { addPage, discover, signIn } from './people.ts';

const dataFolder = makeDataFolder();
let service: StartedHere;
let page: Registered;
let office: Caller;
let configuration: client.Configuration;

before(async () => {
  service = await startServiceHere(dataFolder, { environment: { CABINET_ID_TOKEN_ALGORITHM: 'RS256' } });
  page = await addPage(dataFolder, 'page');
  office = await addCaller(dataFolder, service.production, 'office');
  configuration = await discover(service.production, page);
});

after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

async function readKeys(): Promise<JWK[]> {
  const answer = await fetch(`${service.production}/oauth2/jwks`);
  return ((await answer.json()) as { keys: JWK[] }).keys;
}

test('discovery lists both algorithms, and the key set has a key for each, without private parts', async () => {
  const { id_token_signing_alg_values_supported: supported } = configuration.serverMetadata();
  assert.deepEqual(supported, ['ES256', 'RS256']);
  const members = (await readKeys()).map((key) => Object.keys(key).sort().join(' '));
  assert.deepEqual(members.sort(), ['alg crv kid kty use x y', 'alg e kid kty n use']);
});

test('an ID token is signed with RS256 and verified by the key set; the access token is by ES256', async () => {
  const ann = await addUser(dataFolder, 'ann');
  await setRole(dataFolder, 'ann', 'viewer', 'office');
  const tokens = await signIn(configuration, ann);
  const keys = createLocalJWKSet({ keys: await readKeys() });
  const rules = { algorithms: ['RS256'], issuer: service.production, audience: page.AppKey };
  assert.equal((await jwtVerify(String(tokens.id_token), keys, rules)).payload.sub, 'ann');
  assert.equal(decodeProtectedHeader(tokens.access_token).alg, 'ES256');
  const person = { ...office, application: { ...office.application, AppKey: page.AppKey }, token: tokens.access_token };
  assert.equal((await call(person, '/folders/-root-')).status, 200);
});

test('an access token that the RS256 key signed is refused', async () => {
  const { Signing } = JSON.parse(readFileSync(join(dataFolder, 'production/keys.json'), 'utf8')) as { Signing: JWK[] };
  const sign = async (alg: string) => {
    const key = Signing.find((one) => one.alg === alg) as JWK;
    const header = { alg, typ: 'at+jwt', kid: String(key.kid) };
    return await new SignJWT(decodeJwt(office.token)).setProtectedHeader(header).sign(await importJWK(key, alg));
  };
  assert.equal((await call({ ...office, token: await sign('ES256') }, '/folders/-root-')).status, 200);
  assertRefusal(await call({ ...office, token: await sign('RS256') }, '/folders/-root-'), 401, 'TokenInvalid');
});
