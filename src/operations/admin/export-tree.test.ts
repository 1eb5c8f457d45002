import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toSafeName } from './export-tree.ts';

test('names that a file system accepts are unchanged', () => {
  for (const name of ['a.txt', 'Übersicht 2026.pdf', '...', 'con', 'x'.repeat(255)])
    assert.equal(toSafeName(name), name);
});

test('unsafe and too long names are replaced by distinct safe ones', () => {
  assert.equal(toSafeName('..'), '_');
  assert.equal(toSafeName('a/b'), 'a_b');
  const [one, two] = ['ä'.repeat(250), `${'ä'.repeat(249)}ö`].map((name) => toSafeName(`${name}.pdf`));
  assert.notEqual(one, two);
  for (const name of [one, two]) {
    assert.ok(Buffer.byteLength(name ?? '') <= 255);
    assert.match(name ?? '', /^ä+~[0-9a-f]{12}\.pdf$/);
  }
});
