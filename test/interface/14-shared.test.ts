// Reading by links (docs/contract.md §14.2). Sending files: `14-shared-uploads.test.ts`.

import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { assertAnswer, assertRefusal, type Entry } from './assertions.ts';
import { type Answer, CONTENT, call, createFolder, makeFolder, saveFile, send, signIn } from './client.ts';
import { type Event, get, manage } from './managing.ts';
import { changeShare, dayMs, makeShare, type Share, secretOf, showShare, unzip, use } from './shares.ts';

const admin = await signIn('Administrator');
const main = await signIn('Main');

interface Opened {
  Share: Pick<Share, 'Name' | 'Note' | 'Access' | 'ExpiresAt' | 'HasPassword'>;
  Folder?: Entry;
  Children?: Entry[];
  File?: Entry;
}

/** `/shared`: `inner` with `deep.txt`, `a.txt` and `b.txt`. `beside.txt` is next to the shared folder. */
async function makeTree() {
  const top = await makeFolder(main);
  const folder = await createFolder(main, top.Id, 'shared', { Properties: { Customer: '4711' } });
  const inner = await createFolder(main, folder.Id, 'inner');
  const save = async (FolderId: string, FileName: string, bytes: string | Uint8Array) =>
    (await saveFile(main, { FolderId, FileName }, bytes)).File;
  return {
    ...{ top, folder, inner },
    a: await save(folder.Id, 'a.txt', 'first file'),
    b: await save(folder.Id, 'b.txt', randomBytes(200_000)),
    deep: await save(inner.Id, 'deep.txt', 'deep down'),
    beside: await save(top.Id, 'beside.txt', 'not yours'),
  };
}

const toOpened = (answer: Answer): Opened => {
  assert.equal(answer.status, 200, answer.body.toString());
  return assertAnswer(answer) as Opened;
};
const content = (id: string) => `/files/${id}/content`;
const anonymous = (entry: Entry): Entry => ({ ...entry, CreatedBy: '', ModifiedBy: '', Properties: {} });

/** Without what differs by design. */
function toComparable({ status, headers, body }: Answer): unknown {
  const { requesttrackingid, date, ...rest } = headers;
  return { status, rest, body: body.toString().replaceAll(String(requesttrackingid), '') };
}

test('A folder is opened with its children, without people and properties', async () => {
  const { folder, inner, a, b, deep } = await makeTree();
  const share = await makeShare(main, folder.Id, { Note: 'for you' });
  const answer = await use(main, secretOf(share));
  const opened = toOpened(answer);
  const { Name, Note, Access, ExpiresAt, HasPassword } = share;
  assert.deepEqual(opened.Share, { Name, Note, Access, ExpiresAt, HasPassword });
  assert.deepEqual(Object.keys(opened), ['Share', 'Folder', 'Children']);
  for (const entry of [opened.Folder, ...(opened.Children ?? [])]) {
    assert.ok(entry);
    assert.deepEqual([entry.CreatedBy, entry.ModifiedBy, entry.Properties], ['', '', {}]);
  }
  assert.deepEqual(
    opened.Children?.map(({ Id }) => Id),
    [inner.Id, a.Id, b.Id],
  );
  assert.equal(answer.headers['referrer-policy'], 'no-referrer');
  assert.equal(answer.headers['cache-control'], 'no-store');
  const beneath = toOpened(await use(main, secretOf(share), `/folders/${inner.Id}`));
  assert.deepEqual(beneath as object, { Folder: beneath.Folder, Children: [anonymous(deep)] });
  assert.equal(beneath.Folder?.Id, inner.Id);
  assert.equal(toOpened(await use(main, secretOf(share), `/folders/${folder.Id}`)).Children?.length, 3);
});

test('The children of a link are paged and ordered', async () => {
  const { folder, inner, a, b } = await makeTree();
  const secret = secretOf(await makeShare(main, folder.Id));
  for (const path of ['', `/folders/${folder.Id}`]) {
    const ids: string[] = [];
    let next: string | null = `${CONTENT}/shared/${secret}${path}?limit=2&order=-name`;
    while (next !== null) {
      const answer: Answer = await send(main.base, next);
      ids.push(...(toOpened(answer).Children ?? []).map(({ Id }) => Id));
      const [, link] = /^<([^>]+)>; rel="next"$/.exec(String(answer.headers.link ?? '')) ?? [];
      next = link === undefined ? null : new URL(link).pathname + new URL(link).search;
    }
    assert.deepEqual(ids, [inner.Id, b.Id, a.Id]);
  }
  assertRefusal(await use(main, secret, '?cursor=x'), 400, 'InvalidCursor');
  assertRefusal(await use(main, secret, '?order=x'), 400, 'InvalidField');
});

