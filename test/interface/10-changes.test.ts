// Changes feed (docs/contract.md §10.8): every change in order, without gaps or repeats; replaying it from the beginning
// or from a snapshot yields exactly the tree. Other test files write to the same spaces at the same time, so tests compare
// only changes of entries they made. Tests that need silence use Solo: only this file writes to its space.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sized } from '../size.ts';
import { assertRefusal, must } from './assertions.ts';
import { type Caller, call, createFolder, makeFolder, saveFile, signIn, untilOthersAreAnswered } from './client.ts';
import { assertPage, type Change, Follower, inPathOrder, type Page, readChanges, readToEnd } from './follower.ts';
import { askChange, askVersion, change, copy, put, readTree, remove, restore, trash } from './life.ts';
import { writeAtRandom } from './random-changes.ts';

const main = await signIn('Main');
const neighbour = await signIn('Neighbour');
const reader = await signIn('Reader');
const stranger = await signIn('Stranger');
const tester = await signIn('Tester');
const solo = await signIn('Solo');

/** A query for everything that happens from now on. The first page may already have changes that others make meanwhile. */
async function now(caller: Caller): Promise<string> {
  const { Cursor } = await readChanges(caller, 'from=now');
  return toQuery(Cursor);
}

function toQuery(cursor: string): string {
  return `cursor=${encodeURIComponent(cursor)}`;
}

function of(changes: Change[], ...entries: { Id: string }[]): Change[] {
  return changes.filter(({ EntryId }) => entries.some(({ Id }) => Id === EntryId));
}

function assertRising(changes: Change[]): void {
  const positions = changes.filter(({ Action }) => Action !== 'present').map(({ Position }) => Number(Position));
  for (const [index, position] of positions.entries()) {
    assert.ok(index === 0 || position > must(positions[index - 1], 'position'), 'positions do not rise');
  }
}

test('Every kind of change is listed in commit order', async () => {
  const from = await now(main);
  const folder = await makeFolder(main);
  const { File } = await saveFile(main, { FolderId: folder.Id, FileName: 'a' }, 'one');
  await put(neighbour, File.Id, 'two');
  await change(main, File.Id, { Name: 'b', Properties: { x: '1' } });
  await askVersion(main, File.Id, 1, 'restore');
  await askVersion(main, File.Id, 1, { Comment: 'x' });
  await askVersion(main, File.Id, 1, 'DELETE');
  await trash(main, File.Id);
  await restore(main, File.Id);
  const copied = await copy(main, File.Id, { ParentFolderId: folder.Id, Name: 'c' });
  await remove(main, File.Id);
  const { Changes } = await readToEnd(main, from);
  assertRising(Changes);
  assert.deepEqual(
    of(Changes, folder, File).map(({ Action }) => Action),
    [
      'folder.created',
      'file.created',
      'file.saved',
      'entry.changed',
      'version.restored',
      'version.commented',
      'version.removed',
      'entry.trashed',
      'entry.restored',
      'entry.removed',
    ],
  );
  const byNeighbour = of(Changes, File).filter(({ By }) => By === `app:${neighbour.application.Name}`);
  assert.deepEqual(
    byNeighbour.map(({ Action }) => Action),
    ['file.saved'],
  );
  for (const { Entry, ParentFolderId } of of(Changes, File))
    assert.deepEqual([Entry, ParentFolderId], [undefined, undefined]);
  const ofCopy = of(Changes, copied.Entry);
  assert.ok(ofCopy.length > 0, 'the copy is listed');
  for (const { Entry, ParentFolderId } of ofCopy) assert.deepEqual([Entry, ParentFolderId], [copied.Entry, folder.Id]);
});

test('from=now skips all earlier changes', async () => {
  const folder = await makeFolder(main);
  const { Changes, Cursor } = await readChanges(main, 'from=now&limit=1000');
  const { Changes: later } = await readToEnd(main, toQuery(Cursor));
  assert.deepEqual(of([...Changes, ...later], folder), []);
  await makeFolder(solo);
  assert.deepEqual((await readChanges(solo, 'from=now')).Changes, []);
});

