// Dead properties (docs/contract.md §13.5): kept at the entry, copied and moved with it.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Dav, type DavService, startDav } from './dav.ts';

let service: DavService;
let dav: Dav;

before(async () => {
  service = await startDav();
  dav = await service.addClient('props');
});

after(() => service[Symbol.asyncDispose]());

const update = (inner: string) => `<D:propertyupdate xmlns:D="DAV:" xmlns:Z="urn:z">${inner}</D:propertyupdate>`;
const set = (property: string) => update(`<D:set><D:prop>${property}</D:prop></D:set>`);
const patch = async (path: string, body: string) => (await dav.must(207, 'PROPPATCH', path, { body })).text;
const wanted = '<Z:a xmlns:Z="urn:z"/>';

test('what is set is found as it was, and does not change the ETag', async () => {
  const { headers } = await dav.put('a', 'x');
  const answer = await patch('a', set('<Z:a k="1" xml:lang="de">ä <b xmlns="urn:b">&lt;</b></Z:a>'));
  assert.match(answer, /<a xmlns="urn:z"\/><\/D:prop><D:status>HTTP\/1.1 200 OK/);
  const found = await dav.propfind('a', '0', wanted);
  assert.ok(found.includes('<Z:a xmlns:Z="urn:z" k="1" xml:lang="de">ä <b xmlns="urn:b">&lt;</b></Z:a>'), found);
  assert.equal((await dav.must(200, 'HEAD', 'a')).headers.get('etag'), headers.get('etag'));
  assert.ok(
    (await dav.must(207, 'PROPFIND', 'a', { headers: { Depth: '0' } })).text.includes('<Z:a '),
    'allprop has it',
  );
});

test('it follows COPY and MOVE, also over a file, and stays through the trash', async () => {
  const has = async (path: string) => /<Z:a .*HTTP\/1.1 200/.test(await dav.propfind(path, '0', wanted));
  await dav.put('b', 'x');
  await patch('b', set('<Z:a>1</Z:a>'));
  await dav.must(201, 'COPY', 'b', { headers: { Destination: dav.url('c') } });
  await dav.must(201, 'MOVE', 'c', { headers: { Destination: dav.url('d') } });
  await dav.put('e', 'y');
  await patch('e', set('<Z:other>1</Z:other>'));
  await dav.must(204, 'MOVE', 'd', { headers: { Destination: dav.url('e') } });
  assert.deepEqual([await has('b'), await has('e')], [true, true]);
  assert.match(await dav.propfind('e', '0', '<Z:other xmlns:Z="urn:z"/>'), /404 Not Found/);
  await dav.must(201, 'MKCOL', 'f');
  await patch('f/', set('<Z:a>1</Z:a>'));
  await dav.put('f/g', 'x');
  await patch('f/g', set('<Z:a>1</Z:a>'));
  await dav.must(201, 'COPY', 'f/', { headers: { Destination: dav.url('h') } });
  assert.deepEqual([await has('h/'), await has('h/g')], [true, true]);
  assert.match(await dav.propfind('h/', '1', wanted), /<Z:a [\s\S]*<Z:a /);
  const { json } = await dav.rest<{ Entry: { Id: string } }>('GET', '/files?path=/h/g');
  await dav.must(204, 'DELETE', 'h/g');
  assert.equal((await dav.rest('POST', `/entries/${json.Entry.Id}/restore`)).status, 200);
  assert.ok(await has('h/g'));
});

test('all or nothing: a protected property, and more than 64 KiB', async () => {
  await dav.put('g', 'x');
  const refused = await patch('g', set('<D:getetag>"1"</D:getetag><Z:a>1</Z:a>'));
  assert.match(refused, /<D:getetag\/><\/D:prop><D:status>HTTP\/1.1 403 [\s\S]*cannot-modify-protected-property/);
  assert.match(refused, /<a xmlns="urn:z"\/><\/D:prop><D:status>HTTP\/1.1 424/);
  assert.match(await dav.propfind('g', '0', wanted), /404/);
  await patch('g', set(`<Z:big>${'x'.repeat(60_000)}</Z:big>`));
  assert.match(await patch('g', set(`<Z:more>${'x'.repeat(6000)}</Z:more>`)), /HTTP\/1.1 507/);
  assert.match(await patch('g', update('<D:remove><D:prop><Z:big/><Z:never/></D:prop></D:remove>')), /HTTP\/1.1 200/);
  assert.match(await patch('g', set(`<Z:more>${'x'.repeat(6000)}</Z:more>`)), /HTTP\/1.1 200/);
  for (const body of ['', '<a/>', update(''), set('')]) await dav.must(400, 'PROPPATCH', 'g', { body });
  await dav.must(404, 'PROPPATCH', 'none', { body: set('<Z:a/>') });
});

test("Windows' properties are kept, inside a lock too", async () => {
  await dav.put('w', 'x');
  const info =
    '<D:lockinfo xmlns:D="DAV:"><D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockinfo>';
  const token = (await dav.must(200, 'LOCK', 'w', { body: info })).headers.get('lock-token') ?? '';
  const body = update(
    '<D:set><D:prop><Y:Win32LastModifiedTime xmlns:Y="urn:schemas-microsoft-com:">Wed, 18 Nov 2026 00:00:00 GMT</Y:Win32LastModifiedTime></D:prop></D:set>',
  );
  const { text } = await dav.must(207, 'PROPPATCH', 'w', { body, headers: { If: `(${token})` } });
  assert.match(text, /HTTP\/1.1 200 OK/);
});
