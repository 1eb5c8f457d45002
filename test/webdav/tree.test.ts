// Files and folders over WebDAV (docs/contract.md §13): the same entries as over REST.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Dav, type DavService, startDav } from './dav.ts';

let service: DavService;
let dav: Dav;

before(async () => {
  service = await startDav();
  dav = await service.addClient('tree');
});

after(() => service[Symbol.asyncDispose]());

interface Shown {
  Entry: { Id: string; Name: string; Type: string };
  Version: number;
  Sha256: string;
}

async function show(path: string): Promise<Shown | null> {
  const kind = path.endsWith('/') ? 'folders' : 'files';
  const at = encodeURIComponent(`/${path.replace(/\/$/, '')}`);
  const { status, json } = await dav.rest<{ Folder: { Id: string }; Entry: { Id: string } }>(
    'GET',
    `/${kind}?path=${at}`,
  );
  if (status === 404) return null;
  const id = kind === 'folders' ? json.Folder.Id : json.Entry.Id;
  return (await dav.rest<Shown>('GET', `/entries/${id}`)).json;
}

test('OPTIONS needs no credentials and names the classes, also at the root of the address', async () => {
  for (const path of ['/dav', '/dav/', '/dav/tree/x', '/']) {
    const response = await fetch(`${service.production}${path}`, { method: 'OPTIONS' });
    assert.equal(response.status, 200, path);
    assert.match(response.headers.get('dav') ?? '', /^1/);
    assert.equal(response.headers.get('ms-author-via'), 'DAV');
    assert.match(response.headers.get('allow') ?? '', /PROPFIND/);
  }
});

test('what is put is there over REST, and a second put makes a second version', async () => {
  assert.equal((await dav.put('a.txt', 'one')).status, 201);
  const second = await dav.put('a.txt', 'two');
  assert.equal(second.status, 204);
  const shown = await show('a.txt');
  assert.equal(shown?.Version, 2);
  const answer = await dav.must(200, 'GET', 'a.txt');
  assert.equal(answer.text, 'two');
  assert.equal(answer.headers.get('etag'), second.headers.get('etag'));
  assert.equal((await dav.must(206, 'GET', 'a.txt', { headers: { Range: 'bytes=1-1' } })).text, 'w');
  await dav.must(304, 'GET', 'a.txt', { headers: { 'If-None-Match': answer.headers.get('etag') ?? '' } });
});

test('MKCOL, DELETE and their refusals', async () => {
  await dav.must(201, 'MKCOL', 'box');
  await dav.must(405, 'MKCOL', 'box/');
  await dav.must(409, 'MKCOL', 'none/box');
  await dav.must(415, 'MKCOL', 'body', { body: '<x/>' });
  await dav.must(409, 'PUT', 'none/a.txt', { body: 'x' });
  await dav.must(405, 'PUT', 'box', { body: 'x' });
  await dav.must(204, 'DELETE', 'box/');
  await dav.must(404, 'DELETE', 'box/');
  const { json } = await dav.rest<{ Entries: { Path: string }[] }>('GET', '/trash');
  assert.ok(json.Entries.some(({ Path }) => Path === '/box'));
  await dav.must(403, 'DELETE', '');
  await dav.must(403, 'DELETE', '/dav/');
  await dav.must(403, 'MKCOL', '/dav/another');
  await dav.must(409, 'MKCOL', '/dav/another/below');
  await dav.must(404, 'GET', '/dav/another/below');
});

test('a file moved over a file is a new version of it', async () => {
  await dav.put('report.odt', 'first');
  const before = await show('report.odt');
  await dav.put('tmp1', 'second');
  await dav.must(204, 'MOVE', 'tmp1', { headers: { Destination: dav.url('report.odt') } });
  const now = await show('report.odt');
  assert.equal(now?.Entry.Id, before?.Entry.Id);
  assert.equal(now?.Version, 2);
  assert.equal(await dav.get('report.odt'), 'second');
  await dav.must(404, 'GET', 'tmp1');
  const { json } = await dav.rest<{ Entries: { Path: string }[] }>('GET', '/trash');
  assert.ok(
    !json.Entries.some(({ Path }) => Path === '/tmp1' || Path === '/report.odt'),
    'nothing of it is in the trash',
  );
});

