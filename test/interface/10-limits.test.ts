// `GET /usage` and `GET /limits` (docs/contract.md §8.1 and §8.2). Quotas that are used up are in test/service, because
// operators set them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, createFolder, makeFolder, saveFile, signIn } from './client.ts';
import { addApplication, get, getAll, newName } from './managing.ts';

type Usage = {
  Space: { Id: string; Name: string; Entries: number; Bytes: number; TrashBytes: number; Quota?: object };
  By: { Actor: string; Entries: number; Bytes: number }[];
};

const admin = await signIn('Administrator');
const stranger = await signIn('Stranger');

async function usageOf(actor: string) {
  const all = await getAll<Usage['By'][number]>(admin, '/usage?limit=2', 'By');
  return all.find(({ Actor }) => Actor === actor) ?? { Actor: actor, Entries: 0, Bytes: 0 };
}

test('Every version that an application saves counts for that application only', async () => {
  const made = await addApplication(admin);
  const actor = `app:${made.application.Name}`;
  assert.deepEqual(await usageOf(actor), { Actor: actor, Entries: 0, Bytes: 0 });
  const folder = await createFolder(made, '-root-', newName());
  await saveFile(made, { FolderId: folder.Id, FileName: 'a' }, '12345');
  assert.deepEqual(await usageOf(actor), { Actor: actor, Entries: 2, Bytes: 5 });
  await saveFile(made, { FolderId: folder.Id, FileName: 'a' }, '123');
  assert.deepEqual(await usageOf(actor), { Actor: actor, Entries: 2, Bytes: 8 });
  await saveFile(made, { FolderId: folder.Id, FileName: 'a' }, '123');
  assert.deepEqual(await usageOf(actor), { Actor: actor, Entries: 2, Bytes: 8 });
});

test('The usage of a space is the sum of its actors, and includes the trash', async () => {
  const folder = await makeFolder(admin);
  const { File } = await saveFile(admin, { FolderId: folder.Id, FileName: 'a' }, 'x'.repeat(1000));
  const before = await get<Usage>(admin, '/usage?limit=1000');
  assert.ok(before.Space.Bytes >= 1000);
  const { Spaces } = await get<{ Spaces: [{ Id: string }] }>(admin, '/spaces');
  assert.equal(before.Space.Id, Spaces[0].Id);
  assert.equal((await call(admin, `/entries/${File.Id}`, { method: 'DELETE' })).status, 200);
  const after = await get<Usage>(admin, '/usage?limit=1000');
  assert.ok(after.Space.TrashBytes >= 1000);
});

test('Usage does not include other spaces', async () => {
  await makeFolder(stranger);
  const { body } = await call(admin, '/usage?limit=1000');
  assert.ok(!body.includes(stranger.application.Name));
});

test('GET /limits answers the limits in force', async () => {
  const limits = await get<{ NameCharacters: number; Properties: { Keys: number }; PageEntries: { Most: number } }>(
    admin,
    '/limits',
  );
  const folder = await makeFolder(admin);
  await createFolder(admin, folder.Id, 'n'.repeat(limits.NameCharacters));
  const { status } = await call(admin, '/folders', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ ParentFolderId: folder.Id, FolderName: 'n'.repeat(limits.NameCharacters + 1) }),
  });
  assert.equal(status, 400);
  assert.equal((await call(admin, `/folders/-root-?limit=${limits.PageEntries.Most}`)).status, 200);
  assert.equal((await call(admin, `/folders/-root-?limit=${limits.PageEntries.Most + 1}`)).status, 400);
  const properties = Object.fromEntries(Array.from({ length: limits.Properties.Keys }, (_, n) => [`k${n}`, 'v']));
  await createFolder(admin, folder.Id, 'properties', { Properties: properties });
});
