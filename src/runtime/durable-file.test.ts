import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { writeDurably } from './durable-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'cabinet-durable-'));

after(() => rmSync(folder, { recursive: true }));

test('a file is replaced as a whole, is its owner’s only, and leaves nothing unfinished behind', async () => {
  const path = join(folder, 'secret');
  writeFileSync(`${path}.new`, 'what a crash has left, and longer');
  for (const text of ['first, which is longer', 'second']) {
    await writeDurably(path, text);
    assert.equal(readFileSync(path, 'utf8'), text);
    assert.equal(statSync(path).mode & 0o777, 0o600);
  }
  assert.deepEqual(readdirSync(folder), ['secret']);
});
