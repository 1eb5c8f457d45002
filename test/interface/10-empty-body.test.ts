// Request bodies (docs/contract.md §1.5): where all fields are optional, an empty body of any type equals no body.
// `curl -d ''` sends it as a form, `fetch` with an empty string as text.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefusal } from './assertions.ts';
import { call, type Headers, makeFolder, saveFile, signIn } from './client.ts';
import { trash } from './life.ts';
import { addApplication } from './managing.ts';
import { contentHead, openWire } from './wire.ts';

const main = await signIn('Main');
const admin = await signIn('Administrator');
const types = ['application/x-www-form-urlencoded', 'text/plain;charset=UTF-8', 'application/json', 'nonsense'];

async function makePaths(): Promise<[caller: typeof main, path: string][]> {
  const folder = await makeFolder(main);
  const { File } = await saveFile(main, { FolderId: folder.Id, FileName: 'a' }, 'a');
  const trashed = await makeFolder(main);
  await trash(main, trashed.Id);
  const { application } = await addApplication(admin);
  return [
    [main, `/files/${File.Id}/link`],
    [main, `/entries/${trashed.Id}/restore`],
    [admin, `/applications/${application.AppKey}/rotate`],
  ];
}

for (const type of types) {
  test(`An empty body of type ${type} equals no body`, async () => {
    for (const [caller, path] of await makePaths()) {
      const headers = { 'Content-Type': type };
      const answer = await call(caller, path, { method: 'POST', headers, body: '' });
      assert.equal(answer.status, 200, `${path}: ${answer.body}`);
    }
  });
}

test('A body that is not empty must be JSON', async () => {
  const headers = { 'Content-Type': 'text/plain' };
  const chunked: Headers = { ...headers, 'Transfer-Encoding': 'chunked' };
  for (const [caller, path] of await makePaths()) {
    assertRefusal(await call(caller, path, { method: 'POST', headers, body: '{}' }), 400, 'InvalidBody');
    using wire = await openWire(caller.base);
    wire.write(contentHead(caller, 'POST', path, chunked));
    assertRefusal(await wire.answer(), 400, 'InvalidBody');
  }
});

test('Where fields are mandatory, an empty body is refused', async () => {
  const folder = await makeFolder(main);
  for (const type of types) {
    const headers = { 'Content-Type': type };
    const request = { method: 'PATCH', headers, body: '' };
    assertRefusal(await call(main, `/entries/${folder.Id}`, request), 400, 'InvalidBody');
  }
});