test('A file is opened as a file', async () => {
  const { a, b } = await makeTree();
  const secret = secretOf(await makeShare(main, a.Id));
  const opened = toOpened(await use(main, secret));
  assert.deepEqual(Object.keys(opened), ['Share', 'File']);
  assert.deepEqual(opened.File, anonymous(a));
  assert.equal((await use(main, secret, content(a.Id))).body.toString(), 'first file');
  assertRefusal(await use(main, secret, content(b.Id)), 404, 'FileNotFound');
});

test('The bytes come whole, in ranges and conditionally, with the current version', async () => {
  const { folder, a, b, deep } = await makeTree();
  const secret = secretOf(await makeShare(main, folder.Id));
  const whole = await use(main, secret, content(a.Id));
  assert.deepEqual([whole.status, whole.body.toString()], [200, 'first file']);
  assert.match(String(whole.headers['content-disposition']), /^attachment; filename="a.txt"/);
  const ask = (headers: Record<string, string>, method = 'GET') =>
    use(main, secret, content(a.Id), { method, headers });
  const range = await ask({ Range: 'bytes=6-' });
  assert.deepEqual([range.status, range.body.toString()], [206, 'file']);
  assert.equal((await ask({ 'If-None-Match': String(whole.headers.etag) })).status, 304);
  const head = await ask({}, 'HEAD');
  assert.deepEqual([head.status, head.headers.etag, head.body.length], [200, whole.headers.etag, 0]);
  const large = (await use(main, secret, content(b.Id))).body;
  const stored = (await call(main, `/files/${b.Id}/content`)).body;
  assert.deepEqual(createHash('sha256').update(large).digest(), createHash('sha256').update(stored).digest());
  assert.equal((await use(main, secret, content(deep.Id))).body.toString(), 'deep down');
  await saveFile(main, { FolderId: folder.Id, FileName: 'a.txt' }, 'second');
  assert.equal((await use(main, secret, `${content(a.Id)}?version=1`)).body.toString(), 'second');
  assert.match(
    String((await use(main, secret, `${content(a.Id)}?inline=true`)).headers['content-disposition']),
    /^inline/,
  );
});

test('An archive has everything beneath the link', async () => {
  const { folder, a } = await makeTree();
  const answer = await use(main, secretOf(await makeShare(main, folder.Id)), '/archive');
  assert.equal(answer.status, 200);
  assert.equal(answer.headers['content-type'], 'application/zip');
  assert.deepEqual([...(await unzip(answer.body)).keys()].sort(), ['a.txt', 'b.txt', 'inner/', 'inner/deep.txt']);
  const one = await use(main, secretOf(await makeShare(main, a.Id)), '/archive');
  assert.deepEqual([...(await unzip(one.body))], [['a.txt', 'first file']]);
});

test('Nothing beside or above the link can be reached', async () => {
  const { top, folder, beside, inner, a } = await makeTree();
  const secret = secretOf(await makeShare(main, inner.Id));
  for (const id of [top.Id, folder.Id, main.application.RootFolderId, '-root-', randomUUID(), 'x']) {
    const folder = await use(main, secret, `/folders/${id}`);
    assertRefusal(folder, 404, 'FolderNotFound');
    assert.doesNotMatch(folder.body.toString(), /root|path|trash/, 'visitors know nothing of these');
  }
  for (const id of [beside.Id, a.Id, folder.Id, inner.Id, randomUUID(), '-root-']) {
    const file = await use(main, secret, content(id));
    assertRefusal(file, 404, 'FileNotFound');
    assert.doesNotMatch(file.body.toString(), /root|path|trash/);
  }
  for (const path of ['/entries', `/files/${a.Id}/versions`, '/search?q=a', '/changes', '/shares']) {
    assertRefusal(await use(main, secret, path), 404, 'RouteNotFound');
  }
  assertRefusal(await use(main, secret, '', { method: 'DELETE' }), 404, 'MethodNotAllowed');
});

test('What is moved or trashed out of the link is gone from it, and what is moved in is there', async () => {
  const { top, folder, a, beside } = await makeTree();
  const secret = secretOf(await makeShare(main, folder.Id));
  await manage(main, 'PATCH', `/entries/${a.Id}`, { ParentFolderId: top.Id });
  assertRefusal(await use(main, secret, content(a.Id)), 404, 'FileNotFound');
  await manage(main, 'PATCH', `/entries/${beside.Id}`, { ParentFolderId: folder.Id });
  assert.equal((await use(main, secret, content(beside.Id))).status, 200);
  await manage(main, 'DELETE', `/entries/${beside.Id}`);
  assertRefusal(await use(main, secret, content(beside.Id)), 404, 'FileNotFound');
  await manage(main, 'PATCH', `/entries/${folder.Id}`, {
    ParentFolderId: main.application.RootFolderId,
    Name: randomUUID(),
  });
  assert.equal((await use(main, secret)).status, 200);
});

