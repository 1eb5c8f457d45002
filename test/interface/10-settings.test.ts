// `GET /settings` (docs/contract.md §10.14): the version and the settings in force. What managers see is in `test/security`.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefusal } from './assertions.ts';
import { call, signIn } from './client.ts';
import { get } from './managing.ts';

const admin = await signIn('Administrator');
const main = await signIn('Main');

interface InForce {
  Environment: string;
  Version: string;
  StartedAt: string;
  Settings: { Name: string; Value: string; About: string; IsDefault: boolean }[];
}

test('An application of operators sees every setting in force with its description', async () => {
  const { Environment, Version, StartedAt, Settings } = await get<InForce>(admin, '/settings');
  assert.equal(Environment, 'production');
  assert.match(Version, /^\d+\.\d+\.\d+/);
  assert.ok(Date.parse(StartedAt) <= Date.now() + 60_000);
  const names = Settings.map(({ Name }) => Name);
  assert.ok(
    names.includes('CABINET_TRASH_DAYS') &&
      names.includes('CABINET_DATA') &&
      names.every((name) => name.startsWith('CABINET_')),
  );
  assert.ok(Settings.every(({ About }) => About !== ''));
});

test('content.admin is needed to see the settings', async () => {
  assertRefusal(await call(main, '/settings'), 403, 'InsufficientScope');
});
