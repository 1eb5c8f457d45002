// How many children a folder has (docs/contract.md §18.2).

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { saveMany } from './batch.ts';
import { call, createFolder, makeFolder, saveFile, signIn } from './client.ts';

const main = await signIn('Main');

async function count(path: string): Promise<string | string[] | undefined> {
  const answer = await call(main, path);
  assert.equal(answer.status, 200);
  return answer.headers.childcount;
}

test('Every page says how many children there are in all, in every order', async () => {
  const { Id } = await makeFolder(main);
  assert.equal(await count(`/folders/${Id}`), '0');
  await createFolder(main, Id, 'folder');
  await saveMany(
    main,
    Id,
    Array.from({ length: 104 }, (_, index) => ({ name: `${index}`, content: 'x' })),
  );
  for (const query of ['', '?limit=1', '?limit=1000', '?order=-size&limit=7']) {
    assert.equal(await count(`/folders/${Id}${query}`), '105', query);
  }
  const first = await call(main, `/folders/${Id}?limit=100`);
  const next = /<([^>]*)>; rel="next"/.exec(String(first.headers.link))?.[1] ?? '';
  assert.equal(await count(next.slice(next.indexOf('/folders/'))), '105');
});

test('The number follows what is trashed, restored, moved and removed, and only counts direct children', async () => {
  const { Id, Name } = await makeFolder(main);
  const inner = await createFolder(main, Id, 'inner');
  const { File } = await saveFile(main, { FolderId: inner.Id, FileName: 'a' }, 'a');
  assert.equal(await count(`/folders/${Id}?limit=1`), '1');
  assert.equal(await count(`/folders?path=/${encodeURIComponent(Name)}&limit=1`), '1');
  const body = JSON.stringify({ ParentFolderId: Id });
  await call(main, `/entries/${File.Id}`, { method: 'PATCH', headers: { 'content-type': 'application/json' }, body });
  assert.equal(await count(`/folders/${Id}?limit=1`), '2');
  await call(main, `/entries/${File.Id}`, { method: 'DELETE' });
  assert.equal(await count(`/folders/${Id}?limit=1`), '1');
  await call(main, `/entries/${File.Id}/restore`, { method: 'POST' });
  assert.equal(await count(`/folders/${Id}?limit=1`), '2');
  await call(main, `/entries/${inner.Id}?permanent=true`, { method: 'DELETE' });
  assert.equal(await count(`/folders/${Id}?limit=1`), '1');
});
