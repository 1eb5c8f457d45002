import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ShareFields } from '@cabinet/client';
import { matches } from './link-filter.ts';

const link: ShareFields = {
  ...{ Id: 'l', EntryId: 'e', Access: 'read', Name: 'Größe', Note: 'For the auditor', Url: null, HasPassword: false },
  ...{ ExpiresAt: '2026-02-14T09:30:00.000Z', MaxDownloads: null, Downloads: 0, Uploads: 0, State: 'expired' },
  ...{ CreatedAt: '2026-01-15T09:30:00.000Z', CreatedBy: 'ann', LastUsedAt: null },
};

test('links match by name, note and person, state and kind', () => {
  for (const params of [
    {},
    { q: ' GRÖSSE'.replace('SS', 'ß') },
    { q: 'auditor' },
    { q: 'Ann' },
    { status: 'expired' },
  ]) {
    assert.ok(matches(link, params), JSON.stringify(params));
  }
  for (const params of [{ q: 'bob' }, { status: 'active' }, { access: 'upload' }, { q: 'ann', status: 'revoked' }]) {
    assert.ok(!matches(link, params), JSON.stringify(params));
  }
});
