// `cabinet user erase` while the service is killed (docs/operator-commands.md): what was erased stays, nothing is said to be done that is
// not, and the command, the next start of the service, or the command beside a stopped service finishes it.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { type Caller, call } from '../interface/client.ts';
import { addPage, discover, signIn } from '../security/people.ts';
import { cabinet as cabinetHere, cabinetJson } from './here.ts';
import { addApplication, addUser, setRole } from './operator.ts';
import {
  cabinet,
  eventually,
  makeDataFolder,
  type Registered,
  removeDataFolder,
  type Started,
  startService,
} from './service.ts';

/** What an erasure removes of each table in one transaction. */
const sliceRows = 500;
const rows = 6 * sliceRows;
const dataFolder = makeDataFolder();
const users = ['ann', 'ben', 'cem'] as const;
const callers = new Map<string, Caller>();
let service: Started;
let page: Registered;

before(async () => {
  service = await startService(dataFolder);
  await addApplication(dataFolder, 'left');
  page = await addPage(dataFolder, 'page');
  const configuration = await discover(service.production, page);
  for (const user of users) {
    const person = await addUser(dataFolder, user, { name: `Name ${user}` });
    await setRole(dataFolder, user, 'editor', 'left');
    const { access_token: token } = await signIn(configuration, person);
    callers.set(user, { base: '', application: { Name: 'page', ...page }, token });
  }
  await service.stop();
  inCatalog((database) => {
    const one = database.prepare(`INSERT INTO known_addresses (user_id, address, used_at) VALUES (?, ?, 1)`);
    database.exec('BEGIN; DELETE FROM known_addresses');
    for (const user of users) for (let index = 0; index < rows; index += 1) one.run(user, `2001:db8::${index}`);
    database.exec('COMMIT');
  });
});
after(async () => {
  await service.stop('SIGKILL');
  removeDataFolder(dataFolder);
});

function inCatalog<Result>(use: (database: DatabaseSync) => Result, { readOnly = false } = {}): Result {
  const database = new DatabaseSync(join(dataFolder, 'production/catalog.db'), { readOnly });
  try {
    return use(database);
  } finally {
    database.close();
  }
}

function countRows(user: string): number {
  const count = (database: DatabaseSync) =>
    database.prepare('SELECT count(*) AS count FROM known_addresses WHERE user_id = ?').get(user)?.count;
  return Number(inCatalog(count, { readOnly: true }));
}

/** Kills the service in the slice with this number: the trigger never ends, so what comes before is committed and it is not. */
async function eraseAndKill(user: string, slice: number): Promise<void> {
  const left = rows - slice * sliceRows;
  inCatalog((database) =>
    database.exec(`CREATE TRIGGER gate AFTER DELETE ON known_addresses
      WHEN (SELECT count(*) FROM known_addresses WHERE user_id = '${user}') = ${left - sliceRows / 2} BEGIN
      SELECT count(*) FROM (WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT i FROM n); END`),
  );
  service = await startService(dataFolder);
  const erasing = cabinet(dataFolder, ['user', 'erase', user, '--yes', '--json']);
  await eventually(`${left} rows are left`, () => countRows(user) === left);
  await service.stop('SIGKILL');
  const { code, stdout } = await erasing;
  inCatalog((database) => database.exec('DROP TRIGGER gate'));
  assert.notEqual(code, 0, stdout);
  assert.doesNotMatch(stdout, /"Erased"/);
  assert.equal(countRows(user), left);
}

interface Exported {
  Account: Record<string, unknown>;
  Journal: { Action: string }[];
  Usage: object[];
  [list: string]: unknown;
}

const exportOf = (user: string) => cabinetJson<Exported>(dataFolder, ['user', 'export', user]);

async function isHalf(user: string): Promise<void> {
  const { Account, KnownAddresses, Journal, ...rest } = await exportOf(user);
  assert.deepEqual([Account.State, Account.Name], ['erasing', undefined]);
  assert.equal((KnownAddresses as object[]).length, countRows(user), 'what is left is shown');
  for (const list of ['Roles', 'Sessions']) assert.deepEqual(rest[list], [], list);
  assert.equal(Journal.filter(({ Action }) => Action === 'user.erased').length, 1);
}

async function isWhole(user: string): Promise<void> {
  const { Account, Environment, ExportedAt, Journal, Usage, ...lists } = await exportOf(user);
  assert.equal(Account.State, 'erased');
  for (const [list, rows] of Object.entries(lists)) assert.deepEqual(rows, [], list);
  assert.equal(Journal.filter(({ Action }) => Action === 'user.erased').length, 1, 'it is said once');
}

const erase = (user: string) => cabinetJson(dataFolder, ['user', 'erase', user, '--yes']);

test('After a kill right after the first transaction, the command finishes it while the service is stopped', async () => {
  await eraseAndKill('ann', 1);
  await isHalf('ann');
  assert.deepEqual(await erase('ann'), { User: 'ann', Erased: 'before' });
  await isWhole('ann');
});

test('After a kill in the middle, the person stays outside, and the command finishes it in the running service', async () => {
  await eraseAndKill('ben', 3);
  await isHalf('ben');
  service = await startService(dataFolder);
  const caller = { ...(callers.get('ben') as Caller), base: service.production };
  assert.equal((await call(caller, '/me')).status, 401);
  assert.deepEqual(await erase('ben'), { User: 'ben', Erased: 'before' });
  await isWhole('ben');
  await service.stop();
});

test('After a kill near the end, the next start of the service finishes it by itself', async () => {
  await eraseAndKill('cem', 5);
  await isHalf('cem');
  service = await startService(dataFolder);
  await eventually('the sweep has removed the rest', () => countRows('cem') === 0);
  await isWhole('cem');
  await service.stop();
  assert.deepEqual(await erase('cem'), { User: 'cem', Erased: 'before' });
  const { Verified } = await cabinetJson<{ Verified: boolean }>(dataFolder, ['audit', 'verify']);
  assert.equal(Verified, true);
  const { code, stdout } = await cabinetHere(dataFolder, ['verify']);
  assert.equal(code, 0, stdout);
});