test('a moved file that has a history of its own goes to the trash with it', async () => {
  await dav.put('with-history', 'a');
  await dav.put('with-history', 'b');
  await dav.put('over', 'c');
  await dav.must(204, 'MOVE', 'with-history', { headers: { Destination: '/dav/tree/over' } });
  const { json } = await dav.rest<{ Entries: { Path: string }[] }>('GET', '/trash');
  assert.ok(json.Entries.some(({ Path }) => Path === '/with-history'));
  assert.equal(await dav.get('over'), 'b');
});

test('anything else that is replaced goes to the trash', async () => {
  await dav.must(201, 'MKCOL', 'from');
  await dav.put('from/a', 'a');
  await dav.must(201, 'MKCOL', 'to');
  await dav.put('to/b', 'b');
  await dav.must(412, 'COPY', 'from', { headers: { Destination: dav.url('to'), Overwrite: 'F' } });
  await dav.must(204, 'COPY', 'from', { headers: { Destination: dav.url('to') } });
  assert.deepEqual(await dav.list('to/'), ['a']);
  await dav.put('plain', 'p');
  await dav.must(204, 'MOVE', 'plain', { headers: { Destination: dav.url('to/') } });
  assert.equal(await dav.get('to'), 'p');
  const { json } = await dav.rest<{ Entries: { Path: string }[] }>('GET', '/trash');
  assert.equal(json.Entries.filter(({ Path }) => Path === '/to').length, 2);
});

test('Destination: the own authority or a path; others are 502, another space is 403', async () => {
  await dav.put('d1', 'x');
  const to = (Destination: string) => dav.send('COPY', 'd1', { headers: { Destination } });
  assert.equal((await to('http://elsewhere.example/dav/tree/d2')).status, 502);
  assert.equal((await to('/v1/contentmanagement/d2')).status, 502);
  assert.equal((await to('/dav/tree/d2')).status, 201);
  assert.equal((await to(dav.url('d3'))).status, 201);
  assert.equal((await to('/dav/tree/none/d2')).status, 409);
  assert.equal((await to('/dav/tree/d1')).status, 403);
  assert.equal((await to('/dav/tree/%2F')).status, 400);
  assert.equal((await to('d4')).status, 400);
  await service.addClient('neighbour');
  assert.deepEqual(
    [(await to('/dav/neighbour/d1')).status, (await to('/dav/nobody/d1')).status, (await to('/dav/nobody')).status],
    [403, 403, 403],
  );
  await dav.must(201, 'MKCOL', 'outer');
  await dav.must(201, 'MKCOL', 'outer/inner');
  await dav.must(403, 'MOVE', 'outer', { headers: { Destination: dav.url('outer/inner/x') } });
  await dav.must(403, 'MOVE', 'outer/inner', { headers: { Destination: dav.url('outer') } });
  assert.deepEqual(await dav.list('outer/'), ['inner']);
});

test('names: stored as sent, matched by NFC; refused ones say why; broken ones are 400', async () => {
  const nfd = encodeURIComponent('é.txt'.normalize('NFD'));
  const nfc = encodeURIComponent('é.txt'.normalize('NFC'));
  await dav.put(nfd, 'accent');
  assert.equal(await dav.get(nfc), 'accent');
  assert.equal((await dav.put(nfc, 'again')).status, 204);
  assert.ok((await dav.list('')).includes('é.txt'.normalize('NFD')));
  const refused = await dav.must(403, 'PUT', 'a%5Cb', { body: 'x' });
  assert.match(refused.text, /<D:error .*cannot contain .*\\/);
  for (const path of ['a%2Fb', 'a%00', '%ff', '%zz', 'a%2']) await dav.must(400, 'PUT', path, { body: 'x' });
  await dav.put(encodeURIComponent("odd #%&'()*+;=@!~ü😀.txt"), 'odd');
  assert.ok((await dav.list('')).includes("odd #%&'()*+;=@!~ü😀.txt"));
});

