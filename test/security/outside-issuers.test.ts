// Tokens of an external OpenID provider: whom they authenticate and as whom, which are refused, what happens when the
// provider changes its keys or is unavailable. The provider is a real one, with its own keys, clients and address.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, it, test } from 'node:test';
import { importJWK, type JWK, SignJWT } from 'jose';
import { assertEnvelope, assertRefusal } from '../interface/assertions.ts';
import { type Caller, call, postFile, postFolder, send } from '../interface/client.ts';
import { addApplication, addUser, command, setRole } from '../service/operator.ts';
import { cabinet, eventually, makeDataFolder, removeDataFolder } from '../service/service.ts';
import { Company } from './outside-company.ts';
import { audience, toResource } from './second-issuer.ts';
import { openStream } from './stream.ts';
import { tally } from './tally.ts';

async function statusOf(caller: Caller): Promise<number> {
  return (await call(caller, '/folders/-root-')).status;
}

describe('an external issuer', () => {
  const company = new Company();
  const legacy = { AppKeyClaim: 'azp', UserClaim: 'upn', ScopeClaims: 'scp roles', TokenType: 'JWT' };

  before(async () => {
    await company.open((url) => [
      {
        Name: 'legacy',
        Issuer: `${url}/legacy`,
        Audience: 'api://cabinet',
        JwksUri: `${url}/jwks`,
        OwnTokenWhen: 'idtyp=app',
        ...legacy,
      },
      { Name: 'trial', Issuer: `${url}/trial`, Audience: audience, JwksUri: `${url}/jwks`, Environment: 'test' },
    ]);
  });
  after(() => company.close());

  it('authenticates an application for itself, under its name there', async () => {
    const { Folder } = assertEnvelope(await postFolder(await company.asRobot(), { FolderName: 'by robot' }));
    const by = `corp:${company.robot.AppKey}`;
    assert.deepEqual([Folder.CreatedBy, Folder.ModifiedBy], [by, by]);
  });

  it('authenticates a person who has no access until given a role, and none within a second of losing it', async () => {
    const alice = await company.asPerson('alice');
    assert.equal(String((await call(alice, '/spaces')).body), '{"Spaces":[]}');
    assertRefusal(await call(alice, `/folders/${company.robot.RootFolderId}`), 404, 'FolderNotFound');
    await setRole(company.dataFolder, 'corp:alice', 'editor', 'shared');
    await eventually('the role is in force', async () => (await statusOf(alice)) === 200, 1000);
    const { Folder } = assertEnvelope(await postFolder(alice, { FolderName: 'by alice' }));
    assert.equal(Folder.CreatedBy, 'corp:alice');
    const [saved] = assertEnvelope(await postFile(alice, { FolderId: Folder.Id, FileName: 'a.txt' }, 'a')).Children;
    assert.deepEqual([saved?.CreatedBy, saved?.ModifiedBy], ['corp:alice', 'corp:alice']);
    await setRole(company.dataFolder, 'corp:alice', 'viewer', 'shared');
    await eventually('reads only', async () => (await postFolder(alice, { FolderName: 'x' })).status === 403, 1000);
    await setRole(company.dataFolder, 'corp:alice', 'none', 'shared');
    await eventually('the role is gone', async () => (await statusOf(alice)) === 403, 1000);
    assertRefusal(await call(alice, `/folders/${Folder.Id}`), 404, 'FolderNotFound');
    assert.equal(String((await call(alice, '/spaces')).body), '{"Spaces":[]}');
  });

  it('no longer authenticates a person within a second of being disabled, until enabled', async () => {
    const bob = await company.asPerson('bob');
    await setRole(company.dataFolder, 'corp:bob', 'editor', 'shared');
    await eventually('the role is in force', async () => (await statusOf(bob)) === 200, 1000);
    await command(company.dataFolder, 'user disable', { user: 'corp:bob' });
    await eventually('refused', async () => (await statusOf(bob)) === 401, 1000);
    assertRefusal(await call(bob, '/spaces'), 401, 'TokenInvalid');
    assertRefusal(await call(await company.asPerson('bob'), '/spaces'), 401, 'TokenInvalid');
    tally('bad credentials', 2);
    await command(company.dataFolder, 'user enable', { user: 'corp:bob' });
    await eventually('taken', async () => (await statusOf(bob)) === 200, 1000);
    await assert.rejects(command(company.dataFolder, 'user password', { user: 'corp:bob' }), /have no password here/);
  });

  it('keeps people apart from ours and those of other issuers, case-sensitively', async () => {
    await addUser(company.dataFolder, 'carol');
    await setRole(company.dataFolder, 'carol', 'editor', 'shared');
    await setRole(company.dataFolder, 'corp:Carol', 'editor', 'shared');
    for (const sub of ['carol', 'corp:carol', 'app:robot', 'CAROL']) {
      assert.equal(String((await call(await company.asPerson(sub), '/spaces')).body), '{"Spaces":[]}', sub);
    }
    assert.equal(await statusOf(await company.asPerson('Carol')), 200);
  });

  it('may use other claim names', async () => {
    const { issuer, robot, page } = company;
    const base = { iss: `${issuer.url}/legacy`, aud: 'api://cabinet', scope: undefined };
    const typ = { typ: 'JWT' };
    const own = await issuer.sign(
      { ...base, sub: 'object-id', azp: robot.AppKey, idtyp: 'app', roles: ['content.write'] },
      typ,
    );
    const { Folder } = assertEnvelope(await postFolder(company.as(own), { FolderName: 'by legacy' }));
    assert.equal(Folder.CreatedBy, 'legacy:object-id');
    await setRole(company.dataFolder, 'legacy:dan@corp.example', 'editor', 'shared');
    const person = { ...base, sub: 'pairwise', upn: 'dan@corp.example', azp: page.AppKey };
    const dan = company.as(await issuer.sign({ ...person, scp: 'content.read content.write' }, typ), page);
    assert.equal(
      assertEnvelope(await postFolder(dan, { FolderName: 'by dan' })).Folder.CreatedBy,
      'legacy:dan@corp.example',
    );
    const reader = company.as(await issuer.sign({ ...person, scp: 'content.read' }, typ), page);
    assert.equal(await statusOf(reader), 200);
    assertRefusal(await postFolder(reader, { FolderName: 'x' }), 403, 'InsufficientScope');
    for (const [claims, header] of [
      [{ ...person, azp: undefined, client_id: page.AppKey }, typ],
      [{ ...person, upn: undefined }, typ],
      [{ ...person, idtyp: 'user', upn: undefined, sub: 'object-id' }, typ],
      [person, { typ: 'at+jwt' }],
      [{ ...person, aud: audience }, typ],
    ] as const) {
      assertRefusal(await call(company.as(await issuer.sign(claims, header), page), '/spaces'), 401, 'TokenInvalid');
      tally('bad credentials');
    }
  });

  it('grants only scopes of both the token and the application', async () => {
    const { issuer, robot } = company;
    const reader = company.as(await issuer.fetchToken(robot.AppKey, { scope: 'content.read' }));
    assert.equal(await statusOf(reader), 200);
    const refused = await postFolder(reader, { FolderName: 'x' });
    assertRefusal(refused, 403, 'InsufficientScope');
    assert.equal(refused.headers['www-authenticate'], 'Bearer error="insufficient_scope", scope="content.write"');
    const own = { sub: robot.AppKey, client_id: robot.AppKey };
    for (const scope of [undefined, '', 'openid', 'content.reader']) {
      const none = company.as(await issuer.sign({ ...own, scope }));
      assertRefusal(await call(none, '/folders/-root-'), 403, 'InsufficientScope');
    }
    const reads = await addApplication(company.dataFolder, 'reads', { scopes: 'content.read' });
    const token = await issuer.sign({ sub: reads.AppKey, client_id: reads.AppKey });
    assertRefusal(await postFolder(company.as(token, reads), { FolderName: 'x' }), 403, 'InsufficientScope');
  });

  it('does not authenticate by a token that is for others, of others, expired, forged or not an access token', async () => {
    const { issuer, robot, dataFolder, service } = company;
    const now = Math.floor(Date.now() / 1000);
    const own = { sub: robot.AppKey, client_id: robot.AppKey };
    const good = await issuer.sign(own);
    const ours = (await company.asOwn()).token;
    const claimsOf = (token: string) =>
      JSON.parse(Buffer.from(String(token.split('.')[1]), 'base64url').toString()) as Record<string, unknown>;
    const withClaims = (token: string, claims: object) =>
      token.replace(/\.[^.]*\./, `.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.`);
    const keys = JSON.parse(readFileSync(join(dataFolder, 'production', 'keys.json'), 'utf8')) as { Signing: JWK[] };
    const ourKey = keys.Signing[0] as JWK;
    const byOurKey = (claims: Record<string, unknown>, kid = String(ourKey.kid)) =>
      importJWK(ourKey, 'ES256').then((key) =>
        new SignJWT({ ...claimsOf(good), ...claims })
          .setProtectedHeader({ alg: 'ES256', kid, typ: 'at+jwt' })
          .sign(key),
      );
    const unsigned = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
    const bad: Record<string, string> = {
      'for another audience': await issuer.fetchToken(robot.AppKey, { resource: toResource('payroll') }),
      'for our own audience': await issuer.sign({ ...own, aud: `${service.production}/v1/contentmanagement` }),
      'for nobody': await issuer.sign({ ...own, aud: undefined }),
      'of another issuer': await issuer.sign({ ...own, iss: 'https://login.example' }),
      'of the issuer with a slash': await issuer.sign({ ...own, iss: `${issuer.url}/` }),
      'of nobody': await issuer.sign({ ...own, iss: undefined }),
      'in our name, by their key': await issuer.sign({ ...claimsOf(ours) }),
      'of the issuer for the test environment': await issuer.sign({ ...own, iss: `${issuer.url}/trial` }),
      'of another configured issuer': await issuer.sign({ ...own, iss: `${issuer.url}/legacy` }),
      'an ID token': await issuer.sign({ sub: 'alice', aud: robot.AppKey, nonce: 'n' }, { typ: 'JWT' }),
      'an ID token with our audience': await issuer.sign({ ...own, nonce: 'n' }, { typ: 'JWT' }),
      'without a type': await issuer.sign(own, { typ: undefined }),
      expired: await issuer.sign({ ...own, iat: now - 600, exp: now - 31 }),
      'not yet valid': await issuer.sign({ ...own, nbf: now + 60 }),
      'for two days': await issuer.sign({ ...own, exp: now + 2 * 86_400 }),
      'without an application': await issuer.sign({ ...own, client_id: undefined }),
      'signed by a stranger': await issuer.forge(own),
      'with other claims than were signed': withClaims(good, { ...claimsOf(good), sub: 'alice' }),
      'without a signature': good.replace(/[^.]*$/, ''),
      unsigned: `${unsigned}.${good.split('.')[1]}.`,
      'ours, with their issuer written in': withClaims(ours, { ...claimsOf(ours), iss: issuer.url }),
      'in their name, by our key': await byOurKey({}),
      'in their name, by our key under theirs': await byOurKey({}, issuer.kid),
    };
    assert.equal(await statusOf(company.as(good)), 200);
    for (const [about, token] of Object.entries(bad)) {
      const answer = await call(company.as(token), '/folders/-root-');
      assert.equal(answer.status, 401, `a token ${about} was answered ${answer.status}`);
      assertRefusal(answer, 401, 'TokenInvalid');
      assert.equal(answer.headers['www-authenticate'], 'Bearer error="invalid_token"');
      tally('bad credentials');
    }
    const elsewhere = { ...company.as(good), base: service.test ?? '' };
    assertRefusal(await call(elsewhere, '/folders/-root-'), 401, 'TokenInvalid');
    tally('bad credentials');
  });

  it('does not authenticate an AppKey that is not the one in the token, unknown or disabled', async () => {
    const { issuer, robot, page, dataFolder } = company;
    const own = (client: string) => issuer.sign({ sub: client, client_id: client });
    const idle = await addApplication(dataFolder, 'idle');
    await command(dataFolder, 'app disable', { application: 'idle' });
    const nobody = { ...robot, AppKey: `ak_${'0'.repeat(32)}` };
    for (const [token, application, code] of [
      [await own(robot.AppKey), page, 'AppKeyMismatch'],
      [await own(nobody.AppKey), robot, 'AppKeyMismatch'],
      [await issuer.sign({ sub: 'alice', client_id: page.AppKey }), robot, 'AppKeyMismatch'],
      [await own(robot.AppKey), nobody, 'AppKeyUnknown'],
      [await own(nobody.AppKey), nobody, 'AppKeyUnknown'],
      [await own(idle.AppKey), idle, 'AppKeyUnknown'],
      [await own(robot.AppKey), { ...robot, AppKey: '' }, 'AppKeyMissing'],
    ] as const) {
      assertRefusal(await call(company.as(token, application), '/folders/-root-'), 401, code);
      tally('bad credentials');
    }
    const refused = await call(company.as(await own(page.AppKey), page), '/spaces');
    assertRefusal(refused, 403, 'Forbidden');
  });
});

