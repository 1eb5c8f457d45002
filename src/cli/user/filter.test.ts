import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Filter } from './filter.ts';

test('a pattern without a slash is for names at any depth', () => {
  const filter = new Filter({ exclude: ['*.tmp', 'node_modules/'] });
  for (const path of ['a.tmp', 'x/y/.a.tmp', 'node_modules/x.js', 'x/node_modules/y/z.js']) {
    assert.ok(!filter.allowsFile(path), path);
  }
  for (const path of ['a.tmpx', 'x/node_modules.txt']) assert.ok(filter.allowsFile(path), path);
  assert.ok(!filter.allowsFolder('x/node_modules'));
  assert.ok(filter.allowsFolder('x'));
});

test('a pattern with a slash is for paths from the folder', () => {
  const filter = new Filter({ exclude: ['/build', 'docs/*.md', 'a/**/z'] });
  for (const path of ['build/x', 'docs/a.md', 'a/z', 'a/b/c/z/file']) assert.ok(!filter.allowsFile(path), path);
  for (const path of ['x/build/y', 'docs/deep/a.md', 'b/z']) assert.ok(filter.allowsFile(path), path);
});

test('what is included is all that is meant, less what is excluded', () => {
  const filter = new Filter({ include: ['*.jpg', 'raw/'], exclude: ['draft-*'] });
  for (const path of ['a.jpg', 'x/a.jpg', 'raw/a.bin']) assert.ok(filter.allowsFile(path), path);
  for (const path of ['a.png', 'draft-a.jpg', 'raw/draft-1']) assert.ok(!filter.allowsFile(path), path);
  assert.ok(filter.allowsFolder('x'));
  assert.ok(filter.isSelecting);
});

test('without patterns everything is meant', () => {
  const filter = new Filter({});
  assert.ok(!filter.isActive);
  assert.ok(filter.allowsFile('a/b') && filter.allowsFolder('a'));
});
