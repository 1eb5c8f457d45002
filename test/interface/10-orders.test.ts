// List a folder (docs/contract.md §10.2): the six orders, and cursors that stay valid while the folder changes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertEnvelope, assertRefusal, type Entry, must } from './assertions.ts';
import { type Answer, call, createFolder, identity, makeFolder, saveFile, send, signIn, untilLater } from './client.ts';
import { askChange, askTrash, change, listPages, readNext, remove, trash } from './life.ts';
import { inOrder, ORDERS, type Order } from './order.ts';

const main = await signIn('Main');
const neighbour = await signIn('Neighbour');
const stranger = await signIn('Stranger');

function toNames(entries: Entry[]): string[] {
  return entries.map(({ Name }) => Name);
}

/** Names, sizes and times in orders that differ, with ties in sizes and times. */
async function fill(): Promise<Entry> {
  const folder = await makeFolder(main);
  const names = ['c', 'a', 'Z', 'é', 'e\u0301x', 'b', '10', '9', '漢', '😀'];
  await Promise.all(names.map((name) => createFolder(main, folder.Id, `folder ${name}`)));
  await Promise.all(
    names.map((name, index) => saveFile(main, { FolderId: folder.Id, FileName: name }, 'x'.repeat(index % 4))),
  );
  const inner = await createFolder(main, folder.Id, 'folder with bytes');
  await saveFile(main, { FolderId: inner.Id, FileName: 'x' }, 'x'.repeat(50));
  await untilLater();
  await saveFile(main, { FolderId: folder.Id, FileName: 'c' }, 'changed later');
  return folder;
}

/** One that is only read, for all tests that change nothing. */
let filled: Promise<Entry> | null = null;

function readFilled(): Promise<Entry> {
  filled ??= fill();
  return filled;
}

/** Thirty files of one size, made at once, in the order in which they were made. */
let equals: Promise<{ folder: Entry; files: Entry[] }> | null = null;

async function makeEquals(): Promise<{ folder: Entry; files: Entry[] }> {
  const folder = await makeFolder(main);
  const names = Array.from({ length: 30 }, (_, index) => `${(index * 7) % 30}`);
  const save = async (name: string) => (await saveFile(main, { FolderId: folder.Id, FileName: name }, 'same')).File;
  return { folder, files: await Promise.all(names.map(save)) };
}

async function listInOrder(folder: Entry, order: Order, limit: number): Promise<Entry[][]> {
  return await listPages<Entry>(main, `/folders/${folder.Id}?order=${order}&limit=${limit}`, 'Children');
}

for (const order of ORDERS) {
  test(`By ${order}, pages of every size list everything once and in order`, async () => {
    const folder = await readFilled();
    const all = (await listInOrder(folder, 'name', 1000)).flat();
    assert.equal(all.length, 21);
    for (const limit of [1, 2, 3, 11, 20, 21, 22, 1000]) {
      const pages = await listInOrder(folder, order, limit);
      assert.deepEqual(toNames(pages.flat()), toNames(inOrder(all, order)));
      assert.equal(pages.length, Math.ceil(all.length / limit), 'a Link leads nowhere, or is missing');
      for (const page of pages.slice(0, -1)) assert.equal(page.length, limit);
    }
  });

  test(`By ${order}, ties are ordered by id in the same direction`, async () => {
    equals ??= makeEquals();
    const { folder, files } = await equals;
    for (const limit of [7, 1000]) {
      const listed = (await listInOrder(folder, order, limit)).flat();
      assert.deepEqual(toNames(listed), toNames(inOrder(files, order)));
    }
  });

  test(`By ${order}, entries that stay are listed once while others are added, removed and renamed`, async () => {
    const folder = await makeFolder(main);
    const staying = await Promise.all(
      Array.from({ length: 24 }, async (_, index) =>
        index % 3 === 0
          ? await createFolder(main, folder.Id, `${String(index).padStart(2, '0')} stays`)
          : (await saveFile(main, { FolderId: folder.Id, FileName: `${index % 10}${index} stays` }, 'x'.repeat(index)))
              .File,
      ),
    );
    const going = await Promise.all(
      Array.from({ length: 12 }, (_, index) => createFolder(main, folder.Id, `${index} goes`)),
    );
    const seen: Entry[] = [];
    let round = 0;
    let next: string | null = `/v1/contentmanagement/folders/${folder.Id}?order=${order}&limit=3`;
    while (next !== null) {
      const answer: Answer = await send(main.base, next, { headers: identity(main) });
      seen.push(...assertEnvelope(answer).Children);
      next = readNext(answer);
      await disturb(folder, going, round);
      round += 1;
      assert.ok(round < 200, 'the pages never end');
    }
    const ids = seen.map(({ Id }) => Id);
    for (const { Id, Name } of staying) {
      assert.equal(ids.filter((id) => id === Id).length, 1, `${Name} is not listed exactly once`);
    }
    const kept = new Set(staying.map(({ Id }) => Id));
    const stayed = seen.filter(({ Id }) => kept.has(Id));
    assert.deepEqual(toNames(stayed), toNames(inOrder(stayed, order)));
  });
}