describe('when an external issuer changes its keys or is unavailable', () => {
  const company = new Company();

  before(async () => {
    await company.open();
    await setRole(company.dataFolder, 'corp:alice', 'editor', 'shared');
  });
  after(() => company.close());

  it('its new key works at once, the old one while it is published, and no request fails', async () => {
    const { issuer } = company;
    const [robot, alice, own] = [await company.asRobot(), await company.asPerson('alice'), await company.asOwn()];
    const before = issuer.kid;
    const callers = [robot, alice, own];
    const stream = openStream(12, async (client) => {
      const status = await statusOf(callers[client % callers.length] as Caller);
      return status === 200 ? null : `${client}: ${status}`;
    });
    await stream.go(5);
    await issuer.rotate();
    assert.notEqual(issuer.kid, before);
    const fresh = [await company.asRobot(), await company.asPerson('alice')];
    assert.deepEqual(await Promise.all(fresh.map(statusOf)), [200, 200]);
    callers.push(...fresh);
    await stream.go(5);
    assert.equal(await statusOf(await company.asPerson('alice')), 200);
    const { count, failures } = await stream.stop();
    assert.deepEqual(failures, []);
    assert.ok(count >= 12 * 10);
    assert.ok(issuer.keyFetches <= 3, `its keys were fetched ${issuer.keyFetches} times`);
  });

  it('tokens of its known keys are accepted while it is unavailable, and so are our own', async () => {
    const [robot, alice, own] = [await company.asRobot(), await company.asPerson('alice'), await company.asOwn()];
    assert.deepEqual(await Promise.all([robot, alice, own].map(statusOf)), [200, 200, 200]);
    await company.issuer.stop();
    const fresh = [await company.asPerson('alice'), await company.asOwn()];
    assert.deepEqual(await Promise.all([robot, alice, own, ...fresh].map(statusOf)), [200, 200, 200, 200, 200]);
    assertRefusal(await call(company.as(await company.issuer.forge({ sub: 'alice' })), '/spaces'), 401, 'TokenInvalid');
    tally('bad credentials');
  });

  it('rotating our own keys changes nothing while it is unavailable', async () => {
    await company.issuer.start();
    const alice = await company.asPerson('alice');
    assert.equal(await statusOf(alice), 200);
    await company.issuer.stop();
    await command(company.dataFolder, 'keys rotate');
    assert.equal(await statusOf(alice), 200);
  });

  it('a service that starts meanwhile refuses its tokens, accepts our own, and recovers with the issuer', async () => {
    await company.issuer.stop();
    await company.service.stop();
    await company.serve();
    for (const caller of [await company.asPerson('alice'), await company.asPerson('alice')]) {
      const refused = await call(caller, '/folders/-root-');
      assertRefusal(refused, 500, 'IssuerUnavailable');
      assert.ok(Number(refused.headers['retry-after']) > 0);
    }
    assert.equal(await statusOf(await company.asOwn()), 200);
    await company.issuer.start();
    const alice = await company.asPerson('alice');
    await company.service.advance(5000);
    assert.equal(await statusOf(alice), 200);
    assert.equal(await statusOf(await company.asRobot()), 200);
  });

  it('without the built-in issuer there is no token endpoint, our tokens are refused and external ones accepted', async () => {
    await company.issuer.start();
    const own = await company.asOwn();
    assert.equal(await statusOf(own), 200);
    await company.service.stop();
    await company.serve({ CABINET_OWN_ISSUER: 'no' });
    assert.equal(company.service.production, own.base);
    for (const [method, path] of [
      ['POST', '/oauth2/token'],
      ['POST', '/oauth2/revoke'],
      ['GET', '/oauth2/jwks'],
      ['GET', '/oauth2/authorize'],
      ['GET', '/.well-known/oauth-authorization-server'],
      ['GET', '/.well-known/openid-configuration'],
    ] as const) {
      assertRefusal(await send(own.base, path, { method }), 404, 'RouteNotFound');
    }
    assertRefusal(await call(own, '/folders/-root-'), 401, 'TokenInvalid');
    tally('bad credentials');
    assert.equal(await statusOf(await company.asRobot()), 200);
    assert.equal(await statusOf(await company.asPerson('alice')), 200);
  });
});

