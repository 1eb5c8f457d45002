// Pages of a folder that begin anywhere, and the way back from there (docs/contract.md §18.8).

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertEnvelope, assertRefusal, type Entry } from './assertions.ts';
import { saveMany } from './batch.ts';
import { type Answer, call, createFolder, identity, makeFolder, saveFile, send, signIn } from './client.ts';
import { trash } from './life.ts';

const main = await signIn('Main');
const fileCount = 9;

/** Two folders, and nine files: `folder 0`, …, `file 8`. */
async function fill(): Promise<Entry> {
  const folder = await makeFolder(main);
  for (const index of [0, 1]) await createFolder(main, folder.Id, `folder ${index}`);
  const files = Array.from({ length: fileCount }, (_, index) => ({ name: `file ${index}`, content: 'x' }));
  await saveMany(main, folder.Id, files);
  return folder;
}

function toNames(answer: Answer): string[] {
  return assertEnvelope(answer).Children.map(({ Name }) => Name);
}

async function follow(answer: Answer, relation: 'next' | 'prev'): Promise<Answer | null> {
  const [, address] = new RegExp(`<([^>]*)>; rel="${relation}"`).exec(String(answer.headers.link)) ?? [];
  if (address === undefined) return null;
  const { pathname, search } = new URL(address);
  return await send(main.base, pathname + search, { headers: identity(main) });
}

/** The names before an answer, nearest page last. */
async function readBack(answer: Answer): Promise<string[]> {
  const names: string[] = [];
  for (let page = await follow(answer, 'prev'); page !== null; page = await follow(page, 'prev')) {
    names.unshift(...toNames(page));
  }
  return names;
}

test('A page begins with any child, counted from either end, and leads to the start and to the end', async () => {
  const folder = await fill();
  for (const order of ['name', '-natural', 'modified', '-size']) {
    const all = toNames(await call(main, `/folders/${folder.Id}?order=${order}`));
    assert.equal(all.length, 11);
    for (const [offset, start] of [
      [0, 0],
      [1, 1],
      [2, 2],
      [7, 7],
      [-3, 8],
      [-10, 1],
      [-11, 0],
      [-500, 0],
    ] as const) {
      const page = await call(main, `/folders/${folder.Id}?order=${order}&offset=${offset}&limit=3`);
      assert.deepEqual(toNames(page), all.slice(start, start + 3), `${order} ${offset}`);
      assert.equal(page.headers.childcount, '11');
      assert.deepEqual(await readBack(page), all.slice(0, start), `${order} before ${offset}`);
      const next = await follow(page, 'next');
      assert.deepEqual(next === null ? [] : toNames(next), all.slice(start + 3, start + 6), `${order} after ${offset}`);
    }
  }
});

test('By a path it is the same; beyond the end there is nothing, and no link', async () => {
  const { Id, Name } = await fill();
  const path = encodeURIComponent(`/${Name}`);
  const last = await call(main, `/folders?path=${path}&offset=-2&limit=2`);
  assert.deepEqual(toNames(last), ['file 7', 'file 8']);
  const before = await follow(last, 'prev');
  assert.deepEqual(before === null ? [] : toNames(before), ['file 5', 'file 6']);
  const beyond = await call(main, `/folders/${Id}?offset=11`);
  assert.deepEqual(toNames(beyond), []);
  assert.equal(beyond.headers.link, undefined);
});

test('On the way back, what is added and removed meanwhile moves nothing else', async () => {
  const folder = await fill();
  const last = await call(main, `/folders/${folder.Id}?offset=-2&limit=3`);
  await trash(main, assertEnvelope(last).Children[0]?.Id ?? '');
  await saveFile(main, { FolderId: folder.Id, FileName: 'a file' }, 'x');
  const before = ['folder 0', 'folder 1', 'a file', ...Array.from({ length: 7 }, (_, index) => `file ${index}`)];
  assert.deepEqual(await readBack(last), before);
});

test('Pages that no number began link to the next one alone, as before', async () => {
  const { Id } = await fill();
  const second = await follow(await call(main, `/folders/${Id}?limit=4`), 'next');
  assert.match(String(second?.headers.link), /^<[^>]*>; rel="next"$/);
});

test('A number that is none, and one beside a cursor, are refused', async () => {
  const { Id } = await fill();
  for (const offset of ['', 'x', '1.5', '--1', '1e3', '12345678901']) {
    assertRefusal(await call(main, `/folders/${Id}?offset=${offset}`), 400, 'InvalidField');
  }
  const first = await call(main, `/folders/${Id}?limit=4`);
  const [, cursor] = /cursor=([^&>]*)/.exec(String(first.headers.link)) ?? [];
  assertRefusal(await call(main, `/folders/${Id}?offset=1&cursor=${cursor}`), 400, 'InvalidField');
});