/** One comes, one goes to the trash or for good, one is renamed. Only ten rounds, or the pages might never end. */
async function disturb(folder: Entry, going: Entry[], round: number): Promise<void> {
  if (round >= 10) return;
  await saveFile(neighbour, { FolderId: folder.Id, FileName: `${round} comes` }, 'x'.repeat(round * 3));
  const gone = must(going[round], 'entry to go');
  if (round % 3 === 0) await trash(neighbour, gone.Id);
  else if (round % 3 === 1) await remove(neighbour, gone.Id);
  else await change(neighbour, gone.Id, { Name: `${(round * 37) % 100} was renamed` });
}

test('A cursor works although its entry was removed, renamed or moved', async () => {
  for (const order of ORDERS) {
    for (const disturbance of ['trashed', 'removed', 'renamed', 'moved']) {
      const folder = await makeFolder(main);
      const other = await makeFolder(main);
      for (let index = 0; index < 4; index += 1) {
        await saveFile(main, { FolderId: folder.Id, FileName: `file ${index}` }, 'x'.repeat(index));
      }
      const first = await call(main, `/folders/${folder.Id}?order=${order}&limit=2`);
      const last = must(assertEnvelope(first).Children.at(-1), 'last of the page');
      if (disturbance === 'trashed') await trash(main, last.Id);
      if (disturbance === 'removed') await remove(main, last.Id);
      if (disturbance === 'renamed') await change(main, last.Id, { Properties: {}, Name: 'file !' });
      if (disturbance === 'moved') await change(main, last.Id, { ParentFolderId: other.Id });
      const rest = await send(main.base, must(readNext(first), 'link'), { headers: identity(main) });
      const names = toNames(assertEnvelope(rest).Children).filter((name) => name !== 'file !');
      const expected = order.startsWith('-') ? ['file 1', 'file 0'] : ['file 2', 'file 3'];
      assert.deepEqual(names, expected, disturbance);
    }
  }
});

test('A folder is listed by path in every order', async () => {
  const folder = await readFilled();
  const all = (await listInOrder(folder, 'name', 1000)).flat();
  for (const order of ORDERS) {
    const path = `/folders?path=${encodeURIComponent(`/${folder.Name}`)}&order=${order}&limit=4`;
    const listed = (await listPages<Entry>(main, path, 'Children')).flat();
    assert.deepEqual(toNames(listed), toNames(inOrder(all, order)));
  }
});

test('An unknown order is 400 InvalidField', async () => {
  const folder = await makeFolder(main);
  for (const order of ['', 'Name', '--name', '+name', 'name,size', 'created', 'NAME', '-', "name'", '%00', 'id']) {
    assertRefusal(await call(main, `/folders/${folder.Id}?order=${order}`), 400, 'InvalidField');
  }
});

test('A limit outside 1 to 1000 is 400 InvalidField in every order', async () => {
  const folder = await makeFolder(main);
  for (const order of ORDERS) {
    for (const limit of ['0', '-1', '1001', 'abc', '', '1.5', '0x10', '99999999999999999999']) {
      assertRefusal(await call(main, `/folders/${folder.Id}?order=${order}&limit=${limit}`), 400, 'InvalidField');
    }
  }
});

function cursorOf(answer: Answer): string {
  const link = must(readNext(answer), 'link');
  return must(new URL(link, main.base).searchParams.get('cursor'), 'cursor');
}

