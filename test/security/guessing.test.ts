// Guessing the password of one person from many addresses: slowed down more and more, but never where that person has signed in before.
// Sign-ins and their failures are in the log and in the journal.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import type * as client from 'openid-client';
import { SignInLimits } from '../../src/operations/sign-in-limits.ts';
import { MovableClock } from '../../src/runtime/clock-for-tests.ts';
import { openShared } from '../../src/runtime/shared-counters.ts';
import { addUser, type Person } from '../service/operator.ts';
import { makeDataFolder, type Registered, removeDataFolder, type Started, startService } from '../service/service.ts';
import { behindProxy, fromElsewhere, openSignIn, post } from './attacks-sign-in.ts';
import { addPage, discover } from './people.ts';
import { tally } from './tally.ts';

interface Row {
  action: string;
  by: string;
  entry: string;
  details: string;
}

const dataFolder = makeDataFolder();
let service: Started;
let page: Registered;
let configuration: client.Configuration;
let ann: Person;

before(async () => {
  const environment = { ...behindProxy, CABINET_TEST_PORT: 'off', CABINET_LOG_LEVEL: 'info' } as const;
  service = await startService(dataFolder, { environment });
  page = await addPage(dataFolder, 'page');
  configuration = await discover(service.production, page);
  ann = await addUser(dataFolder, 'ann');
});

after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

function readJournal(): Row[] {
  const database = new DatabaseSync(join(dataFolder, 'production/catalog.db'), { readOnly: true });
  try {
    const sql = `SELECT action, by, entry, details FROM journal WHERE action LIKE 'sign-in.%' ORDER BY position`;
    return database.prepare(sql).all() as unknown as Row[];
  } finally {
    database.close();
  }
}

test('Guesses from many addresses are slowed, the owner at a known address is not, and all of it is recorded', async () => {
  const opened = await openSignIn(configuration);
  const home = { 'X-Forwarded-For': '192.0.2.1' };
  assert.equal((await post(opened, ann, home)).status, 303);
  const guessing = await openSignIn(configuration);
  const statuses: number[] = [];
  for (let n = 0; n < 24; n += 1) {
    const { status } = await post(guessing, { User: 'ann', Password: `guess number ${n}` }, fromElsewhere());
    statuses.push(status);
  }
  assert.deepEqual(statuses.slice(0, 20), Array(20).fill(403));
  assert.ok(statuses.slice(20).includes(429), String(statuses));
  tally('bad credentials', statuses.length);
  assert.equal((await post(guessing, ann, fromElsewhere())).status, 429, 'even the right one, at a new address');
  const again = await openSignIn(configuration);
  assert.equal((await post(again, ann, home)).status, 303, 'where she has been before');
  const stranger = await openSignIn(configuration);
  const typed = 'correct horse battery';
  assert.equal((await post(stranger, { User: typed, Password: 'x' }, home)).status, 403);

  const rows = readJournal();
  const shown = ({ action, by, entry, details }: Row) => [action, by, entry, JSON.parse(details)];
  const application = page.AppKey;
  assert.deepEqual(shown(rows[0] as Row), ['sign-in.succeeded', 'ann', 'ann', { address: '192.0.2.1', application }]);
  const failed = rows.filter(({ action, entry }) => action === 'sign-in.failed' && entry === 'ann');
  assert.equal(failed.length, statuses.filter((status) => status === 403).length);
  assert.equal(JSON.parse((failed[0] as Row).details).reason, 'wrong password');
  assert.equal(rows.at(-1)?.entry, '', 'a name that nobody has may be a password');
  assert.ok(!JSON.stringify(rows).includes(typed));

  const events = service
    .errors()
    .split('\n')
    .filter((line) => line.includes('"sign-in"'))
    .map((line) => JSON.parse(line));
  assert.ok(
    events.some(({ outcome, user, address }) => outcome === 'succeeded' && user === 'ann' && address === '192.0.2.1'),
  );
  assert.ok(events.some(({ outcome, reason }) => outcome === 'failed' && reason === 'wrong password'));
  assert.ok(events.some(({ outcome }) => outcome === 'limited'));
  assert.ok(!service.errors().includes(typed) && !service.errors().includes('guess number'));
});

test('The delay doubles up to a quarter of an hour, ends after a rest, and known addresses have none', async () => {
  const clock = new MovableClock();
  const limits = new SignInLimits('production', openShared(), clock);
  let places = 0;
  const guess = (isKnown = false) => {
    places += 1;
    const address = `10.1.${places >> 8}.${places & 255}`;
    const wait = limits.begin(address, 'bert', isKnown);
    if (wait === 0) limits.end(address, 'bert', { isCounted: true, isKnown });
    return wait;
  };
  for (let n = 0; n < 20; n += 1) assert.equal(guess(), 0);
  const waits: number[] = [];
  for (let n = 0; n < 13; n += 1) {
    const wait = guess();
    waits.push(wait);
    assert.equal(guess(true), 0);
    await clock.advance(wait * 1000);
    assert.equal(guess(), 0);
  }
  assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]);
  await clock.advance(900_000 + 60 * 60 * 1000 + 1000);
  for (let n = 0; n < 19; n += 1) assert.equal(guess(), 0, 'as in the beginning');
});