test('A link with a password needs it', async () => {
  const { folder, a } = await makeTree();
  const Password = 'öffne dich 100%';
  const share = await makeShare(main, folder.Id, { Password });
  const secret = secretOf(share);
  const shown = (text: string) => ({ headers: { SharePassword: encodeURIComponent(text) } });
  for (const path of ['', `/folders/${folder.Id}`, content(a.Id), '/archive']) {
    const missing = await use(main, secret, path);
    assertRefusal(missing, 401, 'SharePasswordMissing');
    assert.match(String(missing.headers['www-authenticate']), /^SharePassword/);
    assertRefusal(await use(main, secret, path, shown('x')), 401, 'SharePasswordInvalid');
    assert.equal((await use(main, secret, path, shown(Password))).status, 200);
  }
  assert.equal(toOpened(await use(main, secret, '', shown(Password))).Share.HasPassword, true);
  await changeShare(main, share, { Password: 'another' });
  assertRefusal(await use(main, secret, '', shown(Password)), 401, 'SharePasswordInvalid');
  assert.equal((await use(main, secret, '', shown('another'))).status, 200);
  await changeShare(main, share, { Password: null });
  assert.equal((await use(main, secret)).status, 200);
});

test('After ten wrong passwords a link takes no more from that address for a while', async () => {
  const { folder } = await makeTree();
  const share = await makeShare(main, folder.Id, { Password: 'right' });
  const other = await makeShare(main, folder.Id, { Password: 'right' });
  const attempt = (one: Share, password: string) =>
    use(main, secretOf(one), '', { headers: { SharePassword: password } });
  for (let times = 0; times < 10; times += 1) {
    assertRefusal(await attempt(share, `wrong${times}`), 401, 'SharePasswordInvalid');
  }
  const refused = await attempt(share, 'wrong');
  assertRefusal(refused, 403, 'TooManyRequests');
  assert.ok(Number(refused.headers['retry-after']) > 0);
  assertRefusal(await attempt(share, 'right'), 403, 'TooManyRequests');
  assert.equal((await attempt(other, 'right')).status, 200);
  await changeShare(main, share, { Password: null });
  assert.equal((await use(main, secretOf(share))).status, 200);
});

test('The number of downloads is exact, also at the same time', async () => {
  const { folder, b } = await makeTree();
  const share = await makeShare(main, folder.Id, { MaxDownloads: 5 });
  const secret = secretOf(share);
  const answers = await Promise.all(Array.from({ length: 20 }, () => use(main, secret, content(b.Id))));
  assert.equal(answers.filter(({ status }) => status === 200).length, 5);
  for (const answer of answers) if (answer.status !== 200) assertRefusal(answer, 404, 'ShareNotFound');
  const shown = await showShare(main, share);
  assert.deepEqual([shown.Downloads, shown.State], [5, 'exhausted']);
  assert.equal((await changeShare(main, share, { MaxDownloads: 6 })).State, 'active');
  assert.equal((await use(main, secret, '/archive')).status, 200);
  assert.equal((await showShare(main, share)).State, 'exhausted');
});

test('Reading without the first byte is no download, and in the audit log', async () => {
  const { Id: FolderId } = await makeFolder(admin);
  const { File } = await saveFile(admin, { FolderId, FileName: 'a.txt' }, 'first file');
  const share = await makeShare(admin, File.Id);
  const rest = await use(admin, secretOf(share), content(File.Id), { headers: { Range: 'bytes=1-' } });
  assert.deepEqual([rest.status, rest.body.toString()], [206, 'irst file']);
  const { Events } = await get<{ Events: Event[] }>(admin, `/audit?entry=${File.Id}`);
  const actions = Events.filter(({ By }) => By === `share:${share.Id}`).map(({ Action }) => Action);
  assert.deepEqual(actions, ['share.opened']);
});

