// Move an entry (docs/contract.md §10.4): whole trees, no cycles, no tree too deep, and the sizes of all folders follow.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sized } from '../size.ts';
import { assertEnvelope, assertRefusal, type Entry, must } from './assertions.ts';
import {
  call,
  createFolder,
  download,
  listFolder,
  makeDeep,
  makeFolder,
  postFolder,
  readFolder,
  saveFile,
  signIn,
} from './client.ts';
import { askChange, change, readTree, remove, show, trash } from './life.ts';

const main = await signIn('Main');
const neighbour = await signIn('Neighbour');
const stranger = await signIn('Stranger');
const MAX_LEVELS = 100;

async function sizeOf({ Id }: { Id: string }): Promise<number> {
  return (await readFolder(main, Id, '?limit=1')).Folder.Size;
}

/** top/{left/{low/{file (5)}, beside (3)}, right} */
async function makeTree() {
  const top = await makeFolder(main);
  const left = await createFolder(main, top.Id, 'left');
  const right = await createFolder(main, top.Id, 'right');
  const low = await createFolder(main, left.Id, 'low');
  const { File: file } = await saveFile(main, { FolderId: low.Id, FileName: 'file' }, '12345');
  const { File: beside } = await saveFile(main, { FolderId: left.Id, FileName: 'beside' }, '123');
  return { top, left, right, low, file, beside };
}

test('A moved tree is complete at its new place, with the same ids, and sizes follow', async () => {
  const { top, left, right, low, file } = await makeTree();
  const beneath = await readTree(main, left.Id);
  const { Entry, Path } = await change(neighbour, left.Id, { ParentFolderId: right.Id });
  assert.equal(Path, `/${top.Name}/right/left`);
  assert.deepEqual([Entry.Id, Entry.Size, Entry.ModifiedBy], [left.Id, 8, `app:${neighbour.application.Name}`]);
  assert.deepEqual(await readTree(main, left.Id), beneath, 'what is beneath did not change');
  assert.deepEqual(await Promise.all([top, left, right, low].map(sizeOf)), [8, 8, 8, 5]);
  assert.equal((await show(main, file.Id)).Path, `/${top.Name}/right/left/low/file`);
  assert.equal((await download(main, file.Id)).toString(), '12345');
  assert.deepEqual(
    (await listFolder(main, top.Id)).map(({ Name }) => Name),
    ['right'],
  );
  assertRefusal(await call(main, `/folders?path=/${top.Name}/left`), 404, 'FolderNotFound');
  assert.equal(assertEnvelope(await call(main, `/folders?path=/${top.Name}/right/left`)).Folder.Id, left.Id);
});

test('A move keeps the ETags of entries beneath it and of both parent folders', async () => {
  const { left, right, low, file, top } = await makeTree();
  const others = [right, low, file, top];
  const before = await Promise.all(others.map(async ({ Id }) => (await show(main, Id)).ETag));
  const { ETag } = await show(main, left.Id);
  const moved = await change(main, left.Id, { ParentFolderId: right.Id });
  assert.notEqual(moved.ETag, ETag);
  assert.deepEqual(await Promise.all(others.map(async ({ Id }) => (await show(main, Id)).ETag)), before);
});

test('Sizes are exact at every level after moves up, down and across', async () => {
  const { top, left, right, low, file } = await makeTree();
  const sizes = () => Promise.all([top, left, right, low].map(sizeOf));
  await change(main, file.Id, { ParentFolderId: right.Id });
  assert.deepEqual(await sizes(), [8, 3, 5, 0]);
  await change(main, file.Id, { ParentFolderId: top.Id });
  assert.deepEqual(await sizes(), [8, 3, 0, 0]);
  await change(main, right.Id, { ParentFolderId: low.Id });
  await change(main, file.Id, { ParentFolderId: right.Id });
  assert.deepEqual(await sizes(), [8, 8, 5, 5]);
  const other = await makeFolder(main);
  await change(main, low.Id, { ParentFolderId: other.Id });
  assert.deepEqual([...(await sizes()), await sizeOf(other)], [3, 3, 5, 5, 5]);
  await saveFile(main, { FolderId: right.Id, FileName: 'file' }, '1234567');
  assert.deepEqual([...(await sizes()), await sizeOf(other)], [3, 3, 7, 7, 7]);
});

