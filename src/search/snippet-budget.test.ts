import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beginningChars, SnippetBudget } from './snippet-budget.ts';

const longest = 1024 * 1024;
const plain = 'x'.repeat(longest);
const other = 'ж'.repeat(longest);

test('eight of the longest ASCII texts are searched whole, of the next ones only the beginning', () => {
  const budget = new SnippetBudget();
  const lengths = Array.from({ length: 10 }, () => budget.take(plain).length);
  assert.deepEqual(lengths, [...Array(8).fill(longest), beginningChars, beginningChars]);
  assert.equal(budget.isLeft, false);
});

test('text beyond ASCII uses sixteen times as much', () => {
  const budget = new SnippetBudget();
  assert.deepEqual([budget.take(other).length, budget.take(plain).length], [longest / 2, beginningChars]);
});

test('short texts use nothing', () => {
  const budget = new SnippetBudget();
  for (let count = 0; count < 10_000; count += 1) assert.equal(budget.take('ж'.repeat(beginningChars)).length, 2000);
  assert.equal(budget.take(plain).length, longest);
});

test('the remaining budget is used for the beginning of a text that does not fit', () => {
  const budget = new SnippetBudget();
  budget.take('x'.repeat(longest / 2));
  const lengths = Array.from({ length: 9 }, () => budget.take(plain).length);
  assert.deepEqual(lengths, [...Array(7).fill(longest), longest / 2, beginningChars]);
});
