import assert from 'node:assert/strict';
import { test } from 'node:test';
import { carrySeal, isSealBroken, type SealedEntry, toEntrySeal, toVersionSeal } from './row-checksums.ts';

const entry: SealedEntry = {
  id: 'a',
  parent: 1,
  kind: 1,
  name: 'n',
  name_key: 'n',
  object_type: null,
  content_type: 'text/plain',
  created_at: 1,
  created_by: 'x',
  modified_at: 2,
  modified_by: 'y',
  size: 3,
  version: 4,
  properties: null,
};

const version = {
  entry: 1,
  version: 2,
  content: 3,
  content_type: 'text/plain',
  created_at: 4,
  created_by: 'x',
  comment: null,
  sha256: new Uint8Array(32),
};

test('every column that is sealed changes the seal', () => {
  const changed = { ...entry, object_type: '', properties: '{}', content_type: null };
  for (const [column, value] of Object.entries(entry)) {
    const other = typeof value === 'number' ? value + 1 : typeof value === 'string' ? `${value}!` : 'something';
    assert.notEqual(toEntrySeal({ ...entry, [column]: other }), toEntrySeal(entry), column);
  }
  assert.notEqual(toEntrySeal(changed), toEntrySeal(entry));
  for (const [column, value] of Object.entries(version)) {
    const other = typeof value === 'number' ? value + 1 : value instanceof Uint8Array ? value.with(9, 1) : 'something';
    assert.notEqual(toVersionSeal({ ...version, [column]: other }), toVersionSeal(version), column);
  }
});

test('the size of a folder, which others add to, is not sealed', () => {
  const folder = { ...entry, kind: 0 };
  assert.equal(toEntrySeal({ ...folder, size: 9 }), toEntrySeal(folder));
});

test('half a surrogate pair has the seal of what is stored of it', () => {
  assert.equal(toEntrySeal({ ...entry, name: 'a\ud800' }), toEntrySeal({ ...entry, name: 'a\ufffd' }));
});

test('a change keeps a seal that fits fitting, and one that does not fit broken', () => {
  const [kept, rotten, after] = [entry, { ...entry, created_by: 'z' }, { ...entry, created_by: 'z', name: 'other' }];
  const good = carrySeal(toEntrySeal(kept), toEntrySeal(kept), toEntrySeal({ ...kept, name: 'other' }));
  assert.equal(good, toEntrySeal({ ...kept, name: 'other' }));
  assert.ok(isSealBroken(carrySeal(toEntrySeal(kept), toEntrySeal(rotten), toEntrySeal(after)), toEntrySeal(after)));
  assert.equal(carrySeal(null, toEntrySeal(rotten), toEntrySeal(after)), toEntrySeal(after));
});