test('-root- as the target means the root', async () => {
  const { file } = await makeTree();
  const name = `moved-${randomUUID()}`;
  const { Path } = await change(main, file.Id, { ParentFolderId: '-root-', Name: name });
  assert.equal(Path, `/${name}`);
  const there = await change(main, file.Id, { ParentFolderId: main.application.RootFolderId });
  assert.equal(there.Path, `/${name}`);
});

test('Moving a folder into itself or beneath itself is 400 InvalidMove, and nothing moves', async () => {
  const { top, left, low } = await makeTree();
  const before = await readTree(main, top.Id);
  for (const [what, target] of [
    [left, left],
    [left, low],
    [low, low],
  ] as const) {
    for (const more of [{}, { Name: 'other' }, { ConflictBehavior: 'Rename' }]) {
      assertRefusal(await askChange(main, what.Id, { ParentFolderId: target.Id, ...more }), 400, 'InvalidMove');
    }
  }
  assert.deepEqual(await readTree(main, top.Id), before);
});

test('Concurrent crossing moves never create a cycle', async () => {
  for (let round = 0; round < sized(4, 10); round += 1) {
    const top = await makeFolder(main);
    const all = await Promise.all(['a', 'b', 'c', 'd'].map((name) => createFolder(main, top.Id, name)));
    const answers = await Promise.all(
      all.flatMap((what) =>
        all
          .filter((target) => target !== what)
          .map((target) => askChange(main, what.Id, { ParentFolderId: target.Id })),
      ),
    );
    for (const answer of answers) if (answer.status !== 200) assertRefusal(answer, 400, 'InvalidMove');
    const found = [...(await readTree(main, top.Id)).values()].map(({ Id }) => Id);
    assert.deepEqual(found.sort(), all.map(({ Id }) => Id).sort());
  }
});

test('Moving into a file is 400 NotAFolder', async () => {
  const { low, file, beside } = await makeTree();
  assertRefusal(await askChange(main, low.Id, { ParentFolderId: beside.Id }), 400, 'NotAFolder');
  assertRefusal(await askChange(main, file.Id, { ParentFolderId: beside.Id }), 400, 'NotAFolder');
  assertRefusal(await askChange(main, file.Id, { ParentFolderId: file.Id }), 400, /^(NotAFolder|InvalidMove)$/);
});

test('Moving into an unknown, trashed, deleted or foreign folder, or beneath a trashed one, is 404 with the same bytes', async () => {
  const { left, right, low, file, beside } = await makeTree();
  const gone = await makeFolder(main);
  await remove(main, gone.Id);
  const foreign = await makeFolder(stranger);
  await change(main, beside.Id, { ParentFolderId: right.Id });
  await change(main, file.Id, { ParentFolderId: right.Id });
  await trash(main, left.Id);
  const bodies = new Set<string>();
  const targets = [randomUUID(), 'x', '../..', '-trash-', '-hidden-', left.Id, low.Id, gone.Id, foreign.Id];
  for (const ParentFolderId of targets) {
    const tracked = { requesttrackingid: '11111111-1111-4111-8111-111111111111' };
    const answer = await askChange(main, file.Id, { ParentFolderId }, tracked);
    assertRefusal(answer, 404, 'FolderNotFound');
    bodies.add(answer.body.toString());
  }
  assert.equal(bodies.size, 1);
  assert.equal((await listFolder(main, right.Id)).length, 2);
});

test('A taken name at the target is 400 NameAlreadyExists; Rename or another Name resolves it', async () => {
  const { top, left, right, file } = await makeTree();
  const { File: taken } = await saveFile(main, { FolderId: right.Id, FileName: 'file' }, 'x');
  const answer = await askChange(main, file.Id, { ParentFolderId: right.Id });
  assert.deepEqual(assertRefusal(answer, 400, 'NameAlreadyExists').Conflicts, [taken]);
  const named = await change(main, file.Id, { ParentFolderId: right.Id, Name: 'file.txt' });
  assert.equal(named.Path, `/${top.Name}/right/file.txt`);
  await change(main, file.Id, { ParentFolderId: left.Id, Name: 'file' });
  const renamed = await change(main, file.Id, { ParentFolderId: right.Id }, { ConflictBehavior: 'Rename' });
  assert.equal(renamed.Entry.Name, 'file (2)');
  assert.equal(await sizeOf(right), 6);
});