test('A cursor of another folder, another order or another list is 400 InvalidCursor', async () => {
  const one = await readFilled();
  const other = await makeFolder(main);
  const theirs = await makeFolder(stranger);
  for (const order of ORDERS) {
    const first = await call(main, `/folders/${one.Id}?order=${order}&limit=3`);
    const cursor = encodeURIComponent(cursorOf(first));
    const others = [`/folders/${other.Id}?order=${order}`, '/trash?', '/changes?'];
    for (const another of ORDERS) if (another !== order) others.push(`/folders/${one.Id}?order=${another}`);
    for (const path of others) {
      const answer = await call(main, `${path}&cursor=${cursor}`.replace('?&', '?'));
      assertRefusal(answer, 400, 'InvalidCursor');
    }
    assertRefusal(await call(stranger, `/folders/${theirs.Id}?order=${order}&cursor=${cursor}`), 400, 'InvalidCursor');
    const again = await call(main, `/folders/${one.Id}?order=${order}&limit=5&cursor=${cursor}`);
    assert.equal(assertEnvelope(again).Children.length, 5, 'its own cursor works, with any limit');
  }
});

test('A cursor with one changed character is 400 InvalidCursor', async () => {
  const folder = await readFilled();
  for (const [share, order] of ORDERS.entries()) {
    const cursor = cursorOf(await call(main, `/folders/${folder.Id}?order=${order}&limit=3`));
    // Each order has every third character changed: two of the six have the same ones.
    for (let at = share % 3; at < cursor.length; at += 3) {
      const changed = cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1);
      // The last character of base64url may carry bits that mean nothing.
      if (at === cursor.length - 1) continue;
      const query = `order=${order}&cursor=${encodeURIComponent(changed)}`;
      assertRefusal(await call(main, `/folders/${folder.Id}?${query}`), 400, 'InvalidCursor');
    }
    for (const changed of [cursor.slice(0, -2), `${cursor}AA`, cursor.slice(2), cursor.toUpperCase(), '']) {
      const query = `order=${order}&cursor=${encodeURIComponent(changed)}`;
      assertRefusal(await call(main, `/folders/${folder.Id}?${query}`), 400, 'InvalidCursor');
    }
  }
});

test('Every page but the last has a Link', async () => {
  const folder = await makeFolder(main);
  assert.equal((await call(main, `/folders/${folder.Id}?limit=1`)).headers.link, undefined);
  for (let index = 0; index < 3; index += 1) {
    await saveFile(main, { FolderId: folder.Id, FileName: `${index}` }, 'x');
  }
  for (const order of ORDERS) {
    for (const [limit, isMore] of [
      [1, true],
      [2, true],
      [3, false],
      [4, false],
    ] as const) {
      const answer = await call(main, `/folders/${folder.Id}?order=${order}&limit=${limit}`);
      assert.equal(answer.headers.link !== undefined, isMore, `${order}, limit ${limit}`);
    }
  }
});

test('A folder that is trashed between two pages is 404 at the second', async () => {
  const folder = await fill();
  const first = await call(main, `/folders/${folder.Id}?order=size&limit=3`);
  assert.equal((await askTrash(main, folder.Id)).status, 200);
  const next = await send(main.base, must(readNext(first), 'link'), { headers: identity(main) });
  assertRefusal(next, 404, 'FolderNotFound');
});

test('Entries with a new name or size are listed at their new positions', async () => {
  const folder = await makeFolder(main);
  const small = (await saveFile(main, { FolderId: folder.Id, FileName: 'a' }, 'x')).File;
  await saveFile(main, { FolderId: folder.Id, FileName: 'b' }, 'xx');
  await untilLater();
  assert.equal((await askChange(main, small.Id, { Name: 'c' })).status, 200);
  assert.deepEqual(toNames((await listInOrder(folder, 'name', 10)).flat()), ['b', 'c']);
  assert.deepEqual(toNames((await listInOrder(folder, '-modified', 10)).flat()), ['c', 'b']);
  await saveFile(main, { FolderId: folder.Id, FileName: 'c' }, 'xxx');
  assert.deepEqual(toNames((await listInOrder(folder, 'size', 10)).flat()), ['b', 'c']);
});
