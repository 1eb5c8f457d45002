// Spaces (docs/contract.md §5.4): applications of one space share one tree, and entries of another space return exactly,
// byte for byte, what unknown ids return.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { assertEnvelope, assertRefusal } from './assertions.ts';
import {
  type Answer,
  call,
  createFolder,
  listFolder,
  makeFolder,
  postFile,
  postFolder,
  saveFile,
  signIn,
} from './client.ts';

const main = await signIn('Main');
const neighbour = await signIn('Neighbour');
const stranger = await signIn('Stranger');

test('Applications of one space see and change the same tree', async () => {
  assert.equal(neighbour.application.RootFolderId, main.application.RootFolderId);
  const folder = await makeFolder(main);
  const inner = await createFolder(neighbour, folder.Id, 'inner');
  assert.deepEqual(await listFolder(main, folder.Id), [inner]);
  assert.equal(inner.CreatedBy, `app:${neighbour.application.Name}`);
});

test('Each space has its own root', async () => {
  assert.notEqual(stranger.application.RootFolderId, main.application.RootFolderId);
  const { Folder } = assertEnvelope(await call(stranger, '/folders/-root-?limit=1'));
  assert.equal(Folder.Id, stranger.application.RootFolderId);
});

test('The same name is free in another space', async () => {
  const folder = await makeFolder(main);
  const other = await createFolder(stranger, '-root-', folder.Name);
  assert.notEqual(other.Id, folder.Id);
});

test('Unknown, malformed and foreign ids are 404 FolderNotFound in the same bytes', async () => {
  const folder = await makeFolder(main);
  const { File } = await saveFile(main, { FolderId: folder.Id, FileName: 'a' }, 'a');
  const foreign = [folder.Id, File.Id, main.application.RootFolderId];
  const unknown = [
    '01890a5d-ac96-774b-bcce-b302099a8057',
    randomUUID(),
    'x',
    '0',
    '../..',
    "' OR 1=1 --",
    '-ROOT-',
    '*',
  ];
  const tracked = { requesttrackingid: randomUUID() };
  const ways: ((id: string) => Promise<Answer>)[] = [
    (id) => postFolder(stranger, { ParentFolderId: id, FolderName: 'x' }, tracked),
    (id) => postFile(stranger, { FolderId: id, FileName: 'x', ...tracked }, 'x'),
    (id) => call(stranger, `/folders/${encodeURIComponent(id)}`, { headers: tracked }),
  ];
  for (const ask of ways) {
    const answers: Answer[] = [];
    for (const id of [...foreign, ...unknown]) answers.push(await ask(id));
    for (const answer of answers) assertRefusal(answer, 404, 'FolderNotFound');
    assert.equal(new Set(answers.map(({ body }) => body.toString())).size, 1, 'the bodies tell the cases apart');
    const headerNames = answers.map(({ headers }) => Object.keys(headers).sort().join());
    assert.equal(new Set(headerNames).size, 1, 'the headers tell the cases apart');
  }
  assert.deepEqual(await listFolder(main, folder.Id), [File]);
});

test('A file of another space is 404 like an unknown one', async () => {
  const folder = await makeFolder(main);
  const { File } = await saveFile(main, { FolderId: folder.Id, FileName: 'a' }, 'a');
  const headers = { requesttrackingid: randomUUID() };
  const foreign = await call(stranger, `/files/${File.Id}/content`, { headers });
  const unknown = await call(stranger, `/files/${randomUUID()}/content`, { headers });
  assertRefusal(foreign, 404, /^(File|Entry)NotFound$/);
  assert.deepEqual([unknown.status, unknown.body.toString()], [foreign.status, foreign.body.toString()]);
});

test('A 404 has a hint, and trashed entries answer like unknown ones', async () => {
  const folder = await makeFolder(main);
  const trashed = await createFolder(main, folder.Id, 'trashed');
  assert.equal((await call(main, `/entries/${trashed.Id}`, { method: 'DELETE' })).status, 200);
  const headers = { requesttrackingid: randomUUID() };
  const ways: [string, (id: string) => Promise<Answer>][] = [
    ['FolderNotFound', (id) => postFolder(main, { ParentFolderId: id, FolderName: 'x' }, headers)],
    ['FolderNotFound', (id) => postFolder(main, { ParentFolderId: id, RelativePath: 'x/y' }, headers)],
    ['FolderNotFound', (id) => postFile(main, { FolderId: id, FileName: 'x', ...headers }, 'x')],
    ['FolderNotFound', (id) => call(main, `/folders/${id}`, { headers })],
    ['FileNotFound', (id) => call(main, `/files/${id}/content`, { headers })],
    ['EntryNotFound', (id) => call(main, `/entries/${id}`, { headers })],
    ['EntryNotFound', (id) => call(main, `/entries/${id}`, { method: 'PATCH', headers, body: '{"Name":"x"}' })],
  ];
  for (const [code, ask] of ways) {
    const [first, ...others] = await Promise.all([trashed.Id, randomUUID(), 'malformed'].map(ask));
    assert.match(assertRefusal(first as Answer, 404, code).Hint ?? '', /id/);
    for (const other of others) assert.equal(other.body.toString(), first?.body.toString());
  }
});