/** A folder at each level; gives the ids of the first and of the last four. */
async function makeChain(): Promise<(level: 1 | 97 | 98 | 99 | 100) => string> {
  const first = await makeFolder(main);
  const at97 = await makeDeep(main, first.Id, 96);
  const at98 = await createFolder(main, at97.Id, 'level 98');
  const at99 = await createFolder(main, at98.Id, 'level 99');
  const at100 = await createFolder(main, at99.Id, 'level 100');
  const ids = { 1: first.Id, 97: at97.Id, 98: at98.Id, 99: at99.Id, 100: at100.Id };
  return (level) => ids[level];
}

test('A tree can be moved down to where its deepest folder is at level 100, and no deeper', async () => {
  const at = await makeChain();
  const tree = await makeFolder(main);
  const inner = await createFolder(main, tree.Id, 'inner');
  const wide = await createFolder(main, tree.Id, 'wide');
  const deep = await createFolder(main, inner.Id, 'deep');
  await saveFile(main, { FolderId: deep.Id, FileName: 'a' }, '123');
  for (const level of [100, 99, 98] as const) {
    assertRefusal(await askChange(main, tree.Id, { ParentFolderId: at(level) }), 400, 'TooDeep');
  }
  assert.equal(await sizeOf({ Id: at(1) }), 0);
  await change(main, tree.Id, { ParentFolderId: at(97) });
  assert.equal(await sizeOf({ Id: at(1) }), 3);
  assert.equal((await show(main, deep.Id)).Path.split('/').length - 1, MAX_LEVELS);
  assertRefusal(await postFolder(main, { ParentFolderId: deep.Id, FolderName: 'x' }), 400, 'TooDeep');
  await createFolder(main, wide.Id, 'as deep as deep');
  assertRefusal(await askChange(main, wide.Id, { ParentFolderId: inner.Id }), 400, 'TooDeep');
  const { File } = await saveFile(main, { FolderId: deep.Id, FileName: 'b' }, 'a file is at home at every level');
  await change(main, File.Id, { ParentFolderId: wide.Id });
});

test('A tree that was deep before can be moved by its present depth', async () => {
  const at = await makeChain();
  const cut: ((entry: Entry) => Promise<unknown>)[] = [
    (entry) => trash(main, entry.Id),
    (entry) => remove(main, entry.Id),
    async (entry) => change(main, entry.Id, { ParentFolderId: (await makeFolder(main)).Id }),
  ];
  for (const cutOff of cut) {
    const top = await makeFolder(main);
    const deep = await createFolder(main, (await createFolder(main, top.Id, 'a')).Id, 'b');
    assertRefusal(await askChange(main, top.Id, { ParentFolderId: at(98) }), 400, 'TooDeep');
    await cutOff(deep);
    await change(main, top.Id, { ParentFolderId: at(98) });
  }
});

test('Folder sizes are exact after many concurrent moves and saves in a tree', async () => {
  const top = await makeFolder(main);
  const places = await Promise.all(['a', 'b', 'c', 'd'].map((name) => createFolder(main, top.Id, name)));
  const files = await Promise.all(
    Array.from({ length: 25 }, async (_, index) => {
      const FolderId = must(places[index % 4], 'place').Id;
      return (await saveFile(main, { FolderId, FileName: `file ${index}` }, 'x'.repeat(index + 1))).File;
    }),
  );
  const moves = sized(80, 200);
  await Promise.all(
    Array.from({ length: moves }, (_, index) => {
      const place = must(places[(index * 7) % 4], 'place');
      if (index % 10 === 9) return askChange(main, place.Id, { ParentFolderId: must(places[index % 3], 'place').Id });
      if (index % 10 === 8) return askChange(main, place.Id, { ParentFolderId: top.Id });
      if (index % 10 === 7) return saveFile(main, { FolderId: place.Id, FileName: `new ${index}` }, 'x'.repeat(index));
      return askChange(main, must(files[index % 25], 'file').Id, { ParentFolderId: place.Id });
    }),
  );
  const tree = await readTree(main, top.Id);
  for (const [path, entry] of tree) {
    if (entry.Type !== 'folder') continue;
    const beneath = [...tree].filter(([other, { Type }]) => Type === 'file' && other.startsWith(`${path}/`));
    assert.equal(
      entry.Size,
      beneath.reduce((sum, [, { Size }]) => sum + Size, 0),
      path,
    );
  }
  const all = [...tree.values()].filter(({ Type }) => Type === 'file');
  assert.equal(all.length, files.length + moves / 10);
  assert.equal(
    await sizeOf(top),
    all.reduce((sum, { Size }) => sum + Size, 0),
  );
});
