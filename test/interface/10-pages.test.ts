// Pagination (docs/contract.md §9.4): a cursor of another space or another query is refused, because it would skip
// results.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertRefusal, must } from './assertions.ts';
import { type Answer, type Caller, call, createFolder, makeFolder, saveFile, signIn } from './client.ts';
import { trash } from './life.ts';
import { addApplication, manage, newName } from './managing.ts';

const admin = await signIn('Administrator');
const stranger = await signIn('Stranger');
const word = `w${randomBytes(6).toString('hex')}`;
const patienceMs = 20_000;

/** Two of everything, so that each list has a second page. */
before(async () => {
  const folder = await makeFolder(admin);
  for (const Id of [newName(), newName()]) await manage(admin, 'POST', '/users', { Id, Role: 'viewer' });
  for (const maker of [admin, await addApplication(admin)]) {
    await trash(maker, (await createFolder(maker, folder.Id, newName())).Id);
    await saveFile(maker, { FolderId: folder.Id, FileName: `${word} ${newName()}` }, 'x');
  }
});

async function takeCursor(path: string, patience = 0): Promise<string> {
  const until = Date.now() + patience;
  for (;;) {
    const cursor = findCursor(await call(admin, path));
    if (cursor !== undefined || Date.now() > until) return must(cursor, `cursor of ${path}`);
    await sleep(50);
  }
}

function findCursor({ headers }: Answer): string | undefined {
  return /cursor=([^&>]+)/.exec(String(headers.link))?.[1];
}

async function assertRefused(caller: Caller, path: string): Promise<void> {
  const { Target } = assertRefusal(await call(caller, path), 400, 'InvalidCursor');
  assert.equal(Target, 'cursor');
}

for (const path of ['/trash', '/users', '/applications', '/usage']) {
  test(`A cursor of ${path} is valid only in its own space, with any limit`, async () => {
    const cursor = await takeCursor(`${path}?limit=1`);
    await assertRefused(stranger, `${path}?limit=1&cursor=${cursor}`);
    for (const limit of ['1', '5']) {
      assert.equal((await call(admin, `${path}?limit=${limit}&cursor=${cursor}`)).status, 200);
    }
  });
}

test('A cursor of a search is valid only for the same words and filters, in its own space', async () => {
  const root = admin.application.RootFolderId;
  const query = `/search?q=${word}&type=file`;
  const cursor = await takeCursor(`${query}&limit=1`, patienceMs);
  for (const same of [`${query}&limit=1`, `${query}&limit=9`, `/search?limit=1&type=file&q=${word}`]) {
    assert.equal((await call(admin, `${same}&cursor=${cursor}`)).status, 200, same);
  }
  for (const rootNamed of [`${query}&folder=-root-`, `${query}&folder=${root}`]) {
    assert.equal((await call(admin, `${rootNamed}&cursor=${cursor}`)).status, 200, rootNamed);
  }
  const folder = await makeFolder(admin);
  for (const other of [
    `/search?q=${word}`,
    `/search?q=other&type=file`,
    `/search?q=${word}&type=folder`,
    `${query}&contentType=text/plain`,
    `${query}&modifiedAfter=2026-01-01`,
    `${query}&property.a=1`,
    `${query}&folder=${folder.Id}`,
  ]) {
    await assertRefused(admin, `${other}&cursor=${cursor}`);
  }
  await assertRefused(stranger, `${query}&limit=1&cursor=${cursor}`);
});

test('A cursor of the audit log is valid only for the same filters', async () => {
  const query = '/audit?action=folder.created';
  const cursor = await takeCursor(`${query}&limit=1`);
  assert.equal((await call(admin, `${query}&limit=2&cursor=${cursor}`)).status, 200);
  const by = `app:${admin.application.Name}`;
  for (const other of [
    '/audit?',
    '/audit?action=user.role',
    `${query}&by=${by}`,
    `${query}&since=2026-01-01T00:00:00Z`,
  ]) {
    await assertRefused(admin, `${other}&cursor=${cursor}`);
  }
});
