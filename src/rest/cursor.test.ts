import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Refusal } from '../domain/refusal.ts';
import { readCursor, toCursorText } from './cursor.ts';

const isRefused = (error: unknown) => error instanceof Refusal && error.code === 'InvalidCursor';
const cursor = [1, 'ü.txt', null] as const;

test('a cursor is read back as it was written', () => {
  assert.deepEqual(readCursor('key', 'list', toCursorText('key', 'list', cursor)), cursor);
});

test('a cursor of another list, of another service, or an edited one is refused', () => {
  const text = toCursorText('key', 'list', cursor);
  assert.throws(() => readCursor('key', 'other', text), isRefused);
  assert.throws(() => readCursor('other', 'list', text), isRefused);
  for (let at = 0; at < text.length; at += 1) {
    const edited = text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);
    if (
      Buffer.from(edited.split('.')[1] ?? '', 'base64url').equals(Buffer.from(text.split('.')[1] ?? '', 'base64url')) &&
      edited.split('.')[0] === text.split('.')[0]
    )
      continue;
    assert.throws(() => readCursor('key', 'list', edited), isRefused, edited);
  }
  fc.assert(fc.property(fc.string(), (garbage) => assert.throws(() => readCursor('key', 'list', garbage), isRefused)));
});