test('preconditions: If-Match, If-None-Match and If', async () => {
  const { headers } = await dav.put('cond', 'one');
  const etag = headers.get('etag') ?? '';
  await dav.must(412, 'PUT', 'cond', { body: 'two', headers: { 'If-None-Match': '*' } });
  await dav.must(412, 'PUT', 'cond', { body: 'two', headers: { 'If-Match': '"other"' } });
  await dav.must(412, 'PUT', 'cond', { body: 'two', headers: { If: '(["other"])' } });
  await dav.must(412, 'DELETE', 'cond', { headers: { If: '(<urn:uuid:none>)' } });
  await dav.must(400, 'DELETE', 'cond', { headers: { If: '(<urn' } });
  assert.equal(await dav.get('cond'), 'one');
  await dav.must(204, 'PUT', 'cond', { body: 'two', headers: { If: `(Not <DAV:no-lock> [${etag}])` } });
  await dav.must(412, 'PUT', 'cond', { body: 'three', headers: { If: `<${dav.url('cond')}> ([${etag}])` } });
  await dav.must(204, 'DELETE', 'cond', { headers: { If: '(["other"]) (Not <DAV:no-lock>)' } });
});

test('a body that is shorter than announced saves nothing', async () => {
  await dav.must(400, 'PUT', 'short', { body: 'abc', headers: { 'X-Expected-Entity-Length': '4' } });
  await dav.must(400, 'PUT', 'short', { body: 'abc', headers: { 'Content-Range': 'bytes 0-2/3' } });
  await dav.must(404, 'GET', 'short');
  await dav.must(201, 'PUT', 'short', { body: 'abc', headers: { 'X-Expected-Entity-Length': '3' } });
});

test('PROPFIND: depths, properties, what is missing', async () => {
  await dav.must(201, 'MKCOL', 'listed');
  for (let n = 0; n < 3; n += 1) await dav.put(`listed/f${n}`, `${n}`);
  assert.deepEqual(await dav.list('listed/'), ['f0', 'f1', 'f2']);
  const refused = await dav.must(403, 'PROPFIND', 'listed/', { headers: { Depth: 'infinity' } });
  assert.match(refused.text, /<D:propfind-finite-depth\/>/);
  await dav.must(403, 'PROPFIND', 'listed/');
  for (const headers of [{}, { Depth: 'infinity' }]) {
    const ofFile = await dav.must(403, 'PROPFIND', 'listed/f1', { headers });
    assert.match(ofFile.text, /<D:propfind-finite-depth\/>/);
  }
  const one = await dav.propfind(
    'listed/f1',
    '0',
    '<D:getcontentlength/><D:getetag/><D:quota-available-bytes/><x xmlns="urn:x"/>',
  );
  assert.match(one, /<D:getcontentlength>1<\/D:getcontentlength>/);
  assert.match(one, /<D:prop><D:quota-available-bytes\/><x xmlns="urn:x"\/><\/D:prop><D:status>HTTP\/1.1 404/);
  const etag = (await dav.must(200, 'HEAD', 'listed/f1')).headers.get('etag') ?? '';
  assert.ok(one.includes(`<D:getetag>${etag}</D:getetag>`));
  assert.match(await dav.propfind('/dav/', '1'), /<D:href>\/dav\/tree\/<\/D:href>/);
  assert.match(await dav.propfind('listed/', '0', '<D:quota-used-bytes/>'), /<D:quota-used-bytes>\d+</);
  for (const body of [
    '<',
    '<a/>',
    '<D:propfind xmlns:D="DAV:"/>',
    '<!DOCTYPE a><D:propfind xmlns:D="DAV:"><D:allprop/></D:propfind>',
  ]) {
    await dav.must(400, 'PROPFIND', 'listed/', { headers: { Depth: '0' }, body });
  }
  await dav.must(413, 'PROPFIND', 'listed/', { headers: { Depth: '0' }, body: `<a>${' '.repeat(1024 * 1024)}</a>` });
  await dav.must(400, 'PROPFIND', 'listed/', { headers: { Depth: '0' }, body: '<a>'.repeat(65) + '</a>'.repeat(65) });
});

