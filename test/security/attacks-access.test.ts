// Past attacks on permissions: an upload that outlives its permission, a parameter for another resource, a remembered
// response of a space that the caller has left.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type * as client from 'openid-client';
import { assertEnvelope, assertRefusal, type Entry } from '../interface/assertions.ts';
import {
  type Answer,
  askToken,
  basicAuthorization,
  type Caller,
  CONTENT,
  call,
  createFolder,
  download,
  type Headers,
  identity,
  listFolder,
  makeFolder,
  postFile,
  postFolder,
} from '../interface/client.ts';
import { addApplication, addUser, command, setRole } from '../service/operator.ts';
import {
  addCaller,
  eventually,
  listIncoming,
  makeDataFolder,
  type Registered,
  removeDataFolder,
} from '../service/service.ts';
import { startServiceHere } from '../service/service-here.ts';
import { addPage, discover, signIn } from './people.ts';
import { addIssued, askBound, readOwnCa, through } from './server-applications.ts';
import { tally } from './tally.ts';

const dataFolder = makeDataFolder();
const takesEffectMs = 1000;
let service: Awaited<ReturnType<typeof startServiceHere>>;
let own: Caller;
let page: Registered;
let configuration: client.Configuration;

before(async () => {
  service = await startServiceHere(dataFolder, { environment: { CABINET_MTLS_PORT: '0' }, hasClock: true });
  own = await addCaller(dataFolder, service.production, 'own');
  await addApplication(dataFolder, 'other');
  page = await addPage(dataFolder, 'page');
  configuration = await discover(service.production, page);
});

after(async () => {
  // A request that a failed test left would hold the service up.
  for (const request of unfinished) request.destroy();
  await service.stop();
  removeDataFolder(dataFolder);
});

/** A person with a role in each of these spaces, signed in. */
async function enterAs(user: string, roles: Record<string, string>): Promise<Caller> {
  const person = await addUser(dataFolder, user);
  for (const [space, role] of Object.entries(roles)) await setRole(dataFolder, user, role, space);
  const { access_token: token } = await signIn(configuration, person);
  return { base: service.production, application: { Name: '', ...page }, token };
}

const unfinished = new Set<ClientRequest>();

/** A request of which half of the body is sent, until it is finished. */
interface Begun {
  finish(): Promise<Answer>;
}

/** Resolves when the service has let the caller in and asks for the body: then the first half is sent. */
async function beginPost(
  caller: Caller,
  target: { path: string; headers: Headers },
  halves: [Buffer, Buffer],
): Promise<Begun> {
  const { hostname, port } = new URL(caller.base);
  const waiting = { 'Transfer-Encoding': 'chunked', Expect: '100-continue' };
  const headers = { ...identity(caller), ...target.headers, ...waiting } as Record<string, string>;
  const outgoing = httpRequest({ hostname, port, path: CONTENT + target.path, method: 'POST', headers, agent: false });
  const answered = new Promise<Answer>((resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.on('response', async (incoming) => {
      const body = Buffer.concat(await incoming.toArray());
      resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body });
    });
  });
  answered.catch(() => undefined);
  unfinished.add(outgoing);
  outgoing.once('close', () => unfinished.delete(outgoing));
  outgoing.flushHeaders();
  await Promise.race([once(outgoing, 'continue'), answered]);
  outgoing.write(halves[0]);
  return {
    async finish() {
      outgoing.end(halves[1]);
      return await answered;
    },
  };
}

interface Taken {
  what: string;
  caller(): Promise<Caller>;
  take(): Promise<unknown>;
  status: number;
  code: string;
}

const disable = (user: string) => command(dataFolder, 'user disable', { user });

const taken: Taken[] = [
  {
    what: 'the person is disabled',
    caller: () => enterAs('disabled', { own: 'editor' }),
    take: () => disable('disabled'),
    status: 401,
    code: 'TokenInvalid',
  },
  {
    what: 'the person has a new password',
    caller: () => enterAs('renewed', { own: 'editor' }),
    take: () => command(dataFolder, 'user password', { user: 'renewed' }),
    status: 401,
    code: 'TokenInvalid',
  },
  {
    what: 'the application is disabled',
    async caller() {
      const application = { Name: 'stopped', ...(await addApplication(dataFolder, 'stopped', { space: 'own' })) };
      const answer = await askToken(
        service.production,
        { grant_type: 'client_credentials' },
        { Authorization: basicAuthorization(application.AppKey, application.Secret) },
      );
      const { access_token: token } = JSON.parse(answer.body.toString()) as { access_token: string };
      return { base: service.production, application, token };
    },
    take: () => command(dataFolder, 'app disable', { application: 'stopped' }),
    status: 401,
    code: 'AppKeyUnknown',
  },
  {
    what: 'the role is taken away',
    caller: () => enterAs('removed', { own: 'editor' }),
    take: () => setRole(dataFolder, 'removed', 'none', 'own'),
    status: 404,
    code: 'FolderNotFound',
  },
  {
    what: 'the role is taken away, and there is another',
    caller: () => enterAs('moved', { own: 'editor', other: 'editor' }),
    take: () => setRole(dataFolder, 'moved', 'none', 'own'),
    status: 404,
    code: 'FolderNotFound',
  },
  {
    what: 'the role is lowered to viewer',
    caller: () => enterAs('lowered', { own: 'editor' }),
    take: () => setRole(dataFolder, 'lowered', 'viewer', 'own'),
    status: 403,
    code: 'Forbidden',
  },
];

