// The natural order of names (docs/contract.md §18.5).

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertEnvelope } from './assertions.ts';
import { saveMany } from './batch.ts';
import { type Caller, call, createFolder, followLinks, makeFolder, readFolder, signIn } from './client.ts';
import { change } from './life.ts';

const main = await signIn('Main');

const ordered = ['2', '10', 'ahre', 'Ähre', 'apple', 'file1', 'File2', 'file10', 'IMG_9.jpg', 'img_10.jpg', 'Zoo'];

async function list(caller: Caller, id: string, query: string): Promise<string[]> {
  const answer = await call(caller, `/folders/${id}?${query}`);
  const pages = [assertEnvelope(answer).Children, ...(await followLinks(caller, answer))];
  return pages.flat().map(({ Name }) => Name);
}

async function fill(names: readonly string[]): Promise<string> {
  const { Id } = await makeFolder(main);
  await saveMany(
    main,
    Id,
    names.map((name) => ({ name, content: 'x' })),
  );
  return Id;
}

test('Names are ordered by digits as numbers, without case and accents first, on pages of any size, both ways', async () => {
  const folder = await fill(ordered.toReversed());
  for (const limit of [1, 3, 100]) {
    assert.deepEqual(await list(main, folder, `order=natural&limit=${limit}`), ordered);
    assert.deepEqual(await list(main, folder, `order=-natural&limit=${limit}`), ordered.toReversed());
  }
  const { Children } = await readFolder(main, folder);
  assert.deepEqual(
    Children.map(({ Name }) => Name),
    ['10', '2', 'File2', 'IMG_9.jpg', 'Zoo', 'ahre', 'apple', 'file1', 'file10', 'img_10.jpg', 'Ähre'],
    'the default order stays',
  );
});

test('Names that differ in case, accents or zeros alone are ordered by code point; folders come first', async () => {
  const folder = await fill(['a1', 'A1', 'á1', 'a01', 'b']);
  await createFolder(main, folder, 'z');
  assert.deepEqual(await list(main, folder, 'order=natural&limit=2'), ['z', 'A1', 'a01', 'a1', 'á1', 'b']);
});

test('A renamed entry takes its new place', async () => {
  const folder = await fill(['file 1', 'file 3', 'file 20']);
  const { Children } = await readFolder(main, folder);
  const first = Children.find(({ Name }) => Name === 'file 1');
  await change(main, first?.Id ?? '', { Name: 'File 4' });
  assert.deepEqual(await list(main, folder, 'order=natural'), ['file 3', 'File 4', 'file 20']);
});