test('No-op updates are not listed', async () => {
  const folder = await makeFolder(main);
  const { File } = await saveFile(main, { FolderId: folder.Id, FileName: 'a' }, 'one');
  const from = await now(main);
  await saveFile(main, { FolderId: folder.Id, FileName: 'a' }, 'one');
  await change(main, File.Id, { Name: 'a', Properties: {} });
  await askVersion(main, File.Id, 1, 'restore');
  await askChange(main, folder.Id, { ParentFolderId: folder.Id });
  await call(main, `/files/${File.Id}/content`);
  const { Changes } = await readToEnd(main, from);
  assert.deepEqual(of(Changes, folder, File), []);
});

test('Entries in the trash are listed as trashed, without a parent', async () => {
  const folder = await makeFolder(main);
  const inner = await createFolder(main, folder.Id, 'inner');
  const from = await now(main);
  await trash(main, inner.Id);
  const [change, ...more] = of((await readToEnd(main, from)).Changes, inner);
  assert.deepEqual(more, []);
  assert.deepEqual([change?.Action, change?.Trashed, change?.ParentFolderId], ['entry.trashed', true, undefined]);
  await restore(main, inner.Id);
  const changes = of((await readToEnd(main, from)).Changes, inner);
  assert.deepEqual(
    changes.map(({ Action }) => Action),
    ['entry.trashed', 'entry.restored'],
  );
  for (const { ParentFolderId, Trashed } of changes)
    assert.deepEqual([ParentFolderId, Trashed ?? false], [folder.Id, false]);
});

test('Pages of every size list the same changes, also when repeated', async () => {
  const from = await now(solo);
  const folder = await makeFolder(solo);
  for (let index = 0; index < 9; index += 1) await createFolder(solo, folder.Id, `${index}`);
  const whole = await readToEnd(solo, from);
  assert.equal(whole.Changes.length, 10);
  for (const limit of [1, 2, 3, 7, 1000]) {
    assert.deepEqual((await readToEnd(solo, from, limit)).Changes, whole.Changes);
  }
  const end = await readChanges(solo, toQuery(whole.Cursor));
  assert.deepEqual(end.Changes, []);
  assert.deepEqual((await readChanges(solo, toQuery(end.Cursor))).Changes, []);
});

test('A follower misses nothing and gets nothing twice while many clients write', async () => {
  const from = await now(main);
  const folder = await makeFolder(main);
  let isOver = false;
  const following = (async () => {
    const heard: Change[] = [];
    let page: Page = await readChanges(main, `${from}&limit=7`);
    for (;;) {
      heard.push(...page.Changes);
      if (isOver && page.Changes.length === 0) return heard;
      page = await readChanges(main, `${toQuery(page.Cursor)}&limit=7&wait=${isOver ? 0 : 1}`);
    }
  })();
  const written = await Promise.all(
    Array.from({ length: sized(8, 16) }, async (_, writer) => {
      const caller = writer % 2 === 0 ? main : neighbour;
      const ids: string[] = [];
      for (let index = 0; index < sized(9, 12); index += 1) {
        const name = `${writer}-${index}`;
        if (index % 3 === 0) ids.push((await createFolder(caller, folder.Id, name)).Id);
        else {
          const at = { FolderId: folder.Id, FileName: name, Prefer: 'return=minimal' };
          ids.push((await saveFile(caller, at, index % 3 === 1 ? name : 'x'.repeat(70_000))).File.Id);
        }
      }
      return ids;
    }),
  );
  isOver = true;
  const heard = await following;
  assertRising(heard);
  const created = heard.filter(({ Action }) => Action === 'folder.created' || Action === 'file.created');
  const ids = created.map(({ EntryId }) => EntryId);
  for (const id of written.flat()) assert.equal(ids.filter((other) => other === id).length, 1);
  const again = (await readToEnd(main, from)).Changes.slice(0, heard.length);
  assert.deepEqual(
    again.map(({ Position }) => Position),
    heard.map(({ Position }) => Position),
  );
});

