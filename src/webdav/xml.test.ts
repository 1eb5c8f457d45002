import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DavRefusal } from './dav-refusal.ts';
import { parseXml, readXml } from './xml-reader.ts';
import { renderElement } from './xml-writer.ts';

test('namespaces are resolved, and what is written stands by itself', async () => {
  const root = await parseXml(
    '<D:a xmlns:D="DAV:" xmlns="urn:x" xml:lang="de"><b k="1&lt;" D:c="2">t&amp;<![CDATA[<]]></b></D:a>',
  );
  assert.equal(root.namespace, 'DAV:');
  const [child] = root.children;
  assert.ok(typeof child === 'object' && child.namespace === 'urn:x' && child.lang === 'de');
  const text = renderElement(child);
  assert.equal(text, '<b xmlns="urn:x" xmlns:D="DAV:" k="1&lt;" D:c="2" xml:lang="de">t&amp;&lt;</b>');
  assert.equal(renderElement(await parseXml(text)), text);
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
  for (const text of bad) await assert.rejects(parseXml(text), DavRefusal, text);
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

test('any text is refused or read, and what was read survives writing', async () => {
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
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
      let text: string;
      try {
        text = renderElement(await parseXml(`<a xmlns:x="urn:x">${pieces.join('')}</a>`));
      } catch (error) {
        assert.ok(error instanceof DavRefusal, String(error));
        return;
      }
      assert.equal(renderElement(await parseXml(text)), text);
    }),
    { numRuns: 2000 },
  );
});

test('a long body is read in slices: others have their turn, and what lies across two slices is whole', async () => {
  let turns = 0;
  let isRead = false;
  const takeTurn = () => {
    turns += 1;
    if (!isRead) setImmediate(takeTurn);
  };
  setImmediate(takeTurn);
  const texts = Array.from({ length: 40_000 }, (_, n) => `${n} \u{1F600}&amp;\r\n`).join('');
  const root = await parseXml(`<a>${texts}</a>`);
  isRead = true;
  assert.equal(root.children.join(''), texts.replaceAll('&amp;', '&').replaceAll('\r\n', '\n'));
  assert.ok(turns > 20, `${turns} turns`);
});