function listBlobs(): string[] {
  return readdirSync(join(dataFolder, 'production/blobs'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
}

/** One that is kept in the catalog, and one that is kept beside it. */
const halfBytes = [10, 200_000];

async function beginUploads(folder: Entry, { what, caller }: Taken): Promise<Begun[]> {
  const sender = await caller();
  const uploads = halfBytes.map((size) => {
    // Such as nothing else has: the same bytes are kept once.
    const half = Buffer.alloc(size, `${what} ${size} `);
    const headers = { FolderId: folder.Id, FileName: `${size}.txt`, 'Content-Type': 'text/plain' };
    return beginPost(sender, { path: '/files', headers }, [half, half]);
  });
  return await Promise.all(uploads);
}

test('an upload that completes after its permission was revoked is refused, and nothing is saved', async () => {
  const folder = await makeFolder(own);
  const blobs = listBlobs();
  const begun: Begun[][] = [];
  for (const one of taken) begun.push(await beginUploads(folder, one));
  await Promise.all(taken.map(({ take }) => take()));
  await service.advance(takesEffectMs);
  for (const [n, { what, status, code }] of taken.entries()) {
    for (const upload of begun[n] ?? []) {
      assertRefusal(await upload.finish(), status, code);
      tally('bad credentials');
    }
    assert.deepEqual(await listFolder(own, folder.Id), [], what);
  }
  await eventually(
    'what was received is let go',
    () => listIncoming(dataFolder).length === 0 && listBlobs().length === blobs.length,
  );
});

test('an equally long upload with its permission intact is saved', async () => {
  const folder = await makeFolder(own);
  const patient = await enterAs('patient', { own: 'editor' });
  const headers = { FolderId: folder.Id, FileName: 'patient.txt' };
  const begun = await beginPost(patient, { path: '/files', headers }, [Buffer.from('first '), Buffer.from('second')]);
  await service.advance(takesEffectMs);
  const [file] = assertEnvelope(await begun.finish()).Children;
  assert.equal(file?.CreatedBy, 'patient');
  assert.equal(String(await download(own, file.Id)), 'first second');
});

test('a folder whose request completes after its permission was revoked is not created', async () => {
  const folder = await makeFolder(own);
  const slow = await enterAs('slow', { own: 'editor' });
  const halves: [Buffer, Buffer] = [
    Buffer.from(`{"ParentFolderId":"${folder.Id}",`),
    Buffer.from('"FolderName":"late"}'),
  ];
  const begun = await beginPost(slow, { path: '/folders', headers: { 'Content-Type': 'application/json' } }, halves);
  await disable('slow');
  await service.advance(takesEffectMs);
  assertRefusal(await begun.finish(), 401, 'TokenInvalid');
  assert.deepEqual(await listFolder(own, folder.Id), []);
  tally('bad credentials');
});

const tokenForm = { grant_type: 'client_credentials' };

function readToken(answer: Answer): Record<string, string> {
  return JSON.parse(answer.body.toString()) as Record<string, string>;
}

test('a resource parameter in a token request changes nothing', async () => {
  const resource = `${service.production}${CONTENT}`;
  const { AppKey, Secret } = own.application;
  const basic = { Authorization: basicAuthorization(AppKey, Secret) };
  const overTls = through(String(service.mutualTls), { ca: readOwnCa(dataFolder) });
  for (const form of [{}, { resource }, { resource, scope: 'content.write' }, { scope: 'content.read' }]) {
    const refused = await askBound(overTls, AppKey, { form, headers: basic });
    assert.equal(refused.status, 400, refused.body.toString());
    assert.equal(readToken(refused).error, 'unauthorized_client');
    tally('bad credentials');
  }
  const issued = await addIssued(dataFolder, 'till');
  const withCertificate = through(String(service.mutualTls), issued.tls);
  const given = [
    await askToken(service.production, { ...tokenForm, resource }, basic),
    await askToken(service.production, tokenForm, basic),
    await askBound(withCertificate, issued.AppKey, { form: { resource } }),
  ];
  for (const answer of given) {
    assert.equal(answer.status, 200, answer.body.toString());
    assert.equal(readToken(answer).scope, 'content.read content.write');
  }
  const elsewhere = await askToken(service.production, { ...tokenForm, resource: 'https://other.example' }, basic);
  assert.equal(readToken(elsewhere).error, 'invalid_target');
});

test('an Idempotency-Key returns nothing of a space to a person who has left it', async () => {
  const headers = { 'Idempotency-Key': 'once' };
  for (const stays of [{}, { other: 'editor' }, { other: 'viewer' }]) {
    const user = `left-${Object.values(stays)}`;
    const person = await enterAs(user, { own: 'editor', ...stays });
    const secret = await createFolder(own, own.application.RootFolderId, `left behind ${user}`);
    const fields = { ParentFolderId: secret.Id, FolderName: 'secret', Properties: { a: 'secret' } };
    const upload = { ...headers, FolderId: secret.Id, FileName: 'secret.txt' };
    const repeat = () => [postFolder(person, fields, headers), postFile(person, upload, 'secret')];
    for (const first of await Promise.all(repeat())) assertEnvelope(first);
    for (const again of await Promise.all(repeat())) assert.equal(again.headers['idempotency-replayed'], 'true');
    await setRole(dataFolder, user, 'none', 'own');
    await eventually('it is gone', async () => (await call(person, `/folders/${secret.Id}`)).status === 404, 1000);
    for (const refused of await Promise.all(repeat())) {
      assert.ok([400, 403, 404].includes(refused.status), `${refused.status} ${refused.body}`);
      assert.equal(refused.headers['idempotency-replayed'], undefined);
      assert.equal(refused.headers.entryid, undefined);
      assert.doesNotMatch(refused.body.toString(), /secret/);
      tally('bad credentials');
    }
  }
});
