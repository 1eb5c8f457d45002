import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findLaxer, type ShareRules, toStricter } from './share-rules.ts';

const lax: ShareRules = { isOn: true, makers: 'editors', isPasswordRequired: false, maxDays: 365 };
const strict: ShareRules = { isOn: false, makers: 'managers', isPasswordRequired: true, maxDays: 7 };
const none = { isOn: null, makers: null, isPasswordRequired: null, maxDays: null };

test('Of the rules of the service and of a space the stricter ones hold', () => {
  assert.deepEqual(toStricter(lax, none), lax);
  assert.deepEqual(toStricter(lax, strict), strict);
  assert.deepEqual(toStricter(strict, lax), strict);
  assert.deepEqual(toStricter(lax, { maxDays: 30 }), { ...lax, maxDays: 30 });
});

test('A laxer rule of a space is found', () => {
  assert.equal(findLaxer(lax, strict), null);
  assert.equal(findLaxer(strict, none), null);
  assert.equal(findLaxer(strict, strict), null);
  assert.equal(findLaxer(strict, { isOn: true }), 'isOn');
  assert.equal(findLaxer(strict, { makers: 'editors' }), 'makers');
  assert.equal(findLaxer(strict, { isPasswordRequired: false }), 'isPasswordRequired');
  assert.equal(findLaxer(strict, { maxDays: 8 }), 'maxDays');
});