test('If-Match and If-None-Match are evaluated on every method', async () => {
  await dav.put('guarded', 'x');
  const more = { Destination: dav.url('elsewhere'), 'Lock-Token': '<urn:x>', Depth: '0', 'If-Match': '"other"' };
  for (const method of ['GET', 'PUT', 'DELETE', 'COPY', 'MOVE', 'PROPFIND', 'PROPPATCH', 'LOCK', 'UNLOCK']) {
    await dav.must(412, method, 'guarded', { headers: more });
  }
  await dav.must(412, 'PROPFIND', 'guarded', { headers: { Depth: '0', 'If-None-Match': '*' } });
  await dav.must(412, 'MKCOL', 'guarded-folder', { headers: { 'If-Match': '*' } });
});

test('a rename leaves If-Unmodified-Since as it was: the date is that of the content', async () => {
  await using service = await startDav({}, true);
  const dav = await service.addClient('dated');
  await dav.put('dated', 'x');
  await service.advance(5000);
  await dav.must(201, 'MOVE', 'dated', { headers: { Destination: dav.url('renamed') } });
  const { headers } = await dav.must(200, 'HEAD', 'renamed');
  const since = { 'If-Unmodified-Since': headers.get('last-modified') ?? '' };
  await dav.must(204, 'PUT', 'renamed', { body: 'y', headers: since });
  await service.advance(5000);
  await dav.must(204, 'PUT', 'renamed', { body: 'z' });
  await dav.must(412, 'PUT', 'renamed', { body: 'no', headers: since });
});

test('a body that would be ignored is refused (RFC 4918, section 8.4)', async () => {
  await dav.put('plain', 'x');
  const headers = { Destination: dav.url('elsewhere'), 'Lock-Token': '<urn:x>' };
  for (const method of ['MKCOL', 'DELETE', 'COPY', 'MOVE', 'UNLOCK']) {
    await dav.must(415, method, 'plain', { headers, body: '<x/>' });
  }
  assert.equal(await dav.get('plain'), 'x');
});

test('405 says what the resource allows', async () => {
  await dav.must(201, 'MKCOL', 'fixed');
  await dav.put('fixed/f', 'x');
  const allowed = async (method: string, path: string) => {
    const { headers } = await dav.must(405, method, path, {});
    return (headers.get('allow') ?? '').split(', ');
  };
  for (const method of ['GET', 'PUT', 'MKCOL']) {
    const ofFolder = await allowed(method, 'fixed/');
    assert.ok(ofFolder.includes('PROPFIND') && !ofFolder.includes(method), `${method} ${ofFolder}`);
  }
  const ofFile = await allowed('MKCOL', 'fixed/f');
  assert.ok(ofFile.includes('PUT') && !ofFile.includes('MKCOL'), `${ofFile}`);
  assert.deepEqual(await allowed('GET', '/dav/'), ['OPTIONS', 'PROPFIND']);
});

test('an unknown method is 405 with what is allowed', async () => {
  const answer = await dav.must(405, 'POST', 'a.txt', { body: 'x' });
  assert.match(answer.headers.get('allow') ?? '', /PROPFIND/);
  assert.match(answer.text, /<D:error/);
});
