import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasPart, isShortPart, markPart, toGrams, toPartScore } from './parts.ts';
import { fold } from './words.ts';

test('the part is marked where it stands in the original name, whatever folding makes of it', () => {
  for (const [name, part, html] of [
    ['IMG_2000.jpg', 'img_20', '<mark>IMG_20</mark>00.jpg'],
    ['Straße & Größe', 'osse', null],
    ['Größe', 'roß', 'G<mark>röß</mark>e'],
    ['Gro\u0308ße', 'oß', 'Gr<mark>öß</mark>e'],
    ['a<b>a', 'a', '<mark>a</mark>&lt;b&gt;<mark>a</mark>'],
    ['ababa', 'aba', '<mark>aba</mark>ba'],
    ['İzmir', 'iz', '<mark>İz</mark>mir'],
    ['😀a😀', 'a😀', '😀<mark>a😀</mark>'],
  ] as const) {
    if (html === null) assert.equal(hasPart(name, part), false);
    else assert.deepEqual([hasPart(name, fold(part)), markPart(name, fold(part))], [true, html]);
  }
});

test('names that begin with the part come first, then those with a word that does', () => {
  const names = ['annual report', 'report', 'report of the year', 'misreport', 'mis-report'];
  const sorted = names.toSorted((a, b) => toPartScore(b, 'report') - toPartScore(a, 'report'));
  assert.deepEqual(sorted, ['report', 'report of the year', 'mis-report', 'annual report', 'misreport']);
});

test('every run of three characters is one, beyond the first plane too', () => {
  assert.deepEqual(toGrams('a😀bc'), ['a😀b', '😀bc']);
  assert.deepEqual(toGrams('aaaaa'), ['aaa']);
  assert.deepEqual([isShortPart('😀a'), isShortPart('😀ab')], [true, false]);
});
