// The part of the contract of a search index that is about queries: their syntax, which words are equal, what is refused, and
// snippets.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { refuses } from './requests.ts';
import type { Space } from './search.ts';

/** Texts, and queries that find exactly those. */
const matches: readonly [text: string, queries: readonly string[]][] = [
  ['Größe der Straße', ['größe', 'GROßE', 'straße']],
  ['cafe\u0301 École naïve Łódź', ['café', 'CAFE', 'ecole', 'naive']],
  ['Việt Nam', ['viet', 'Việt']],
  ['ὁ λόγος ΣΟΦΟΣ', ['λογος', 'ΛΌΓΟΣ', 'σοφός', 'σοφοσ']],
  ['ещё мой йод', ['еще', 'ещё', 'иод', 'МОИ']],
  ['مُحَمَّد', ['محمد', 'مُحَمَّد']],
  ['שָׁלוֹם', ['שלום', 'שָׁלוֹם']],
  ['मुंबई नमस्ते', ['मुंबई', 'नमस्ते']],
  ['안녕하세요', ['안녕하세요', '안녕하세요'.normalize('NFD'), '안녕하*']],
  ['東京タワーは高い', ['京タワ', 'タワー', '高い']],
  ['ภาษาไทย', ['ภาษาไทย', 'ภาษา*']],
  ['İstanbul', ['istanbul', 'İSTANBUL']],
  ['smile 😀 𝒳ray', ['smile', '𝒳ray']],
];

/** One document, queries that find it, and queries that do not. */
const text = 'The annual report, 2026: see foo-bar.txt; either or not. wi-fi a_b 3.14 invoices end';
const found = [
  ...['report annual', 'ANNUAL', '"annual report"', '"annual report 2026"', 'inv*', '"annual rep"*', 'foo-bar.txt'],
  ...['either OR not', 'wi-fi', '"wi fi"', 'a_b', '3.14', 'report "foo bar"', 'doc', 'doc value end', 'annual annual'],
];
const notFound = [
  ...['report missing', '"report annual"', 'voices*', 'nnual', 'annua', '"end the"', '"txt key"', 'annual AND report'],
  ...['name:annual', '"value the"', 'NEAR(annual end)'],
];

const bad = [
  ...['', ' ', '"', 'a "b', 'a"b"', '"a"b', '...', '*', '***', '"" ""', 'ab*', '"ab"*', 'a\0b', '\ud800'],
  ...['x'.repeat(501), Array.from({ length: 21 }, (_, index) => `w${index}`).join(' ')],
];

export function testQueries(openSpace: () => Promise<Space>): void {
  it('requires all terms, and understands prefixes and phrases and nothing else', async () => {
    const space = await openSpace();
    await space.save('doc.txt', text, { properties: { key: 'value' } });
    await space.save('other.txt', 'something else');
    await space.catchUp();
    for (const q of found) assert.deepEqual(await space.find(q), ['doc.txt'], q);
    for (const q of notFound) assert.deepEqual(await space.find(q), [], q);
  });

  it('ignores case, accents and vowel marks, in every script', async () => {
    const space = await openSpace();
    for (const [index, [text]] of matches.entries()) await space.save(`f${index}`, text);
    await space.catchUp();
    for (const [index, [, queries]] of matches.entries()) {
      for (const q of queries) assert.deepEqual(await space.find(q), [`f${index}`], q);
    }
    for (const q of ['京東', '高京', 'gros*']) assert.deepEqual(await space.find(q), [], q);
  });

  it('refuses what is not a query', async () => {
    const { search } = (await openSpace()).room;
    for (const q of [null, ...bad]) assert.throws(() => search.parse(q), refuses('InvalidField'), JSON.stringify(q));
  });

  it('marks matches in snippets, from the text, else the properties, else the name', async () => {
    const space = await openSpace();
    const long = `${'before '.repeat(50)}<b>Näh "word" two</b> & ${'after '.repeat(100)}`;
    await space.save('long.txt', long, { properties: { Key: 'word only\0here' } });
    await space.catchUp();
    const snippetOf = async (q: string) => (await space.searchAll(q))[0]?.snippet ?? null;
    const marked = (await snippetOf('"word two" nah')) ?? '';
    assert.ok(marked.startsWith('… before'), marked);
    assert.ok(marked.endsWith('after …'), marked);
    assert.ok(
      marked.includes('&lt;b&gt;<mark>Näh</mark> &quot;<mark>word&quot; two</mark>&lt;/b&gt; &amp; after'),
      marked,
    );
    assert.equal(await snippetOf('only her*'), 'Key: word <mark>only</mark> <mark>here</mark>');
    assert.equal(await snippetOf('long'), '<mark>long</mark>.txt');
  });
}
