// Errors and responses (docs/contract.md §1.6, §7.1 and §7.3): tracking ids, unknown paths, wrong methods, the version in the
// path. `assertRefusal` asserts the format of every error the suite receives.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { assertEnvelope, assertRefusal, UUID } from './assertions.ts';
import {
  type Answer,
  CONTENT,
  call,
  createFolder,
  type Headers,
  makeFolder,
  postFile,
  postFolder,
  readFolder,
  send,
  signIn,
} from './client.ts';

const main = await signIn('Main');

const ANSWERS: { title: string; ask: (headers: Headers) => Promise<Answer> }[] = [
  { title: 'a success', ask: (headers) => call(main, '/folders/-root-?limit=1', { headers }) },
  { title: 'a refused body', ask: (headers) => postFolder(main, {}, headers) },
  { title: 'a missing folder', ask: (headers) => postFile(main, { ...headers, FolderId: 'x', FileName: 'x' }, '') },
  { title: 'a missing token', ask: (headers) => send(main.base, `${CONTENT}/files`, { method: 'POST', headers }) },
  { title: 'an unknown path', ask: (headers) => send(main.base, '/nothing/here', { headers }) },
  { title: 'a wrong method', ask: (headers) => send(main.base, `${CONTENT}/files`, { method: 'DELETE', headers }) },
  { title: 'a token request', ask: (headers) => send(main.base, '/oauth2/token', { method: 'POST', headers }) },
];

for (const { title, ask } of ANSWERS) {
  test(`The answer to ${title} carries a tracking id: the client's if it is a UUID, else a new one`, async () => {
    const sent = randomUUID();
    const answer = await ask({ requesttrackingid: sent });
    assert.equal(answer.headers.requesttrackingid, sent);
    if (answer.status !== 200 && title !== 'a token request') assertRefusal(answer, answer.status, /./);
    const made = new Set<unknown>();
    const twice = [sent, sent];
    for (const value of [undefined, '', 'x', `${sent}x`, `{${sent}}`, `${sent} ${sent}`, '<script>', twice]) {
      const { headers, status } = await ask({ requesttrackingid: value });
      assert.equal(status, answer.status);
      assert.match(String(headers.requesttrackingid), UUID);
      made.add(headers.requesttrackingid);
    }
    assert.equal(made.size, 8);
    assert.equal(made.has(sent), false);
  });
}

test('An unknown path is 404 RouteNotFound, with or without a token', async () => {
  const paths = ['/nothing', '/v1', CONTENT, `${CONTENT}/`, `${CONTENT}/nothing`, `${CONTENT}/filesx`, '/folders'];
  for (const path of [...paths, '/v1/contentmanagement/files/a/b/c/d', '//', '/%00', '/..%2f..%2fetc/passwd']) {
    for (const method of ['GET', 'POST', 'DELETE']) {
      assertRefusal(await send(main.base, path, { method }), 404, 'RouteNotFound');
    }
  }
  assertRefusal(await call(main, '/nothing'), 404, 'RouteNotFound');
});

test('The version is a path segment, and there is only one', async () => {
  const { FolderName, headers } = { FolderName: 'x', headers: { 'Content-Type': 'application/json' } };
  for (const prefix of [
    '/v2/contentmanagement',
    '/V1/contentmanagement',
    '/v1.0/contentmanagement',
    '/contentmanagement',
  ]) {
    const request = { method: 'POST', headers, body: JSON.stringify({ FolderName }) };
    assertRefusal(await send(main.base, `${prefix}/folders`, request), 404, 'RouteNotFound');
  }
});

test('A known path with a wrong method is 404 MethodNotAllowed with Allow', async () => {
  const folder = await makeFolder(main);
  for (const [path, allowed] of [
    ['/folders', 'POST'],
    ['/files', 'POST'],
    [`/folders/${folder.Id}`, 'GET'],
    ['/folders/-root-', 'GET'],
  ] as const) {
    for (const method of ['PUT', 'PATCH', 'TRACE', 'PROPFIND']) {
      for (const answer of [await send(main.base, CONTENT + path, { method }), await call(main, path, { method })]) {
        assertRefusal(answer, 404, 'MethodNotAllowed');
        assert.ok(String(answer.headers.allow).split(/, */).includes(allowed), `Allow: ${answer.headers.allow}`);
      }
    }
  }
});

test('HEAD has the status and headers of the response, and no body', async () => {
  const answer = await send(main.base, `${CONTENT}/nothing`, { method: 'HEAD' });
  assert.equal(answer.status, 404);
  assert.match(String(answer.headers.requesttrackingid), UUID);
  assert.equal(answer.body.length, 0);
});

test('Header names are case-insensitive, and white space around values is ignored', async () => {
  const headers = { appkey: `  ${main.application.AppKey} `, AppKey: undefined };
  assertEnvelope(await call(main, '/folders/-root-?limit=1', { headers }));
});

test('An error names the field or header at fault and quotes safely', async () => {
  const folder = await makeFolder(main);
  const name = '"><script>alert(1)</script>';
  const refused = await postFolder(main, { ParentFolderId: folder.Id, FolderName: `${name}\u202e` });
  assert.equal(assertRefusal(refused, 400, 'InvalidName').Target, 'FolderName');
  assert.equal(refused.headers['x-content-type-options'], 'nosniff');
});

test('A taken name is answered with a message that names it and a hint', async () => {
  const folder = await makeFolder(main);
  await createFolder(main, folder.Id, 'Invoices');
  const answer = await postFolder(main, { ParentFolderId: folder.Id, FolderName: 'Invoices' });
  const { Message, Target, Hint } = assertRefusal(answer, 400, 'NameAlreadyExists');
  assert.match(Message, /"Invoices"/);
  assert.equal(Target, 'FolderName');
  assert.match(Hint ?? '', /ConflictBehavior/);
});

test('An unknown expectation and a wrong digest are refused on every route, and nothing is changed', async () => {
  const folder = await makeFolder(main);
  const expecting = await call(main, `/entries/${folder.Id}`, { headers: { Expect: 'a miracle' } });
  assert.equal(assertRefusal(expecting, 400, 'InvalidHeader').Target, 'Expect');
  const headers = { 'Content-Type': 'application/json', 'Content-MD5': 'AAAAAAAAAAAAAAAAAAAAAA==' };
  const requests: [method: string, path: string, body: string][] = [
    ['PATCH', `/entries/${folder.Id}`, '{"Name":"other"}'],
    ['POST', `/entries/${folder.Id}/copy`, '{"Name":"copy"}'],
  ];
  for (const [method, path, body] of requests) {
    assertRefusal(await call(main, path, { method, headers, body }), 400, 'DigestMismatch');
  }
  assert.equal((await readFolder(main, folder.Id)).Folder.Name, folder.Name);
});
