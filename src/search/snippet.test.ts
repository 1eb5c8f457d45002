import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseQuery } from './query.ts';
import { toScore } from './score.ts';
import { toSnippet } from './snippet.ts';
import { countWords } from './words.ts';

function snippet(q: string, text: string, name = 'name', properties = ''): string {
  return toSnippet(parseQuery(q), { name, properties, text });
}

function score(q: string, text: string, name = 'name', properties = ''): number {
  const { words, pairs } = countWords(text);
  return toScore(parseQuery(q).terms, { name, properties, words, pairs });
}

test('a snippet marks matches and escapes everything else', () => {
  assert.equal(snippet('bold', 'a <b>bold</b> & "x"'), 'a &lt;b&gt;<mark>bold</mark>&lt;/b&gt; &amp; &quot;x&quot;');
  assert.equal(snippet('CAFE', 'the cafe\u0301s and the Café'), 'the cafés and the <mark>Café</mark>');
  assert.equal(snippet('inv*', 'Invoices and invites'), '<mark>Invoices</mark> and <mark>invites</mark>');
  assert.equal(snippet('"annual report"', 'report, annual\nreport'), 'report, <mark>annual report</mark>');
  assert.equal(snippet('京タ', '東京タワー'), '東<mark>京タ</mark>ワー');
});

test('a snippet is from the middle of a long text, or from properties or name where the text has no match', () => {
  const long = snippet('needle', `${'hay '.repeat(500)}needle ${'straw '.repeat(500)}`);
  assert.match(long, /^… (hay )+<mark>needle<\/mark>( straw)+ …$/);
  assert.ok(long.length < 320);
  assert.equal(snippet('acme', 'nothing', 'name', 'Customer: ACME'), 'Customer: <mark>ACME</mark>');
  assert.equal(snippet('name', 'nothing'), '<mark>name</mark>');
});

test('without its marks a snippet never has markup', () => {
  const piece = fc.constantFrom('<', '>', '&', '"', "'", 'mark', '</mark>', '<mark>', 'x', ' ', '&lt;', '\u0301', 'é');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const html = snippet('mark x', pieces.join(''));
      assert.doesNotMatch(html.replaceAll(/<\/?mark>/g, ''), /[<>"']/);
    }),
  );
});

test('a hostile text does not slow down its snippet', () => {
  const before = process.cpuUsage();
  snippet('"aaa aaa aaa aab"', 'aaa '.repeat(250_000));
  snippet('aaab', 'a\u0301'.repeat(500_000));
  assert.ok(process.cpuUsage(before).user < 15e6, 'so many microseconds of processor time');
});

test('names score above properties above text, more occurrences above fewer, short above long', () => {
  const inText = score('invoice', 'an invoice here');
  assert.ok(score('invoice', '', 'invoice.pdf') > score('invoice', '', 'a.pdf', 'Kind: invoice'));
  assert.ok(score('invoice', '', 'a.pdf', 'Kind: invoice') > inText);
  assert.ok(score('invoice', 'invoice invoice invoice') > inText);
  assert.ok(inText > score('invoice', `an invoice ${'word '.repeat(1000)}`));
  assert.ok(
    score('invoice', '', 'invoice.pdf') > score('invoice', '', 'a very long name about an invoice of last year.pdf'),
  );
});

test('both ways of counting words agree', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary-ascii' }), (text) => {
      const [byHand, byPattern] = [countWords(text), countWords(`${text} 漢`)];
      assert.equal(byHand.words + 1, byPattern.words);
      assert.deepEqual(byHand.pairs, byPattern.pairs);
    }),
  );
});