test('a service whose file of issuers has errors does not start, and reports all of them', async (context) => {
  const dataFolder = makeDataFolder();
  context.after(() => removeDataFolder(dataFolder));
  const path = join(dirname(dataFolder), 'issuers.json');
  const start = async (text: string) => {
    writeFileSync(path, text);
    const { code, stdout } = await cabinet(dataFolder, ['serve', '--json'], { CABINET_ISSUERS: path });
    assert.equal(code, 1);
    return (JSON.parse(stdout) as { Error: { Code: string; Mistakes: string[] } }).Error.Mistakes;
  };
  const good = { Name: 'corp', Issuer: 'https://login.example', Audience: audience };
  const mistakes = await start(
    JSON.stringify([
      { ...good, Name: 'app', Issuer: 'http://login.example', Audience: '', Algorithms: ['HS256'] },
      { ...good, Environment: 'staging', Secret: 'x' },
      { ...good, JwksUri: 'http://login.example/keys' },
    ]),
  );
  const fields = ['1: Name', '1: Issuer', '1: Audience', '1: Algorithms', '2: Secret', '2: Environment', '3: JwksUri'];
  for (const field of [...fields, '3: Name', '3: Issuer']) {
    assert.equal(
      mistakes.filter((mistake) => mistake.startsWith(`CABINET_ISSUERS: entry ${field}: `)).length,
      1,
      field,
    );
  }
  assert.match(String(await start('{')), /JSON/);
  assert.match(String(await start('{}')), /not a JSON array/);
  const { stdout } = await cabinet(dataFolder, ['serve', '--json'], { CABINET_OWN_ISSUER: 'no' });
  assert.match(stdout, /nobody could get a token/);
});
