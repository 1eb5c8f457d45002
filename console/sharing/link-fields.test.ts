import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ShareFields } from '@cabinet/client';
import {
  isComplete,
  listDays,
  readMaxDownloads,
  toChange,
  toNewShare,
  toNewWish,
  toToday,
  toWish,
} from './link-fields.ts';

const newWish = toNewWish(null);
const link: ShareFields = {
  ...{ Id: 'l', EntryId: 'e', Access: 'read', Name: 'Plan', Note: 'For you', Url: null, HasPassword: true },
  ...{ ExpiresAt: '2026-02-14T09:30:00.000Z', MaxDownloads: 10, Downloads: 3, Uploads: 0, State: 'active' },
  ...{ CreatedAt: '2026-01-15T09:30:00.000Z', CreatedBy: 'ann', LastUsedAt: null },
};

test('an untouched form sends nothing, so that the service chooses', () => {
  assert.deepEqual(toNewShare(newWish), {});
  assert.deepEqual(toChange(toWish(link), link), {});
});

test('a new link has what was filled in', () => {
  const wish = { ...newWish, expires: 'd7', password: 'x', maxDownloads: ' 5 ', name: ' N ', note: 'a\nb' };
  const now = Date.parse('2026-01-01T00:00:00Z');
  assert.deepEqual(toNewShare(wish, now), {
    ...{ name: 'N', note: 'a\nb', password: 'x', maxDownloads: 5 },
    expiresAt: new Date('2026-01-07T23:59:00Z'),
  });
  assert.deepEqual(toNewShare({ ...newWish, access: 'upload', maxDownloads: '5' }), {}, 'nothing is downloaded by it');
});

test('a day lasts until its end where the person is', () => {
  const { expiresAt } = toNewShare({ ...newWish, expires: 'date', date: '2026-03-01' });
  assert.deepEqual(expiresAt, new Date(2026, 2, 1, 23, 59, 59));
});

test('a change has only what differs; what is emptied is removed', () => {
  const wish = toWish(link);
  assert.deepEqual(toChange({ ...wish, note: '', maxDownloads: '', name: '' }, link), {
    ...{ note: null, maxDownloads: null, name: null },
  });
  assert.deepEqual(toChange({ ...wish, passwordChange: 'remove' }, link), { password: null });
  assert.deepEqual(toChange({ ...wish, passwordChange: 'change', password: 'y' }, link), { password: 'y' });
  assert.deepEqual(toChange({ ...wish, passwordChange: 'change', password: '' }, link), {}, 'nothing was typed');
});

test('a form is complete if it has a date where one is chosen, and a whole number', () => {
  assert.ok(isComplete(newWish));
  assert.ok(!isComplete({ ...newWish, expires: 'date' }));
  assert.ok(isComplete({ ...newWish, expires: 'date', date: '2026-03-01' }));
  for (const text of ['0', '-1', '1.5', 'x', '1000000001']) assert.equal(readMaxDownloads(text), null, text);
  assert.ok(!isComplete({ ...newWish, maxDownloads: '0' }));
  assert.ok(isComplete({ ...newWish, maxDownloads: '0', access: 'upload' }));
  assert.ok(!isComplete({ ...newWish, password: 'x'.repeat(257) }));
});

test('today is the day where the person is', () => {
  assert.equal(toToday(new Date(2026, 0, 5, 0, 30)), '2026-01-05');
});

test('the rules of a space leave fewer choices', () => {
  const rules = { Allowed: true, Makers: 'editors', PasswordRequired: true, MaxDays: 14 } as const;
  const choices = ['d1', 'd7', 'd30', 'd90'];
  assert.deepEqual(listDays(choices, null), choices);
  assert.deepEqual(listDays(choices, rules), ['d1', 'd7', 'd14']);
  assert.deepEqual(listDays(choices, { ...rules, MaxDays: 7 }), ['d1', 'd7']);
  assert.deepEqual(listDays(choices, { ...rules, MaxDays: 60 }), ['d1', 'd7', 'd30']);
  assert.equal(toNewWish(rules).expires, 'd14');
  assert.ok(!isComplete(toNewWish(rules), rules.PasswordRequired));
  assert.ok(isComplete({ ...toNewWish(rules), password: 'x' }, rules.PasswordRequired));
});
