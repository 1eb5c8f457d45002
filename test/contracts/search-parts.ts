// The part of the contract of a search index that is about parts of names.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { fold } from '../../src/search/words.ts';
import { refuses } from './requests.ts';
import type { Space } from './search.ts';

const part = { match: 'part' } as const;
/** Few characters, so that parts are found; with what patterns and queries could take for syntax. */
const character = fc.constantFrom(...'aAäbB01_-.% "*\'\\😀한東ß');

export function testParts(openSpace: () => Promise<Space>): void {
  it('finds names by any part, best first, without case and accents, and only by names', async () => {
    const space = await openSpace();
    await space.save('IMG_2000.jpg', 'img');
    await space.save('my img_20.txt', 'text', { properties: { Key: 'img_20' } });
    await space.save('Überimg_20.txt', 'other');
    await space.save('other.txt', 'img_20');
    await space.createFolder('img_2');
    const found = ['IMG_2000.jpg', 'my img_20.txt', 'Überimg_20.txt'];
    await space.finds('img_20', found, part);
    assert.deepEqual(await space.find('img_20', part), found);
    assert.deepEqual(await space.find('  BERIMG ', part), ['Überimg_20.txt']);
    assert.deepEqual((await space.find('0.', part)).toSorted(), [...found].toSorted());
    assert.deepEqual(await space.find('y i', part), ['my img_20.txt']);
    assert.deepEqual(await space.find('nothing', part), []);
    const [first] = await space.searchAll('Mg_2', part);
    assert.equal(first?.snippet, 'i<mark>mg_2</mark>');
    assert.deepEqual(await space.find('img_20', { ...part, kind: 'folder' }), []);
  });

  it('finds exactly the names that contain the part, page by page', async () => {
    const space = await openSpace();
    const text = (least: number, most: number) =>
      fc.array(character, { minLength: least, maxLength: most }).map((all) => all.join(''));
    const names = new Set(
      fc.sample(text(1, 12), { numRuns: 400, seed: 1 }).filter((name) => name.trim() === name && !/[\\.]/.test(name)),
    );
    for (const name of names) await space.createFolder(`x${name}`);
    await space.catchUp();
    let matches = 0;
    for (const q of fc.sample(text(1, 4), { numRuns: 150, seed: 2 })) {
      if (q.trim() === '') continue;
      const expected = [...names].map((name) => `x${name}`).filter((name) => fold(name).includes(fold(q.trim())));
      const actual = await space.find(q, { ...part, limit: 40 });
      assert.deepEqual(actual.toSorted(), expected.toSorted(), JSON.stringify(q));
      matches += actual.length;
    }
    assert.ok(matches > 500, `${matches} matches`);
  });

  it('follows new names, and refuses what is no part', async () => {
    const space = await openSpace();
    const { catalog, search } = space.room;
    const id = await space.save('invoice.txt', '1');
    await space.finds('voic', ['invoice.txt'], part);
    const change = { space: space.application.space, id, parent: null, properties: null, objectType: null };
    await catalog.changeEntry({
      ...{ ...change, name: { name: 'receipt.txt', nameKey: 'receipt.txt' }, precondition: null, conflict: 'Fail' },
      ...{ at: 5, by: 'app:one', request: 'r' },
    });
    await space.finds('voic', [], part);
    await space.finds('ceip', ['receipt.txt'], part);
    for (const q of [null, '', ' ', '\u0301', 'a\0b', 'x'.repeat(501)]) {
      assert.throws(() => search.parse(q, 'part'), refuses('InvalidField'), JSON.stringify(q));
    }
  });
}