test('A long poll is answered as soon as there is a change', async () => {
  for (let round = 0; round < 3; round += 1) {
    const from = await now(solo);
    const begun = Date.now();
    const polling = call(solo, `/changes?${from}&wait=30`);
    await untilOthersAreAnswered(solo);
    const folder = await makeFolder(solo);
    const { Changes } = assertPage(await polling);
    const tookMs = Date.now() - begun;
    assert.ok(tookMs < 27_000, `it took ${tookMs} ms`);
    assert.deepEqual(
      Changes.map(({ EntryId }) => EntryId),
      [folder.Id],
    );
  }
});

test('A long poll that is behind is answered at once', async () => {
  for (const caller of [tester, solo]) {
    const from = await now(caller);
    await makeFolder(caller);
    const begun = Date.now();
    assert.ok((await readChanges(caller, `${from}&wait=30`)).Changes.length > 0);
    assert.ok(Date.now() - begun < 27_000);
  }
});

test('A long poll without a change ends after its wait', async () => {
  const from = await now(solo);
  const begun = Date.now();
  const { Changes, Cursor } = await readChanges(solo, `${from}&wait=2`);
  const tookMs = Date.now() - begun;
  assert.deepEqual(Changes, []);
  assert.ok(tookMs >= 1900 && tookMs < 20_000, `it took ${tookMs} ms`);
  const folder = await makeFolder(solo);
  const next = await readToEnd(solo, toQuery(Cursor));
  assert.deepEqual(
    next.Changes.map(({ EntryId }) => EntryId),
    [folder.Id],
  );
});

test('A long poll does not end for changes of another space', async () => {
  const from = await now(solo);
  const polling = readChanges(solo, `${from}&wait=1`);
  await makeFolder(main);
  assert.deepEqual((await polling).Changes, []);
});

test('Concurrent long polls are all answered with the change', async () => {
  const from = await now(solo);
  const polls = Array.from({ length: 30 }, () => readChanges(solo, `${from}&wait=30&limit=1000`));
  await untilOthersAreAnswered(solo);
  const folder = await makeFolder(solo);
  for (const { Changes } of await Promise.all(polls)) {
    assert.deepEqual(
      Changes.map(({ EntryId }) => EntryId),
      [folder.Id],
    );
  }
});

test('content.read is sufficient to follow the changes of others', async () => {
  const from = await now(reader);
  const folder = await makeFolder(main);
  assert.equal(of((await readToEnd(reader, `${from}&wait=10`)).Changes, folder).length, 1);
});

test('Invalid values of wait, from and limit are 400 InvalidField', async () => {
  for (const query of [
    'wait=61',
    'wait=-1',
    'wait=x',
    'wait=',
    'wait=1.5',
    'from=then',
    'from=',
    'limit=0',
    'limit=1001',
    'limit=abc',
  ]) {
    assertRefusal(await call(main, `/changes?${query}`), 400, 'InvalidField');
  }
});

