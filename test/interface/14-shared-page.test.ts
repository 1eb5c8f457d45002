// The page of a link (docs/contract.md §14.4). What it guards against: `test/security/share-pages.test.ts`.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { assertRefusal } from './assertions.ts';
import { createFolder, makeFolder, saveFile, send, signIn } from './client.ts';
import { makeShare } from './shares.ts';

const main = await signIn('Main');
const form = { 'Content-Type': 'application/x-www-form-urlencoded' };

test('A link has a page, with pages of what is beneath it', async () => {
  const folder = await makeFolder(main);
  const inner = await createFolder(main, folder.Id, 'inner');
  const { File } = await saveFile(main, { FolderId: folder.Id, FileName: 'a.txt' }, 'a');
  const share = await makeShare(main, folder.Id, { Password: 'x' });
  const path = new URL(String(share.Url)).pathname;
  const asked = await send(main.base, path);
  assert.equal(asked.status, 401);
  assert.equal(asked.headers['content-type'], 'text/html; charset=utf-8');
  const wrong = await send(main.base, path, { method: 'POST', headers: form, body: 'password=y' });
  assert.equal(wrong.status, 401);
  const right = await send(main.base, path, { method: 'POST', headers: form, body: 'password=x' });
  assert.deepEqual([right.status, right.headers.location], [303, path]);
  const [Cookie = ''] = String(right.headers['set-cookie']).split(';');
  for (const beneath of ['', `/folders/${inner.Id}`, `/files/${File.Id}`]) {
    const answer = await send(main.base, path + beneath, { headers: { Cookie } });
    assert.equal(answer.status, 200, answer.body.toString());
    assert.match(String(answer.headers['content-security-policy']), /default-src 'none'/);
    assert.equal((await send(main.base, path + beneath)).status, 401);
  }
  for (const beneath of ['', `/folders/${inner.Id}`]) {
    for (const query of ['cursor=cut%20off', 'limit=0']) {
      const again = await send(main.base, `${path}${beneath}?${query}`, { headers: { Cookie } });
      assert.deepEqual([again.status, again.headers.location], [303, path + beneath]);
    }
  }
  for (const beneath of [`/folders/${randomUUID()}`, `/files/${inner.Id}`]) {
    assert.equal((await send(main.base, path + beneath, { headers: { Cookie } })).status, 404);
  }
  assert.equal((await send(main.base, '/s-files/page.css')).status, 200);
  assertRefusal(await send(main.base, '/s-files/none.js'), 404, 'RouteNotFound');
});