test('Only what is sent from the first byte on is a download', async () => {
  const { folder, a, deep } = await makeTree();
  const share = await makeShare(main, folder.Id, { MaxDownloads: 3 });
  const secret = secretOf(share);
  const ask = (headers: Record<string, string>, method = 'GET') =>
    use(main, secret, content(a.Id), { method, headers });
  const downloads = async () => (await showShare(main, share)).Downloads;
  const etag = String((await ask({}, 'HEAD')).headers.etag);
  assert.equal((await ask({ 'If-None-Match': etag })).status, 304);
  assert.equal((await ask({ Range: 'bytes=1-3' })).status, 206);
  assert.equal((await ask({ Range: 'bytes=99-' })).status, 416);
  await use(main, secret, '/archive', { method: 'HEAD' });
  await use(main, secret);
  assert.equal(await downloads(), 0);
  assert.equal((await ask({ Range: 'bytes=0-3' })).status, 206);
  assert.equal(await downloads(), 1);
  assert.equal((await ask({ Range: 'bytes=2-3,0-0' })).status, 206);
  assert.equal((await ask({ Range: 'bytes=-10' })).status, 206);
  assert.equal(await downloads(), 3);
  // Used up: a download that was begun may be resumed, and nothing else.
  const rest = await ask({ Range: 'bytes=4-', 'If-Range': etag });
  assert.deepEqual([rest.status, rest.body.toString()], [206, 't file']);
  const unusable = [
    await ask({ Range: 'bytes=0-' }),
    await ask({ Range: 'bytes=4-', 'If-Range': '"other"' }),
    await ask({ Range: 'bytes=99-' }),
    await ask({ 'If-None-Match': etag }),
    await ask({}),
    await use(main, secret, content(deep.Id), { headers: { Range: 'bytes=1-' } }),
    await use(main, secret, content(randomUUID()), { headers: { Range: 'bytes=1-' } }),
    await use(main, secret, '/archive'),
    await use(main, secret),
  ];
  for (const answer of unusable) assertRefusal(answer, 404, 'ShareNotFound');
  assert.equal((await ask({}, 'HEAD')).status, 404);
  assert.equal(await downloads(), 3);
});

test('Links that cannot be used answer the same, before any password', async () => {
  const { folder, a } = await makeTree();
  const make = (fields: object = {}) => makeShare(main, folder.Id, { Password: 'x', ...fields });
  const headers = { SharePassword: 'x' };
  const exhausted = await make({ MaxDownloads: 1 });
  assert.equal((await use(main, secretOf(exhausted), content(a.Id), { headers })).status, 200);
  const revoked = await make();
  await manage(main, 'DELETE', `/shares/${revoked.Id}`);
  const gone = await createFolder(main, folder.Id, 'gone');
  const suspended = await makeShare(main, gone.Id, { Password: 'x' });
  await manage(main, 'DELETE', `/entries/${gone.Id}`);
  const secrets = [exhausted, revoked, suspended].map(secretOf);
  for (const path of ['', `/folders/${folder.Id}`, content(a.Id), '/archive']) {
    const unknown = await use(main, randomBytes(32).toString('base64url'), path);
    assertRefusal(unknown, 404, 'ShareNotFound');
    for (const secret of [...secrets, 'x', `${secrets[0]}=`]) {
      assert.deepEqual(toComparable(await use(main, secret, path)), toComparable(unknown));
      assert.deepEqual(toComparable(await use(main, secret, path, { headers })), toComparable(unknown));
    }
  }
  await manage(main, 'POST', `/entries/${gone.Id}/restore`, {});
  assert.equal((await use(main, secretOf(suspended), '', { headers })).status, 200);
  await changeShare(main, exhausted, { MaxDownloads: null, ExpiresAt: new Date(Date.now() + dayMs).toISOString() });
  assert.equal((await use(main, secretOf(exhausted), '', { headers })).status, 200);
});

test('Opening and downloading are in the audit log, with address and without the secret', async () => {
  const folder = await createFolder(admin, admin.application.RootFolderId, randomUUID());
  const { File } = await saveFile(admin, { FolderId: folder.Id, FileName: 'a.txt' }, 'a');
  const share = await makeShare(admin, folder.Id, { Password: 'open sesame' });
  const headers = { SharePassword: 'open%20sesame' };
  for (const path of ['', '', content(File.Id), '/archive']) await use(admin, secretOf(share), path, { headers });
  const eventsOf = async (id: string) =>
    (await get<{ Events: Event[] }>(admin, `/audit?entry=${id}`)).Events.filter(({ By }) => By === `share:${share.Id}`);
  const events = [...(await eventsOf(folder.Id)), ...(await eventsOf(File.Id))];
  assert.deepEqual(events.map(({ Action }) => Action).sort(), ['share.downloaded', 'share.downloaded', 'share.opened']);
  for (const { Details } of events) {
    assert.equal(Details.Share, share.Id);
    assert.match(String(Details.Address), /127\.0\.0\.1|::1/);
  }
  assert.ok(!JSON.stringify(events).includes(secretOf(share)));
  assert.ok((await showShare(admin, share)).LastUsedAt !== null);
});
