// Concurrent requests on one name or in one tree (docs/contract.md §9.1): exactly one wins, nothing is lost, sizes are exact.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertEnvelope, assertRefusal, must } from './assertions.ts';
import {
  type Answer,
  createFolder,
  download,
  listFolder,
  makeFolder,
  postFile,
  postFolder,
  readFolder,
  saveFile,
  signIn,
  toSaved,
} from './client.ts';

const main = await signIn('Main');
const neighbour = await signIn('Neighbour');
const CROWD = 50;

/** CROWD requests at once, from two applications of the space in turn. */
function crowd<T>(ask: (index: number, caller: typeof main) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: CROWD }, (_, index) => ask(index, index % 2 === 0 ? main : neighbour)));
}

function split(answers: Answer[]): { won: Answer[]; lost: Answer[] } {
  return { won: answers.filter(({ status }) => status === 200), lost: answers.filter(({ status }) => status !== 200) };
}

test('Of 50 concurrent creations of one folder one succeeds and the others get NameAlreadyExists', async () => {
  const parent = await makeFolder(main);
  const spellings = ['Gemäß', 'Gema\u0308ß'];
  const answers = await crowd((index, caller) =>
    postFolder(caller, { ParentFolderId: parent.Id, FolderName: must(spellings[index % 2], 'spelling') }),
  );
  const { won, lost } = split(answers);
  assert.equal(won.length, 1);
  const { Folder } = assertEnvelope(must(won[0], 'winner'));
  for (const answer of lost) {
    assert.deepEqual(assertRefusal(answer, 400, 'NameAlreadyExists').Conflicts, [Folder]);
  }
  assert.deepEqual(await listFolder(main, parent.Id), [Folder]);
});

test('50 concurrent creations with Existing all get one folder', async () => {
  const parent = await makeFolder(main);
  const fields = { ParentFolderId: parent.Id, FolderName: 'a', ConflictBehavior: 'Existing' };
  const answers = await crowd((_, caller) => postFolder(caller, fields));
  const ids = new Set(answers.map((answer) => assertEnvelope(answer).Folder.Id));
  assert.equal(ids.size, 1);
  assert.equal((await listFolder(main, parent.Id)).length, 1);
});

test('Of 50 concurrent saves with Fail one succeeds and its bytes stay', async () => {
  const folder = await makeFolder(main);
  const at = { FolderId: folder.Id, FileName: 'a', ConflictBehavior: 'Fail' };
  const answers = await crowd((index, caller) => postFile(caller, at, `bytes ${index}`));
  const { won, lost } = split(answers);
  assert.equal(won.length, 1);
  const { File } = toSaved(must(won[0], 'winner'));
  for (const answer of lost) assertRefusal(answer, 400, 'NameAlreadyExists');
  assert.deepEqual(await listFolder(main, folder.Id), [File]);
  assert.equal(
    (await download(main, File.Id)).toString(),
    `bytes ${answers.findIndex(({ status }) => status === 200)}`,
  );
});

test('50 concurrent saves with Rename each get their own name and bytes', async () => {
  const folder = await makeFolder(main);
  const at = { FolderId: folder.Id, FileName: 'a.pdf', ConflictBehavior: 'Rename' };
  const files = await crowd(async (index, caller) => (await saveFile(caller, at, `bytes ${index}`)).File);
  assert.equal(new Set(files.map(({ Id }) => Id)).size, CROWD);
  assert.equal(new Set(files.map(({ Name }) => Name)).size, CROWD);
  for (const { Name } of files) assert.match(Name, /^a( \(\d+\))?\.pdf$/);
  for (const [index, { Id }] of files.entries()) {
    assert.equal((await download(main, Id)).toString(), `bytes ${index}`);
  }
  assert.equal((await listFolder(main, folder.Id)).length, CROWD);
});

test('50 concurrent saves of one name make versions of one file, with the size of the last', async () => {
  const folder = await makeFolder(main);
  const at = { FolderId: folder.Id, FileName: 'a' };
  const bytes = (index: number): string => `${index}`.repeat(index % 5 === 0 ? 70_000 : index + 1);
  const files = await crowd(async (index, caller) => (await saveFile(caller, at, bytes(index))).File);
  assert.equal(new Set(files.map(({ Id }) => Id)).size, 1);
  const { Folder, Children } = await readFolder(main, folder.Id);
  assert.equal(Children.length, 1);
  const last = must(Children[0], 'file');
  const content = (await download(main, last.Id)).toString();
  assert.ok(
    files.some((_, index) => bytes(index) === content),
    'the content is of no save',
  );
  assert.deepEqual([last.Size, Folder.Size], [content.length, content.length]);
});

test('A folder and a file that race for a name never share it', async () => {
  const parent = await makeFolder(main);
  const answers = await crowd((index, caller) =>
    index % 4 < 2
      ? postFolder(caller, { ParentFolderId: parent.Id, FolderName: 'a' })
      : postFile(caller, { FolderId: parent.Id, FileName: 'a' }, 'x'),
  );
  for (const answer of split(answers).lost) assertRefusal(answer, 400, 'NameAlreadyExists');
  const [entry, ...others] = await listFolder(main, parent.Id);
  assert.deepEqual(others, []);
  const winners = new Set(split(answers).won.map(({ headers }) => headers.entryid));
  assert.deepEqual([...winners], [entry?.Id]);
});

test('Folder sizes are exact after concurrent saves in a tree', async () => {
  const top = await makeFolder(main);
  const left = await createFolder(main, top.Id, 'left');
  const right = await createFolder(main, top.Id, 'right');
  const low = await createFolder(main, left.Id, 'low');
  const places = [top, left, right, low];
  await crowd((index, caller) => {
    const place = must(places[index % 4], 'place');
    const bytes = Buffer.alloc(index % 7 === 0 ? 70_000 + index : index * 10, 'x');
    return saveFile(caller, { FolderId: place.Id, FileName: `file ${index % 9}` }, bytes);
  });
  const totals = new Map<string, number>();
  for (const { Id } of places) {
    const files = (await listFolder(main, Id)).filter(({ Type }) => Type === 'file');
    totals.set(
      Id,
      files.reduce((sum, { Size }) => sum + Size, 0),
    );
  }
  const total = (...beneath: { Id: string }[]): number =>
    beneath.reduce((sum, { Id }) => sum + (totals.get(Id) ?? 0), 0);
  const sizeOf = async ({ Id }: { Id: string }): Promise<number> => (await readFolder(main, Id)).Folder.Size;
  assert.ok(total(...places) > 0);
  assert.equal(await sizeOf(top), total(...places));
  assert.equal(await sizeOf(left), total(left, low));
  assert.equal(await sizeOf(right), total(right));
  assert.equal(await sizeOf(low), total(low));
});

test('Every response to concurrent saves shows a folder with at least the saved file', async () => {
  const folder = await makeFolder(main);
  const saves = await crowd((index, caller) => saveFile(caller, { FolderId: folder.Id, FileName: `${index}` }, 'xx'));
  for (const { Folder, Children } of saves) {
    assert.equal(Folder.Size, 2 * Children.length, 'the size and the children are of different moments');
  }
  assert.equal((await readFolder(main, folder.Id)).Folder.Size, 2 * CROWD);
});
