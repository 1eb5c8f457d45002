// The checker finds what it is there for: a history without a mistake passes, and every kind of mistake that is put into it is
// found.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it } from 'node:test';
import { toLink } from '../../src/domain/chain.ts';
import { type Attempt, check, type FoundEntry, type Kind } from './history.ts';
import { type Row, Story, top } from './history-story.ts';

function tellStory(): Story {
  const story = new Story();
  const folder = story.folder('folder');
  story.save('a', 'one', folder);
  story.save('a', 'two', folder);
  story.read('a', hash('sha256', 'two'));
  story.save('b', 'other');
  story.rename('b', 'c');
  story.attempt('save', { parent: top, name: 'a', sha256: 'x' }, { outcome: 'refused' });
  story.attempt('save', { parent: top, name: 'd', sha256: 'y' }, { outcome: 'unknown', answeredAt: null });
  const keyed = story.save('k', 'keyed', top, { hasKey: true, outcome: 'unknown', answeredAt: null });
  delete keyed.result;
  story.attempt('save', keyed.params, { deed: keyed.deed, hasKey: true, result: { entry: 'k', name: 'k' } });
  story.save('t', 'trashed');
  story.trash('t');
  story.read('t', null);
  return story.finish();
}

function kindsOf({ history, found }: Story): Kind[] {
  return [...new Set(check(history, found).map(({ kind }) => kind))].sort();
}

/** Gives the rows their places and links anew: the mistake shall be the only one. */
function relink(story: Story): void {
  let link = '';
  for (const [index, row] of story.found.journal.entries()) {
    row.position = index + 1;
    row.link = toLink(link, row.position, row, null);
    link = row.link;
  }
  story.finish();
}

function rowOf(story: Story, action: string, entry: string): Row {
  const row = story.found.journal.find((one) => one.action === action && one.entry === entry);
  assert.ok(row);
  return row;
}

const swap = <Item>(list: Item[], a: number, b: number): void => {
  [list[a], list[b]] = [list[b] as Item, list[a] as Item];
};

