import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ChecksummedEntry,
  carryChecksum,
  isChecksumWrong,
  toEntryChecksum,
  toVersionChecksum,
} from './row-checksums.ts';

const entry: ChecksummedEntry = {
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

test('every covered column changes the checksum', () => {
  const changed = { ...entry, object_type: '', properties: '{}', content_type: null };
  for (const [column, value] of Object.entries(entry)) {
    const other = typeof value === 'number' ? value + 1 : typeof value === 'string' ? `${value}!` : 'something';
    assert.notEqual(toEntryChecksum({ ...entry, [column]: other }), toEntryChecksum(entry), column);
  }
  assert.notEqual(toEntryChecksum(changed), toEntryChecksum(entry));
  for (const [column, value] of Object.entries(version)) {
    const other = typeof value === 'number' ? value + 1 : value instanceof Uint8Array ? value.with(9, 1) : 'something';
    assert.notEqual(toVersionChecksum({ ...version, [column]: other }), toVersionChecksum(version), column);
  }
});

test('the size of a folder is not covered', () => {
  const folder = { ...entry, kind: 0 };
  assert.equal(toEntryChecksum({ ...folder, size: 9 }), toEntryChecksum(folder));
});

test('a lone surrogate has the checksum of what is stored', () => {
  assert.equal(toEntryChecksum({ ...entry, name: 'a\ud800' }), toEntryChecksum({ ...entry, name: 'a\ufffd' }));
});

test('a change keeps a correct checksum correct and a wrong one wrong', () => {
  const [kept, rotten, after] = [entry, { ...entry, created_by: 'z' }, { ...entry, created_by: 'z', name: 'other' }];
  const good = carryChecksum(toEntryChecksum(kept), toEntryChecksum(kept), toEntryChecksum({ ...kept, name: 'other' }));
  assert.equal(good, toEntryChecksum({ ...kept, name: 'other' }));
  assert.ok(
    isChecksumWrong(
      carryChecksum(toEntryChecksum(kept), toEntryChecksum(rotten), toEntryChecksum(after)),
      toEntryChecksum(after),
    ),
  );
  assert.equal(carryChecksum(null, toEntryChecksum(rotten), toEntryChecksum(after)), toEntryChecksum(after));
});
