import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DavRefusal } from './dav-refusal.ts';
import { parseXml, readXml } from './xml-reader.ts';
import { renderElement } from './xml-writer.ts';

test('namespaces are resolved, and what is written stands by itself', () => {
  const root = parseXml(
    '<D:a xmlns:D="DAV:" xmlns="urn:x" xml:lang="de"><b k="1&lt;" D:c="2">t&amp;<![CDATA[<]]></b></D:a>',
  );
  assert.equal(root.namespace, 'DAV:');
  const [child] = root.children;
  assert.ok(typeof child === 'object' && child.namespace === 'urn:x' && child.lang === 'de');
  const text = renderElement(child);
  assert.equal(text, '<b xmlns="urn:x" xmlns:D="DAV:" k="1&lt;" D:c="2" xml:lang="de">t&amp;&lt;</b>');
  assert.equal(renderElement(parseXml(text)), text);
});

test('a DOCTYPE, entities, broken namespaces and broken bytes are refused', async () => {
  const bad = [
    '<a',
    '<a></b>',
    '<!DOCTYPE a []><a/>',
    '<a>&lol;</a>',
    '<x:a/>',
    '<a xmlns:x=""/>',
    'text',
    '<a/><b/>',
    '<a k="1" k="2"/>',
  ];
  for (const text of bad) assert.throws(() => parseXml(text), DavRefusal, text);
  const bytes = async function* () {
    yield Buffer.from([0x3c, 0x61, 0xff, 0x2f, 0x3e]);
  };
  await assert.rejects(readXml(bytes()), DavRefusal);
});

test('UTF-16 is read, with a mark and without one', async () => {
  for (const prefix of ['\u{FEFF}', '']) {
    const body = async function* () {
      yield Buffer.from(`${prefix}<ä/>`, 'utf16le');
    };
    assert.equal((await readXml(body()))?.name, 'ä');
  }
});

test('any text is refused or read, and what was read survives writing', () => {
  const piece = fc.constantFrom(
    '<',
    '>',
    '/',
    'a',
    'x:',
    'xmlns:x="u"',
    ' ',
    '"',
    '&amp;',
    '&',
    ']]>',
    '<!--',
    '-->',
    '<a>',
    '</a>',
    '\u{1}',
    '\r',
    'é',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      let text: string;
      try {
        text = renderElement(parseXml(`<a xmlns:x="urn:x">${pieces.join('')}</a>`));
      } catch (error) {
        assert.ok(error instanceof DavRefusal, String(error));
        return;
      }
      assert.equal(renderElement(parseXml(text)), text);
    }),
    { numRuns: 2000 },
  );
});