const mistakes: { title: string; kinds: Kind[]; seed: (story: Story) => void }[] = [
  {
    title: 'an answered save that never happened',
    kinds: ['lost'],
    seed: (story) =>
      void story.attempt('save', { parent: top, name: 'gone', sha256: 'z' }, { result: { entry: 'gone' } }),
  },
  {
    title: 'an answered file that is missing in the end',
    kinds: ['lost'],
    seed(story) {
      story.found.entries = story.found.entries.filter(({ id }) => id !== 'b');
      story.finish();
    },
  },
  {
    title: 'a version with other bytes than were sent',
    kinds: ['lost'],
    seed: (story) => Object.assign(story.get('a').versions[0] as object, { sha256: 'other' }),
  },
  {
    title: 'bytes that are read with another digest',
    kinds: ['lost'],
    seed: (story) => Object.assign(story.get('a').versions[1] as object, { read: 'other' }),
  },
  {
    title: 'an answered rename that is missing',
    kinds: ['lost'],
    seed: (story) => Object.assign(story.get('b'), { name: 'b' }),
  },
  {
    title: 'an answered rename that never happened',
    kinds: ['lost'],
    seed: (story) =>
      void story.attempt('change', { entry: 'b', name: 'never' }, { result: { entry: 'b', name: 'never' } }),
  },
  {
    title: 'one key that took effect twice',
    kinds: ['duplicate'],
    seed(story) {
      const [first] = story.history.attempts.filter(({ hasKey }) => hasKey) as [Attempt];
      story.save('k', 'keyed', top, { hasKey: true, deed: first.deed });
      story.finish();
    },
  },
  {
    title: 'one request that took effect twice',
    kinds: ['duplicate'],
    seed(story) {
      const { request } = story.save('once', '1');
      const details = { parent: top, name: 'once', version: 2, size: 1 };
      story.write({ action: 'file.saved', entry: 'once', request, details });
      const { versions } = story.get('once');
      versions.push({ ...(versions[0] as FoundEntry['versions'][number]), version: 2 });
      story.finish();
    },
  },
  {
    title: 'a version that nobody saved',
    kinds: ['duplicate'],
    seed(story) {
      story.get('a').versions.push({ version: 3, size: 3, sha256: 'ghost', read: null });
      story.finish();
    },
  },
  {
    title: 'a refused request that took effect',
    kinds: ['contradiction'],
    seed(story) {
      const attempt = story.save('refused', 'x');
      attempt.outcome = 'refused';
      delete attempt.result;
      story.finish();
    },
  },
  {
    title: 'a change that was not requested',
    kinds: ['contradiction'],
    seed(story) {
      story.save('ghost', 'x');
      story.history.attempts.pop();
      story.finish();
    },
  },
  {
    title: 'two entries of one name at the same time',
    kinds: ['name'],
    seed(story) {
      Object.assign(story.get('k'), { name: 'c' });
      const row = rowOf(story, 'file.created', 'k');
      row.details = JSON.stringify({ parent: top, name: 'c', version: 1, size: 5 });
      for (const attempt of story.history.attempts.filter(({ hasKey }) => hasKey)) {
        attempt.params = { ...attempt.params, name: 'c' };
        if (attempt.result !== undefined) attempt.result = { entry: 'k', name: 'c' };
      }
      relink(story);
    },
  },
  {
    title: 'a name that was used twice for a while, in two spellings',
    kinds: ['name'],
    seed(story) {
      story.save('é', '1');
      story.save('e\u0301', '2');
      story.trash('é');
      story.finish();
    },
  },
  {
    title: 'a gap between versions',
    kinds: ['version'],
    seed(story) {
      const row = rowOf(story, 'file.saved', 'a');
      row.details = JSON.stringify({ ...JSON.parse(row.details), version: 3 });
      Object.assign(story.get('a').versions[1] as object, { version: 3 });
      const [attempt] = story.history.attempts.filter(({ result }) => result?.entry === 'a' && result.version === 2);
      if (attempt?.result !== undefined) attempt.result.version = 3;
      relink(story);
    },
  },
  {
    title: 'a version that was answered with another number',
    kinds: ['version'],
    seed(story) {
      const attempt = story.save('b', 'new');
      attempt.params.name = 'c';
      Object.assign(attempt, { result: { entry: 'b', version: 9 } });
      story.finish();
    },
  },
  {
    title: 'a folder of the wrong size',
    kinds: ['size'],
    seed: (story) => Object.assign(story.get('folder'), { size: 1 }),
  },
  { title: 'a file of the wrong size', kinds: ['size'], seed: (story) => Object.assign(story.get('k'), { size: 6 }) },
  {
    title: 'inexact usage',
    kinds: ['size'],
    seed: (story) => Object.assign(story.found.usage, { bytes: 1 }),
  },
  {
    title: 'entries that are not counted',
    kinds: ['size'],
    seed: (story) => Object.assign(story.found.usage, { entries: 1 }),
  },
  {
    title: 'a follower that missed a change',
    kinds: ['feed'],
    seed: (story) => void story.history.followers[1]?.splice(3, 1),
  },
  {
    title: 'a follower that missed the last change',
    kinds: ['feed'],
    seed: (story) => void story.history.followers[1]?.pop(),
  },
  {
    title: 'a follower that got a change twice',
    kinds: ['feed'],
    seed: (story) => void story.history.followers[0]?.push(5),
  },
  {
    title: 'followers that got different orders',
    kinds: ['feed'],
    seed: (story) => swap(story.history.followers[0] as number[], 1, 2),
  },
  {
    title: 'a change that stands before one that was answered earlier',
    kinds: ['feed'],
    seed(story) {
      story.save('x', '1');
      story.save('y', '1');
      const { journal } = story.found;
      swap(journal, journal.length - 1, journal.length - 2);
      relink(story);
    },
  },
  {
    title: 'a gap in the journal',
    kinds: ['journal'],
    seed: (story) => void (story.found.journal[0] as Row).position++,
  },
  {
    title: 'a row of the journal that was edited',
    kinds: ['journal'],
    seed: (story) => Object.assign(story.found.journal[2] as Row, { by: 'app:b' }),
  },
  {
    title: 'an old version that is read after a newer one was answered',
    kinds: ['contradiction'],
    seed: (story) => story.read('a', hash('sha256', 'one')),
  },
  {
    title: 'bytes that are read and were never sent',
    kinds: ['contradiction'],
    seed: (story) => story.read('a', 'torn'),
  },
  { title: 'an answered file that is not found', kinds: ['lost'], seed: (story) => story.read('a', null) },
  {
    title: 'a save into a folder that is in the trash',
    kinds: ['contradiction'],
    seed(story) {
      story.folder('thrown away');
      story.trash('thrown away');
      story.save('inside', 'x', 'thrown away');
      story.found.entries.pop();
      story.finish();
    },
  },
  {
    title: 'a response that names another entry',
    kinds: ['contradiction'],
    seed: (story) => Object.assign(story.save('w', '1'), { result: { entry: 'a' } }) && story.finish(),
  },
];

describe('A history', () => {
  it('without an error passes', () => {
    const { history, found } = tellStory();
    assert.deepEqual(check(history, found), []);
  });

  it('in which a blind retry was answered before the first attempt took effect passes', () => {
    const story = tellStory();
    const again = story.save('twice', 'same', top);
    story.save('between', 'x');
    const first = story.save('twice', 'same', top, {
      deed: again.deed,
      outcome: 'unknown',
      answeredAt: null,
      sentAt: 0,
    });
    delete first.result;
    story.finish();
    assert.deepEqual(check(story.history, story.found), []);
  });

  it('in which an entry is not found while a folder above it is in the trash passes', () => {
    const story = tellStory();
    const folder = story.folder('for a while');
    story.save('inside', 'x', folder);
    story.trash(folder);
    story.read('inside', null);
    story.found.entries = story.found.entries.filter(({ id }) => id !== 'inside');
    story.finish();
    assert.deepEqual(check(story.history, story.found), []);
  });

  it('in which an entry is renamed to its own name passes', () => {
    const story = tellStory();
    story.attempt('change', { entry: 'b', name: 'c' }, { result: { entry: 'b', name: 'c' } });
    assert.deepEqual(check(story.history, story.found), []);
  });

  for (const { title, kinds, seed } of mistakes) {
    it(`with ${title} fails`, () => {
      const story = tellStory();
      seed(story);
      assert.deepEqual(kindsOf(story), kinds);
    });
  }
});
