import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DavRefusal } from './dav-refusal.ts';
import { isFulfilled, parseIf, tokensOf } from './if-header.ts';

const token = 'urn:uuid:181d4fae-7d8c-11d0-a765-00a0c91e6bf2';

test('the examples of RFC 4918, section 10.4, are read', () => {
  assert.deepEqual(parseIf(`(<${token}> ["I am an ETag"]) (["I am another ETag"])`), [
    {
      resource: null,
      conditions: [
        { isNegated: false, token },
        { isNegated: false, etag: '"I am an ETag"' },
      ],
    },
    { resource: null, conditions: [{ isNegated: false, etag: '"I am another ETag"' }] },
  ]);
  assert.deepEqual(parseIf(`(Not <${token}> <urn:b>)`), [
    {
      resource: null,
      conditions: [
        { isNegated: true, token },
        { isNegated: false, token: 'urn:b' },
      ],
    },
  ]);
  assert.deepEqual(
    parseIf('</resource1> (<urn:a> [W/"x"]) (["y"]) <http://h/2>(["z"])').map(({ resource }) => resource),
    ['/resource1', '/resource1', 'http://h/2'],
  );
  assert.deepEqual(tokensOf(parseIf('(<urn:a>) (Not <DAV:no-lock>)')), ['urn:a', 'DAV:no-lock']);
});

test('what is not a list of conditions is refused', () => {
  for (const header of [
    '',
    '()',
    '(',
    ')',
    '<a>',
    '(<a>',
    '(Not)',
    '(Not Not <a>)',
    'x (<a>)',
    '(<a>) x',
    '(<a>) <b>',
    '<a> <b> (<c>)',
    '((<a>))',
    '[“a”]',
  ]) {
    assert.throws(() => parseIf(header), DavRefusal, header);
  }
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('(', ')', '<', '>', '[', ']', '"', 'Not ', 'a', ' ') }), (header) => {
      try {
        assert.ok(parseIf(header).length > 0);
      } catch (error) {
        assert.ok(error instanceof DavRefusal);
      }
    }),
  );
});

test('all conditions of a list must be true, and a weak tag never is', () => {
  const state = { etag: '"e"', tokens: ['urn:a'] };
  const first = (header: string) => parseIf(header)[0] as ReturnType<typeof parseIf>[number];
  assert.ok(isFulfilled(first('(<urn:a> ["e"])'), state));
  assert.ok(isFulfilled(first('(Not <urn:b> Not ["f"])'), state));
  assert.ok(!isFulfilled(first('(<urn:a> ["f"])'), state));
  assert.ok(!isFulfilled(first('([W/"e"])'), state));
  assert.ok(!isFulfilled(first('(Not <urn:a>)'), state));
});
