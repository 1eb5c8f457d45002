import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { checkPrecondition } from '../domain/precondition.ts';
import { Refusal } from '../domain/refusal.ts';
import { readEntityTags } from './entity-tags.ts';
import { readPrecondition } from './preconditions.ts';

const modifiedAt = Date.UTC(2026, 0, 15, 9, 30, 0, 123);
const current = { etag: '"now"', modifiedAt };
const before = 'Thu, 15 Jan 2026 09:29:59 GMT';
const same = 'Thu, 15 Jan 2026 09:30:00 GMT';
const after = 'Thu, 15 Jan 2026 09:30:01 GMT';

function toRequest(headers: Record<string, string | string[]>): IncomingMessage {
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    headers: Object.fromEntries(named.map(([name, value]) => [name, Array.isArray(value) ? value[0] : value])),
    headersDistinct: Object.fromEntries(named.map(([name, value]) => [name, Array.isArray(value) ? value : [value]])),
  } as unknown as IncomingMessage;
}

/** The header that fails; null if none does. */
function findFailure(headers: Record<string, string | string[]>, state: typeof current | null): string | null {
  try {
    checkPrecondition(readPrecondition(toRequest(headers)), state);
    return null;
  } catch (error) {
    assert.ok(error instanceof Refusal && error.code === 'PreconditionFailed');
    return error.details.target ?? '';
  }
}

const cases: [headers: Record<string, string | string[]>, existing: string | null, missing: string | null][] = [
  [{}, null, null],
  [{ 'If-Match': '"now"' }, null, 'If-Match'],
  [{ 'If-Match': '*' }, null, 'If-Match'],
  [{ 'If-Match': ' "a,b" , ,"now"' }, null, 'If-Match'],
  [{ 'If-Match': '"x", "y"' }, 'If-Match', 'If-Match'],
  [{ 'If-Match': 'W/"now"' }, 'If-Match', 'If-Match'],
  [{ 'If-Match': 'now' }, 'If-Match', 'If-Match'],
  [{ 'If-Match': '"now", oops' }, 'If-Match', 'If-Match'],
  [{ 'If-Match': '' }, 'If-Match', 'If-Match'],
  [{ 'If-None-Match': '"x"' }, null, null],
  [{ 'If-None-Match': '*' }, 'If-None-Match', null],
  [{ 'If-None-Match': '"x", "now"' }, 'If-None-Match', null],
  [{ 'If-None-Match': 'W/"now"' }, 'If-None-Match', null],
  [{ 'If-None-Match': 'now' }, 'If-None-Match', 'If-None-Match'],
  [{ 'If-Unmodified-Since': before }, 'If-Unmodified-Since', null],
  [{ 'If-Unmodified-Since': same }, null, null],
  [{ 'If-Unmodified-Since': after }, null, null],
  [{ 'If-Unmodified-Since': '2026-01-15T09:29:59Z' }, null, null],
  [{ 'If-Unmodified-Since': [before, before] }, null, null],
  [{ 'If-Match': '"now"', 'If-Unmodified-Since': before }, null, 'If-Match'],
  [{ 'If-Match': '"now"', 'If-None-Match': '"now"' }, 'If-None-Match', 'If-Match'],
  [{ 'If-Match': '"x"', 'If-None-Match': '"now"' }, 'If-Match', 'If-Match'],
  [{ 'If-Unmodified-Since': before, 'If-None-Match': '"now"' }, 'If-Unmodified-Since', null],
  [{ 'If-Unmodified-Since': after, 'If-None-Match': '"now"' }, 'If-None-Match', null],
  [{ 'If-Modified-Since': after }, null, null],
];

test('preconditions are evaluated as RFC 9110, section 13, says', () => {
  for (const [headers, existing, missing] of cases) {
    const shown = JSON.stringify(headers);
    assert.equal(findFailure(headers, current), existing, `${shown}, of something that exists`);
    assert.equal(findFailure(headers, null), missing, `${shown}, of something that does not exist`);
  }
});

test('without a precondition there is nothing to compare', () => {
  assert.equal(readPrecondition(toRequest({ 'If-Unmodified-Since': 'yesterday' })), null);
});

test('hints quote the ETag', () => {
  for (const headers of [{ 'If-Match': '"x"' }, { 'If-None-Match': '*' }]) {
    assert.throws(
      () => checkPrecondition(readPrecondition(toRequest(headers)), current),
      (error) => error instanceof Refusal && (error.details.hint ?? '').includes(' "now"'),
    );
  }
});

test('entity tags may contain commas, and a list may have empty members', () => {
  assert.deepEqual(readEntityTags(', W/"a,b",\t"" ,'), [
    { isWeak: true, tag: '"a,b"' },
    { isWeak: false, tag: '""' },
  ]);
  for (const wrong of ['', ',', 'a', '"a" "b"', '"a', 'w/"a"', 'W/ "a"', '"a b"', '*, "a"']) {
    assert.equal(readEntityTags(wrong), null, wrong);
  }
});
