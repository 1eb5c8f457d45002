import assert from 'node:assert/strict';
import { test } from 'node:test';
import { looksBuiltIn } from './built-in-applications.ts';

test('names that people would take for the built-in applications are known, others are not', () => {
  for (const name of [
    'Console',
    'c0nsole',
    'Cabinet',
    'CABINET',
    'cabinet-cIi',
    'cabinet–cli',
    'Cabinet CLI',
    'ｃabinet',
    'cab1net',
  ]) {
    assert.ok(looksBuiltIn(name), name);
  }
  for (const name of ['first', 'consoles', 'cabinet-backup', 'my cabinet', 'cabinetmaker']) {
    assert.ok(!looksBuiltIn(name), name);
  }
});
