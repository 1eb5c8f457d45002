// Locks as REST shows them (docs/contract.md §13.4).

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefusal } from './assertions.ts';
import { call, makeFolder, saveFile, signIn } from './client.ts';
import { get } from './managing.ts';

const main = await signIn('Main');
const { Spaces } = await get<{ Spaces: { Name: string }[] }>(main, '/spaces');

interface Locks {
  Locks: { EntryId: string; Scope: string; Depth: string; TakenBy: string; Owner: string | null; ExpiresAt: string }[];
}

async function lock(path: string, scope: string, owner: string): Promise<string> {
  const body = `<D:lockinfo xmlns:D="DAV:"><D:lockscope><D:${scope}/></D:lockscope><D:locktype><D:write/></D:locktype>${owner}</D:lockinfo>`;
  const headers = { Authorization: `Bearer ${main.token}` };
  const url = `/dav/${encodeURIComponent(Spaces[0]?.Name ?? '')}/${path}`;
  const answer = await fetch(main.base + url, { method: 'LOCK', headers, body });
  assert.equal(answer.status, 200, await answer.text());
  return answer.headers.get('lock-token') ?? '';
}

test('The locks of an entry: whose, how deep and how long; and those of what is in a folder', async () => {
  const folder = await makeFolder(main);
  const { File } = await saveFile(main, { FolderId: folder.Id, FileName: 'held' }, 'x');
  const { File: free } = await saveFile(main, { FolderId: folder.Id, FileName: 'free' }, 'x');
  const locksOf = async (id: string, query = '') => (await get<Locks>(main, `/entries/${id}/locks${query}`)).Locks;
  assert.deepEqual([await locksOf(File.Id), await locksOf(folder.Id, '?of=children')], [[], []]);
  const name = encodeURIComponent(folder.Name);
  const token = await lock(`${name}/held`, 'exclusive', '<D:owner>A <b>desk</b></D:owner>');
  const [shown, ...others] = await locksOf(File.Id);
  assert.ok(shown !== undefined && others.length === 0);
  const { ExpiresAt, ...rest } = shown;
  assert.deepEqual(rest, {
    EntryId: File.Id,
    Scope: 'exclusive',
    Depth: '0',
    TakenBy: File.CreatedBy,
    Owner: 'A desk',
  });
  assert.ok(Date.parse(ExpiresAt) > Date.parse(File.CreatedAt));
  assert.ok(!JSON.stringify(shown).includes(token.slice(1, -1)), 'without its token');
  assert.deepEqual(await locksOf(folder.Id, '?of=children'), [shown]);
  assert.deepEqual([await locksOf(folder.Id, '?of=entry'), await locksOf(free.Id)], [[], []]);
});

test('A deep lock of a folder is one of everything beneath it', async () => {
  const folder = await makeFolder(main);
  const { File } = await saveFile(main, { FolderId: folder.Id, FileName: 'a' }, 'x');
  await lock(`${encodeURIComponent(folder.Name)}/`, 'shared', '');
  const { Locks } = await get<Locks>(main, `/entries/${File.Id}/locks`);
  assert.deepEqual(
    Locks.map(({ EntryId, Scope, Depth, Owner }) => [EntryId, Scope, Depth, Owner]),
    [[folder.Id, 'shared', 'infinity', null]],
  );
});

test('The root cannot be deleted, and that is what is said even while something in it is locked', async () => {
  const folder = await makeFolder(main);
  await lock(encodeURIComponent(folder.Name), 'exclusive', '');
  for (const query of ['', '?permanent=true']) {
    const answer = await call(main, `/entries/${main.application.RootFolderId}${query}`, { method: 'DELETE' });
    assertRefusal(answer, 403, 'Forbidden');
  }
});

test('What is not there has no locks, and `of` is entry or children', async () => {
  assertRefusal(await call(main, '/entries/none/locks'), 404, 'EntryNotFound');
  assertRefusal(await call(main, '/entries/-root-/locks?of=x'), 400, 'InvalidField');
});
