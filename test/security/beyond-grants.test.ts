// Whoever has grants in a space reaches nothing else of it (docs/contract.md §14.5): everything that is not shared returns, byte for byte
// and in every way in which a route takes an id, what unknown ids return. Links: `shares.test.ts`.

import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { type Answer, type Caller, call, createFolder, fetchToken, saveFile, send } from '../interface/client.ts';
import { trash } from '../interface/life.ts';
import { get, manage } from '../interface/managing.ts';
import { makeShare } from '../interface/shares.ts';
import { addApplication, addUser } from '../service/operator.ts';
import { makeDataFolder, removeDataFolder } from '../service/service.ts';
import { type StartedHere, startServiceHere } from '../service/service-here.ts';
import { mine, unknownId, type Way, ways } from './foreign-ways.ts';
import { addPage, discover, signIn } from './people.ts';
import { tally } from './tally.ts';

const trackingId = '0199b7a4-0000-4000-8000-000000000000';
const dataFolder = makeDataFolder();
let service: StartedHere;
let owner: Caller;
let guest: Caller;
/** Not shared: above, beside and in the trash. */
const hidden = new Map<string, string>();
let tried = 0;

const save = async (FolderId: string, FileName: string) => (await saveFile(owner, { FolderId, FileName }, 'x')).File.Id;
const add = async (parent: string, name: string) => (await createFolder(owner, parent, name)).Id;

before(async () => {
  service = await startServiceHere(dataFolder);
  const scopes = 'content.read content.write content.admin';
  const application = { Name: 'office', ...(await addApplication(dataFolder, 'office', { scopes })) };
  owner = { base: service.production, application, token: await fetchToken(service.production, application) };
  const page = await addPage(dataFolder, 'page');
  const { access_token: token } = await signIn(
    await discover(service.production, page),
    await addUser(dataFolder, 'gil'),
  );
  guest = { base: service.production, application: { Name: 'page', ...page }, token };
  await makeTree();
});

after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

async function makeTree(): Promise<void> {
  const root = owner.application.RootFolderId;
  const above = await add(root, 'taken');
  const shared = await add(above, 'shared');
  const beside = await add(above, 'beside');
  const thrown = await save(above, 'thrown.txt');
  mine.file = await save(shared, 'mine.txt');
  mine.trashed = await save(shared, 'trashed.txt');
  await manage(owner, 'PUT', `/entries/${shared}/access/user:gil`, { Role: 'editor' });
  const link = await makeShare(owner, beside);
  hidden.set('the root', root).set('the folder above', above).set('a folder beside', beside);
  hidden.set('a file above', await save(above, 'taken.txt')).set('a file beside', await save(beside, 'taken.txt'));
  hidden.set('what is in the trash', thrown).set('a link', link.Id);
  for (const id of [thrown, mine.trashed]) await trash(owner, id);
}

/** Everything that the guest sees, but for the time of day. */
function toBytes({ status, headers, body }: Answer): string {
  const { date: _, ...rest } = headers;
  return JSON.stringify([status, Object.entries(rest), body.toString('latin1')]);
}

async function ask(way: Way, id: string): Promise<Answer> {
  const { path, ...request } = way.ask(id);
  return await call(guest, path, { ...request, headers: { requesttrackingid: trackingId, ...request.headers } });
}

/** Of all that is not shared, as its owner sees it. */
async function describe(): Promise<unknown> {
  const entries = await Promise.all([...hidden.values()].map((id) => call(owner, `/entries/${id}`)));
  return entries.map(({ status, body }) => [status, body.toString().replace(/"RequestTrackingId":"[^"]*"/, '')]);
}

for (const [route, some] of Object.entries(ways)) {
  test(`${route} says of what is not shared what it says of nothing`, async () => {
    for (const [name, way] of Object.entries(some)) {
      const unknown = await ask(way, unknownId());
      assert.ok(unknown.status >= 400 && unknown.status < 500, `${name}: ${unknown.status}`);
      for (const [what, id] of hidden) {
        assert.equal(toBytes(await ask(way, id)), toBytes(unknown), `${name} reveals ${what}`);
        tried += 1;
      }
    }
  });
}

test('What is not shared is not found by its path, by WebDAV or by a search', async () => {
  const paths = ['/taken', '/taken/beside', '/taken/taken.txt', '/shared/../beside', '/beside', '/taken.txt'];
  const { Spaces } = await get<{ Spaces: { Id: string; Name: string }[] }>(owner, '/spaces');
  const { Id: SpaceId = '', Name = '' } = Spaces[0] ?? {};
  const Authorization = `Bearer ${guest.token}`;
  for (const path of paths) {
    for (const kind of ['folders', 'files']) {
      const answer = await call(guest, `/${kind}?path=${encodeURIComponent(path)}`, { headers: { SpaceId } });
      assert.ok([400, 404].includes(answer.status), `${kind} ${path}: ${answer.status}`);
      tried += 1;
    }
    for (const method of ['GET', 'PROPFIND', 'PUT', 'DELETE', 'MKCOL', 'MOVE']) {
      const headers = { Authorization, Depth: '0', Destination: `${guest.base}/dav/${Name}/shared/x` };
      const answer = await send(guest.base, `/dav/${Name}${path.replace('/shared/..', '')}`, {
        method,
        headers: method === 'PUT' || method === 'MKCOL' ? { Authorization } : headers,
      });
      assert.ok([403, 404, 409].includes(answer.status), `${method} ${path}: ${answer.status}`);
      tried += 1;
    }
  }
  for (const query of ['/search?q=taken', '/search?q=beside', '/changes?from=snapshot', '/trash']) {
    const { status, body } = await call(guest, query, { headers: { SpaceId } });
    assert.equal(status, 200);
    for (const [what, id] of hidden) assert.ok(!body.includes(id), `${query} reveals ${what}`);
    tried += hidden.size;
  }
});

test('None of these attempts changed anything', async (context: TestContext) => {
  const { Children } = await get<{ Children: { Name: string }[] }>(owner, `/folders/${hidden.get('the folder above')}`);
  assert.deepEqual(
    Children.map(({ Name }) => Name),
    ['beside', 'shared', 'taken.txt'],
  );
  const records = (await describe()) as [number, string][];
  const found = records.map(([status]) => status);
  assert.deepEqual(found, [200, 200, 200, 200, 200, 404, 404]);
  assert.ok(records.every(([, text]) => !text.includes('"ModifiedBy":"gil"') && !text.includes('"Version":2')));
  assert.ok(tried >= 500, `${tried} attempts`);
  tally('attempts beyond links and grants', tried);
  context.diagnostic(`${tried} attempts to reach what is not shared failed`);
});
