// Random bodies and headers (docs/contract.md §13.3): never a 5xx, nothing half done, and no memory that is kept.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { sized } from '../size.ts';
import { type Dav, type DavService, startDav } from './dav.ts';

let service: DavService;
let dav: Dav;

before(async () => {
  service = await startDav();
  dav = await service.addClient('fuzz');
  await dav.must(201, 'MKCOL', 'box');
  await dav.put('fuzzed', 'x');
});

after(() => service[Symbol.asyncDispose]());

const root = fc.constantFrom('propfind', 'propertyupdate', 'lockinfo', 'x');
const method = fc.constantFrom('PROPFIND', 'PROPPATCH', 'LOCK');

/** Pieces in any order: hardly ever well-formed. */
const pieces = fc.constantFrom(
  ...[
    '<',
    '>',
    '/>',
    '</',
    '<D:prop>',
    '</D:prop>',
    '<D:allprop/>',
    '<D:set>',
    '</D:set>',
    '<D:owner>',
    '<D:exclusive/>',
  ],
  ...[
    'xmlns:D="DAV:"',
    'xmlns=""',
    '&amp;',
    '&#0;',
    '&#x1F600;',
    '&x;',
    '<!DOCTYPE a>',
    '<!ENTITY x "y">',
    '<![CDATA[',
    ']]>',
  ],
  ...[
    '<?a?>',
    '<?xml version="1.1"?>',
    '<!--',
    '-->',
    '\u{0}',
    'é',
    '\u{FFFF}',
    '\uFEFF',
    ' '.repeat(1000),
    'a'.repeat(1000),
  ],
);
const broken = fc.tuple(root, fc.array(pieces, { maxLength: 12 }), fc.boolean()).map(([name, inside, isClosed]) => {
  return `<D:${name} xmlns:D="DAV:">${inside.join('')}${isClosed ? `</D:${name}>` : ''}`;
});

const names = fc.constantFrom(
  ...[
    'D:prop',
    'D:set',
    'D:remove',
    'D:allprop',
    'D:propname',
    'D:include',
    'D:getetag',
    'D:lockdiscovery',
    'D:resourcetype',
  ],
  ...['D:lockscope', 'D:locktype', 'D:exclusive', 'D:shared', 'D:write', 'D:owner', 'D:href', 'D:quota-used-bytes'],
  ...['Z:any', 'any', 'Z:Win32FileAttributes', 'Z:ü', 'Z:__proto__', 'Z:constructor'],
);
const words = fc.oneof(
  fc.constantFrom('', 'text', '&lt;b&gt;', '<![CDATA[<]]>', '\n', '1'.repeat(5000)),
  fc.string({ maxLength: 20 }).map((text) => text.replaceAll(/[<&>\p{Cc}\p{Cs}\uFFFE\uFFFF]/gu, '')),
);
const attributes = fc.constantFrom(
  '',
  ' xml:lang="de"',
  ' xmlns="urn:other"',
  ' a="&quot;"',
  ' xmlns:Y="urn:y" Y:a="1"',
  ' xmlns=""',
);

/** Well-formed trees of the protocol's own elements, in places where they make no sense. */
const { tree } = fc.letrec<{ tree: string; children: string }>((tie) => ({
  tree: fc
    .tuple(names, attributes, tie('children'))
    .map(([name, attribute, children]) => `<${name}${attribute}>${children}</${name}>`),
  children: fc.oneof(
    { maxDepth: 6 },
    words,
    fc.array(tie('tree'), { maxLength: 4 }).map((all) => all.join('')),
  ),
}));
const wellFormed = fc.tuple(root, fc.array(tree, { maxLength: 4 })).map(([name, inside]) => {
  return `<?xml version="1.0"?><D:${name} xmlns:D="DAV:" xmlns:Z="urn:z">${inside.join('')}</D:${name}>`;
});

const depth = fc.constantFrom('0', '1', 'infinity', '2', '');
const body = fc.oneof(broken, wellFormed);

/** Of the process in which the service runs, after everything that can be given back was. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

const runs = sized(400, 10_000);
const keptBytes = 24 * 1024 * 1024;

test('whatever XML is sent, the answer is never a 5xx, and memory does not grow', { timeout: 1_800_000 }, async () => {
  let count = 0;
  let warmBytes = 0;
  await fc.assert(
    fc.asyncProperty(method, depth, body, async (name, Depth, text) => {
      count += 1;
      // Caches and compiled code are there by then.
      if (count === Math.floor(runs / 4)) warmBytes = heapBytes();
      const answer = await dav.send(name, count % 3 === 0 ? 'box/' : 'fuzzed', { headers: { Depth }, body: text });
      assert.ok(answer.status < 500 || answer.text.includes('507'), `${name} ${text}: ${answer.status}`);
      const token = answer.headers.get('lock-token');
      if (token === null) return;
      const path = count % 3 === 0 ? 'box/' : 'fuzzed';
      await dav.must(204, 'UNLOCK', path, { headers: { 'Lock-Token': token } });
    }),
    { numRuns: runs, endOnFailure: true },
  );
  const grown = heapBytes() - warmBytes;
  assert.ok(grown < keptBytes, `${Math.round(grown / 1024)} KiB more after ${runs} bodies`);
  assert.deepEqual((await dav.list('')).toSorted(), ['box', 'fuzzed']);
  assert.equal(await dav.get('fuzzed'), 'x');
});

const token = fc.constantFrom(
  '<urn:x>',
  '<',
  '()',
  '(<urn:x>)',
  '(Not <DAV:no-lock>)',
  '(["x"])',
  '([W/"x"])',
  'Not',
  '<http://[>',
);
const header = fc.oneof(
  fc.string({ maxLength: 30 }).map((text) => text.replaceAll(/[^\x20-\x7e]/g, '').trim()),
  fc.array(token, { maxLength: 4 }).map((all) => all.join(' ')),
  fc.constantFrom(
    '/dav/fuzz/x%2Fy',
    '/dav/fuzz/%ff',
    'http://127.0.0.1:1/dav/fuzz/y',
    '//',
    'http:',
    '/dav/fuzz/box/../x',
  ),
);
const anyHeaders = fc.dictionary(
  fc.constantFrom(
    'If',
    'Depth',
    'Overwrite',
    'Destination',
    'Timeout',
    'Lock-Token',
    'If-Match',
    'X-Expected-Entity-Length',
  ),
  header,
  { maxKeys: 4 },
);
const anyMethod = fc.constantFrom(
  'PROPFIND',
  'PROPPATCH',
  'LOCK',
  'UNLOCK',
  'COPY',
  'MOVE',
  'PUT',
  'MKCOL',
  'GET',
  'DELETE',
);
const anyPath = fc.constantFrom(
  'fuzzed-headers',
  'box/inner',
  'box/',
  '',
  '/dav/',
  '/dav/other/x',
  'a%5Cb',
  '%',
  'x/y/z',
);

test('whatever headers are sent, the answer is never a 5xx', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(anyMethod, anyPath, anyHeaders, async (name, path, headers) => {
      if (path === 'box/' && name === 'DELETE') return;
      const { status, text } = await dav.send(name, path, { headers });
      // Another server, which is none of ours.
      assert.ok(status < 500 || status === 502, `${name} ${path} ${JSON.stringify(headers)}: ${status} ${text}`);
    }),
    { numRuns: sized(300, 3000) },
  );
});
