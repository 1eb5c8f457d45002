// The pages of links (docs/contract.md §14.4), as browsers get them: names are escaped, nothing runs, a right password becomes a cookie,
// and every link that cannot be used has the same page.

import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { type Answer, type Caller, createFolder, saveFile, send } from '../interface/client.ts';
import { manage } from '../interface/managing.ts';
import { changeShare, makeShare, type Share, secretOf, showShare } from '../interface/shares.ts';
import { addCaller, makeDataFolder, removeDataFolder } from '../service/service.ts';
import { type StartedHere, startServiceHere } from '../service/service-here.ts';

const dataFolder = makeDataFolder();
let service: StartedHere;
let owner: Caller;

before(async () => {
  service = await startServiceHere(dataFolder, { environment: { CABINET_MTLS_PORT: 'off' } });
  owner = await addCaller(dataFolder, service.production, 'owner');
});

after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

const evil = '<img src=x onerror=alert(1)>&"\'';

async function makeTree() {
  const folder = await createFolder(owner, owner.application.RootFolderId, `${randomUUID()}`);
  const inner = await createFolder(owner, folder.Id, evil.replaceAll('/', ''));
  const { File } = await saveFile(
    owner,
    { FolderId: folder.Id, FileName: `${evil}.txt`, 'Content-Type': 'text/plain' },
    'text',
  );
  return { folder, inner, file: File };
}

const open = (share: Pick<Share, 'Url'>, path = '', request = {}) =>
  send(owner.base, new URL(String(share.Url)).pathname + path, request);
const toText = ({ body }: Answer) => body.toString();

/** Without what differs by design. */
function toComparable({ status, headers: { date: _, requesttrackingid, ...headers }, body }: Answer): unknown {
  return { status, headers, body: body.toString() };
}

function assertGuarded({ headers, body }: Answer): void {
  const policy = String(headers['content-security-policy']);
  assert.match(policy, /default-src 'none'/);
  assert.ok(!policy.includes('unsafe-inline'));
  assert.equal(headers['referrer-policy'], 'no-referrer');
  assert.equal(headers['cache-control'], 'no-store');
  assert.equal(headers['x-robots-tag'], 'noindex');
  assert.ok(!/<script(?! src=)|onerror=alert\(1\)>|style=/.test(body.toString()));
}

function submit(share: Pick<Share, 'Url'>, password: string): Promise<Answer> {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  return open(share, '', { method: 'POST', headers, body: new URLSearchParams({ password }).toString() });
}

test('A folder, what is beneath it and a file have pages', async () => {
  const { folder, inner, file } = await makeTree();
  const share = await makeShare(owner, folder.Id, { Name: evil, Note: evil });
  for (const path of ['', `/folders/${inner.Id}`, `/folders/${folder.Id}`, `/files/${file.Id}`]) {
    const answer = await open(share, path);
    assert.equal(answer.status, 200, toText(answer));
    assertGuarded(answer);
    assert.ok(toText(answer).includes('&#60;img src=x onerror=alert(1)&#62;'));
  }
  const text = toText(await open(share));
  const content = `/v1/contentmanagement/shared/${secretOf(share)}`;
  for (const address of [`${content}/archive`, `${content}/files/${file.Id}/content`])
    assert.ok(text.includes(address));
  const page = toText(await open(share, `/files/${file.Id}`));
  assert.match(page, /<link rel="icon" href="\/s-files\/icon.svg"/);
  assert.match(
    page,
    /<div class="look" data-look="text" data-source="[^"]+inline=true" data-bytes="262144" data-none="/,
  );
  assert.match(page, /<noscript><p>The preview needs JavaScript.<\/p><\/noscript>/);
  for (const path of ['page.css', 'upload.js', 'view.js'])
    assert.equal((await send(owner.base, `/s-files/${path}`)).status, 200);
  assert.equal((await showShare(owner, share)).Downloads, 0);
});

test('A long folder has pages', async () => {
  const { folder } = await makeTree();
  const share = await makeShare(owner, folder.Id);
  const first = toText(await open(share, '?limit=1'));
  const [, query = ''] = /href="[^"]+\?([^"]+)">Show more/.exec(first) ?? [];
  const second = toText(await open(share, `?${query.replaceAll('&#38;', '&')}`));
  assert.ok(second.includes('.txt') && !second.includes('Show more'));
});

test('A link for uploads has a form, and shows nothing', async () => {
  const { folder, file } = await makeTree();
  const share = await makeShare(owner, folder.Id, { Access: 'upload', Name: 'Drop' });
  const answer = await open(share);
  assertGuarded(answer);
  assert.match(toText(answer), /<script src="\/s-files\/upload.js" type="module">/);
  assert.ok(!toText(answer).includes('.txt'));
  assert.equal((await open(share, `/files/${file.Id}`)).status, 404);
});

test('A right password becomes a cookie that opens pages and bytes, until the password changes', async () => {
  const { folder, file } = await makeTree();
  const share = await makeShare(owner, folder.Id, { Password: 'öffne dich' });
  const asked = await open(share);
  assert.equal(asked.status, 401);
  assertGuarded(asked);
  assert.match(toText(asked), /<form method="post"/);
  assert.ok(!toText(asked).includes(folder.Name));
  const wrong = await submit(share, 'x');
  assert.deepEqual([wrong.status, wrong.headers['set-cookie']], [401, undefined]);
  const right = await submit(share, 'öffne dich');
  assert.equal(right.status, 303);
  const [cookie = ''] = [right.headers['set-cookie'] ?? []].flat();
  assert.match(cookie, /; HttpOnly; SameSite=Lax$/);
  const [Cookie = ''] = cookie.split(';');
  assert.equal((await open(share, '', { headers: { Cookie } })).status, 200);
  const content = `/v1/contentmanagement/shared/${secretOf(share)}/files/${file.Id}/content`;
  assert.equal((await send(owner.base, content, { headers: { Cookie } })).status, 200);
  const other = await makeShare(owner, folder.Id, { Password: 'öffne dich' });
  for (const forged of [Cookie.replace(share.Id, other.Id), Cookie.replace(/=\d/, '=9'), `${Cookie}x`]) {
    assert.equal(
      (await open(forged.includes(other.Id) ? other : share, '', { headers: { Cookie: forged } })).status,
      401,
    );
  }
  await changeShare(owner, share, { Password: 'another' });
  assert.equal((await open(share, '', { headers: { Cookie } })).status, 401);
});

test('Links that cannot be used have the same page, before any password', async () => {
  const { folder, inner } = await makeTree();
  const revoked = await makeShare(owner, folder.Id, { Password: 'x' });
  await manage(owner, 'DELETE', `/shares/${revoked.Id}`);
  const suspended = await makeShare(owner, inner.Id, { Password: 'x' });
  await manage(owner, 'DELETE', `/entries/${inner.Id}`);
  const unknown = await send(owner.base, `/s/${randomBytes(32).toString('base64url')}`);
  assert.equal(unknown.status, 404);
  assertGuarded(unknown);
  for (const share of [revoked, suspended]) {
    for (const answer of [await open(share), await submit(share, 'x')]) {
      assert.deepEqual(toComparable(answer), toComparable(unknown));
    }
  }
});