test('An altered cursor, or one of another list or space, is 400 InvalidCursor', async () => {
  const { Cursor } = await readChanges(main, 'from=now');
  const { Cursor: snapshot } = await readChanges(main, 'from=snapshot&limit=1');
  const folder = await makeFolder(main);
  for (const name of ['a', 'b']) await createFolder(main, folder.Id, name);
  const { link } = (await call(main, `/folders/${folder.Id}?limit=1`)).headers;
  const other = must(/cursor=([^&>]+)/.exec(String(link))?.[1], 'cursor');
  for (const cursor of ['x', '', 'AAAA', '0', '1', other]) {
    assertRefusal(await call(main, `/changes?cursor=${cursor}`), 400, 'InvalidCursor');
  }
  for (const [from, right] of [Cursor, snapshot].entries()) {
    // Every second character of the one, the others of the other.
    for (let at = from; at < right.length - 1; at += 2) {
      const edited = right.slice(0, at) + (right[at] === 'A' ? 'B' : 'A') + right.slice(at + 1);
      assertRefusal(await call(main, `/changes?cursor=${encodeURIComponent(edited)}`), 400, 'InvalidCursor');
    }
    assertRefusal(await call(stranger, `/changes?cursor=${encodeURIComponent(right)}`), 400, 'InvalidCursor');
    assert.equal((await call(neighbour, `/changes?cursor=${encodeURIComponent(right)}`)).status, 200);
  }
});

test('Changes of one space are not listed in another', async () => {
  const from = await now(stranger);
  const folder = await makeFolder(main);
  const { File } = await saveFile(main, { FolderId: folder.Id, FileName: 'a' }, 'x');
  const theirs = await makeFolder(stranger);
  const { Changes } = await readToEnd(stranger, from);
  assert.deepEqual(of(Changes, folder, File), []);
  assert.equal(of(Changes, theirs).length, 1);
});

const rounds = sized(1, 3);

test('Replaying the feed from the beginning yields exactly the tree', async () => {
  for (let round = 1; round <= rounds; round += 1) {
    const top = await makeFolder(main);
    const writers = [1, 2, 3, 4].map((writer) =>
      writeAtRandom(writer % 2 === 0 ? main : neighbour, top, round * 10 + writer, 60),
    );
    await Promise.all(writers);
    const { Changes } = await readToEnd(main, '');
    assertRising(Changes);
    const replayed = new Follower().apply(Changes).toTree(top.Id);
    assert.deepEqual(inPathOrder(replayed), inPathOrder(await readTree(main, top.Id)));
    assert.ok(replayed.size > 10, `only ${replayed.size} entries were left to compare`);
  }
});

test('Replaying from a snapshot taken while many clients write yields exactly the tree', async () => {
  for (let round = 1; round <= rounds; round += 1) {
    const top = await makeFolder(main);
    await Promise.all([1, 2].map((writer) => writeAtRandom(main, top, round * 100 + writer, 30)));
    const writing = Promise.all([3, 4, 5].map((writer) => writeAtRandom(neighbour, top, round * 100 + writer, 60)));
    const follower = new Follower();
    let page = await readChanges(main, 'from=snapshot&limit=20');
    for (let pages = 0; pages < 40; pages += 1) {
      follower.apply(page.Changes);
      page = await readChanges(main, `${toQuery(page.Cursor)}&limit=20`);
    }
    await writing;
    follower.apply(page.Changes);
    follower.apply((await readToEnd(main, toQuery(page.Cursor))).Changes);
    assert.deepEqual(inPathOrder(follower.toTree(top.Id)), inPathOrder(await readTree(main, top.Id)));
  }
});

test('A snapshot lists the tree as present, then continues with the changes', async () => {
  const folder = await makeFolder(main);
  const inner = await createFolder(main, folder.Id, 'inner');
  const { File } = await saveFile(main, { FolderId: inner.Id, FileName: 'file' }, 'x');
  const { Changes, Cursor } = await readToEnd(main, 'from=snapshot');
  const present = of(Changes, folder, inner, File);
  assert.equal(present.filter(({ Action }) => Action === 'present').length, 3);
  assert.equal(present.find(({ EntryId }) => EntryId === File.Id)?.ParentFolderId, inner.Id);
  await change(main, File.Id, { Name: 'renamed' });
  const next = await readToEnd(main, toQuery(Cursor));
  assert.deepEqual(
    of(next.Changes, File).map(({ Action }) => Action),
    ['entry.changed'],
  );
});
