// The limits on properties and object types (docs/contract.md §8.1), each at its edge.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkObjectType, checkProperties } from './properties.ts';
import type { Refusal } from './refusal.ts';

test('an object of strings within the limits is returned as it is', () => {
  assert.deepEqual(checkProperties({}), {});
  assert.deepEqual(checkProperties({ a: '', 'é ü': '😀', toString: 'x' }), { a: '', 'é ü': '😀', toString: 'x' });
  assert.deepEqual(checkProperties({ ['k'.repeat(128)]: 'v'.repeat(4096) }), { ['k'.repeat(128)]: 'v'.repeat(4096) });
  assert.equal(Object.keys(checkProperties(numbered(100, ''))).length, 100);
});

test('what is not an object of strings is refused', () => {
  for (const value of [null, undefined, 'a', 1, true, [], ['a']]) {
    assert.throws(() => checkProperties(value), refusal(/object of strings/));
  }
  for (const value of [null, 1, true, {}, [], undefined]) {
    assert.throws(() => checkProperties({ good: 'x', bad: value }), refusal(/"bad".*not a string/));
  }
});

test('each limit is refused one step beyond it, naming the key', () => {
  assert.throws(() => checkProperties(numbered(101, '')), refusal(/101 keys/));
  assert.throws(() => checkProperties({ '': 'x' }), refusal(/"" is empty/));
  assert.throws(() => checkProperties({ ['k'.repeat(129)]: 'x' }), refusal(/"k{64}…".*128 bytes/));
  assert.throws(() => checkProperties({ ['é'.repeat(65)]: 'x' }), refusal(/128 bytes/));
  assert.throws(() => checkProperties({ big: 'v'.repeat(4097) }), refusal(/"big".*4096 bytes/));
  assert.throws(() => checkProperties({ big: '日'.repeat(1366) }), refusal(/"big".*4096 bytes/));
});

test('64 KiB in all is allowed, one byte more is not', () => {
  const full = numbered(16, 'v'.repeat(4096 - 3));
  assert.equal(Object.keys(checkProperties(full)).length, 16);
  assert.throws(() => checkProperties({ ...full, x: '' }), refusal(/65536 bytes in all/));
});

test('lone surrogates and dangerous keys are refused', () => {
  assert.throws(() => checkProperties({ 'a\ud800': 'x' }), refusal(/"a\\ud800" has a lone surrogate/));
  assert.throws(() => checkProperties({ a: '\udc00' }), refusal(/"a" has a value with a lone surrogate/));
  for (const key of ['__proto__', 'constructor', 'prototype']) {
    const value: unknown = JSON.parse(`{ "${key}": "x" }`);
    assert.throws(() => checkProperties(value), refusal(/is reserved/));
  }
});

test('the target can be named', () => {
  assert.throws(() => checkProperties(1, 'Entry.Properties'), { details: { target: 'Entry.Properties' } });
});

test('any JSON value is either refused or returned unchanged', () => {
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.string())), (value) => {
      let checked: Record<string, string>;
      try {
        checked = checkProperties(value);
      } catch (error) {
        assert.equal((error as Refusal).code, 'InvalidField');
        return;
      }
      assert.equal(JSON.stringify(checked), JSON.stringify(value));
    }),
  );
});

test('an object type is 1 to 128 of the allowed characters', () => {
  for (const type of ['cmis:document', 'a', 'A-z_0.9', 'x'.repeat(128)]) assert.equal(checkObjectType(type), type);
  for (const type of ['', 'x'.repeat(129), 'a b', 'é', 'a\n', 'a/b', null, undefined, 7, ['a']]) {
    assert.throws(() => checkObjectType(type), { code: 'InvalidField', details: { target: 'ObjectType' } });
  }
});

function refusal(message: RegExp): (error: Refusal) => boolean {
  return (error) => {
    assert.equal(error.code, 'InvalidField');
    assert.match(error.message, message);
    assert.equal(error.details.target, 'Properties');
    return true;
  };
}

/** Keys of three bytes. */
function numbered(count: number, value: string): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [String(100 + index), value]));
}
