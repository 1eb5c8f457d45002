import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startCommitCutter } from '../../../test/cluster/commit-cutter.ts';
import { type Databases, findDatabases } from '../../../test/cluster/ground.ts';
import { startPostgres } from '../../../test/cluster/postgres.ts';
import { testAccounts } from '../../../test/contracts/accounts.ts';
import { testCatalog } from '../../../test/contracts/catalog.ts';
import { testChanges } from '../../../test/contracts/changes.ts';
import { testEntryJobs } from '../../../test/contracts/entry-jobs.ts';
import { testFolderPages } from '../../../test/contracts/folder-pages.ts';
import { toFrozen } from '../../../test/contracts/frozen.ts';
import { testGrants } from '../../../test/contracts/grants.ts';
import { testLeases } from '../../../test/contracts/leases.ts';
import { testManaging } from '../../../test/contracts/managing.ts';
import { testPeople } from '../../../test/contracts/people.ts';
import { testPersonalData } from '../../../test/contracts/personal-data.ts';
import { testPreconditions } from '../../../test/contracts/preconditions.ts';
import { addApplication, fileIn, folderIn, inline, refuses, what } from '../../../test/contracts/requests.ts';
import { testSecondFactors } from '../../../test/contracts/second-factors.ts';
import { testSessions } from '../../../test/contracts/sessions.ts';
import { testShares } from '../../../test/contracts/shares.ts';
import { testSums } from '../../../test/contracts/sums.ts';
import { testUploads } from '../../../test/contracts/uploads.ts';
import { testWays } from '../../../test/contracts/ways.ts';
import { testWebhooks } from '../../../test/contracts/webhooks.ts';
import { toLink } from '../../domain/chain.ts';
import { Fault } from '../../domain/fault.ts';
import { MovableClock } from '../../runtime/clock-for-tests.ts';
import { type Catalog, toCatalog } from '../catalog.ts';
import { execute, insert, type Row, rows, type Verb } from '../sql.ts';
import { insertInto, sql } from '../statement.ts';
import type { JournalRow } from '../verbs/journal.ts';
import { openPool } from './connection.ts';
import { openPostgres, type PostgresEvents } from './postgres.ts';
import { runAlone } from './run-alone.ts';
import { Transaction } from './transaction.ts';

let databases: Databases;

before(async () => {
  databases = await findDatabases();
});
after(() => databases.stop());

async function openForContract() {
  const url = await databases.make();
  const options = { url, schema: 'cabinet_production', maxConnections: 8 };
  const catalog = toCatalog(await openPostgres(options, { onBackgroundError: (error) => assert.fail(String(error)) }));
  return { catalog: toFrozen(catalog), close: () => catalog.close() };
}

testCatalog('PostgreSQL', openForContract);
testPeople('PostgreSQL', openForContract);
testAccounts('PostgreSQL', openForContract);
testPersonalData('PostgreSQL', openForContract);
testGrants('PostgreSQL', openForContract);
testShares('PostgreSQL', openForContract);
testSecondFactors('PostgreSQL', openForContract);
testSessions('PostgreSQL', openForContract);
testEntryJobs('PostgreSQL', openForContract);
testManaging('PostgreSQL', openForContract);
testSums('PostgreSQL', openForContract);
testFolderPages('PostgreSQL', openForContract);
testWays('PostgreSQL', openForContract);
testWebhooks('PostgreSQL', openForContract);
testPreconditions('PostgreSQL', openForContract);
testChanges('PostgreSQL', openForContract);
testLeases('PostgreSQL', openForContract);
testUploads('PostgreSQL', openForContract);

const schema = 'cabinet_production';

async function openNode(url: string, events: PostgresEvents = {}): Promise<Catalog> {
  return toCatalog(await openPostgres({ url, schema, maxConnections: 6 }, events));
}

async function openNodes(count: number): Promise<Catalog[]> {
  const url = await databases.make();
  return await Promise.all(Array.from({ length: count }, () => openNode(url)));
}

async function closeAll(nodes: readonly Catalog[]): Promise<void> {
  await Promise.all(nodes.map((node) => node.close()));
}

async function readJournal(catalog: Catalog): Promise<JournalRow[]> {
  return await catalog.listJournal({ from: 1, to: Number.MAX_SAFE_INTEGER, limit: 100_000 });
}

function checkChain(rows: readonly JournalRow[]): void {
  let link = '';
  for (const [index, row] of rows.entries()) {
    assert.equal(row.position, index + 1);
    link = toLink(link, row.position, row, null);
    assert.equal(row.link, link);
  }
}

test('nodes that start together on an empty database create one schema', async () => {
  const nodes = await openNodes(5);
  const made = await addApplication(nodes[0] as Catalog, 'together');
  for (const node of nodes) assert.equal((await node.findApplication({ appKey: made.appKey }))?.name, 'together');
  await closeAll(nodes);
});

test('a server that may lose committed data is refused', { timeout: 300_000 }, async () => {
  const careless = await startPostgres({ fsync: 'off', synchronous_commit: 'off' });
  await assert.rejects(openNode(careless.url), /fsync is off.*synchronous_commit is off/);
  await careless.stop();
});

const intoMeta = insertInto('meta', 'name value');

test('PostgreSQL keeps text that looks like a statement', async () => {
  const url = await databases.make();
  await closeAll([await openNode(url)]);
  const pool = openPool({ url, schema, maxConnections: 1 });
  const client = await pool.connect();
  const transaction = new Transaction(client);
  const confusing = '$1 ? VALUES (coalesce($1, 0)) exact_size(entries) RETURNING x FOR UPDATE';
  const { result } = await runAlone(
    (function* (): Verb<Row[]> {
      yield* insert(intoMeta, [confusing, '']);
      yield* execute(sql`UPDATE meta SET value = coalesce(${null}, '$1 ? FOR UPDATE') WHERE name = ${confusing}`);
      return yield* rows(sql`SELECT name, value FROM meta WHERE name = ${confusing}`);
    })(),
    transaction,
    null,
  );
  client.release();
  await pool.end();
  assert.deepEqual(result, [{ name: confusing, value: '$1 ? FOR UPDATE' }]);
});

test('a catalog of a later release is not changed', async () => {
  const url = await databases.make();
  await closeAll([await openNode(url)]);
  const pool = openPool({ url, schema, maxConnections: 1 });
  await pool.query(`UPDATE meta SET value = '99' WHERE name = 'schema'`);
  await pool.end();
  await assert.rejects(openNode(url), /opened by a later release/);
});

test('saves under one name on several nodes make one file with all versions', async () => {
  const nodes = await openNodes(3);
  const application = await addApplication(nodes[0] as Catalog, 'names');
  const { space } = application;
  const saves = Array.from({ length: 60 }, (_, index) =>
    (nodes[index % 3] as Catalog).saveFile(fileIn(application, 'same', { content: inline(Buffer.from(`${index}`)) })),
  );
  const saved = await Promise.all(saves);
  assert.equal(new Set(saved.map(({ file }) => file.id)).size, 1);
  const file = saved[0]?.file.id as string;
  const page = await nodes[1]?.listVersions({ space, file, below: null, limit: 1000 });
  const versions = page?.versions.map(({ version }) => version);
  assert.deepEqual(
    versions,
    Array.from({ length: 60 }, (_, index) => 60 - index),
  );
  await closeAll(nodes);
});

test('a save that PostgreSQL rejects fails alone, without the others of its batch', async () => {
  const [catalog] = (await openNodes(1)) as [Catalog];
  const application = await addApplication(catalog, 'poison');
  const saves = Array.from({ length: 40 }, (_, index) =>
    catalog.saveFile(fileIn(application, `${index}`, index === 20 ? { comment: 'a NUL: \0' } : {})),
  );
  const outcomes = await Promise.allSettled(saves);
  assert.deepEqual(
    outcomes.flatMap(({ status }, index) => (status === 'rejected' ? [index] : [])),
    [20],
  );
  const page = await catalog.listFolder({ space: application.space, folder: application.rootId, limit: 1000 });
  assert.equal(page?.children.length, 39);
  await closeAll([catalog]);
});

test('a folder and a file never get the same name, whichever nodes create them', async () => {
  const nodes = await openNodes(2);
  const application = await addApplication(nodes[0] as Catalog, 'kinds');
  for (let round = 0; round < 20; round += 1) {
    const name = `name ${round}`;
    const outcomes = await Promise.allSettled([
      nodes[0]?.createFolder(folderIn(application, name)),
      nodes[1]?.saveFile(fileIn(application, name, { conflict: 'Fail' })),
    ]);
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    const refused = outcomes.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
    assert.ok(refuses('NameAlreadyExists')(refused.reason));
  }
  await closeAll(nodes);
});

test('requests with the same idempotency key make one file, whichever nodes they reach', async () => {
  const nodes = await openNodes(3);
  const application = await addApplication(nodes[0] as Catalog, 'twins');
  const idempotency = { appKey: 'ak', operation: 'save-file', key: 'k', fingerprint: 'f' } as const;
  const saves = Array.from({ length: 30 }, (_, index) =>
    (nodes[index % 3] as Catalog).saveFile(fileIn(application, 'twin', { conflict: 'Rename', idempotency })),
  );
  const saved = await Promise.all(saves);
  assert.equal(new Set(saved.map(({ file }) => file.id)).size, 1);
  assert.equal(saved.filter(({ isReplayed }) => !isReplayed).length, 1);
  const page = await nodes[0]?.listFolder({ space: application.space, folder: application.rootId, limit: 10 });
  assert.equal(page?.children.length, 1);
  await closeAll(nodes);
});

test('sizes and usage are exact while several nodes save, and a quota is never exceeded', async () => {
  const nodes = await openNodes(3);
  const [first] = nodes as [Catalog, ...Catalog[]];
  const application = await addApplication(first, 'sums');
  const { space, rootId } = application;
  const quota = { entries: 50, bytes: null, requests: null };
  await first.setQuota({ space: application.access?.spaceName ?? '', application: null, user: null, quota, ...what });
  const saves = Array.from({ length: 120 }, (_, index) =>
    (nodes[index % 3] as Catalog).saveFile(fileIn(application, `${index}`, { content: inline(Buffer.alloc(7)) })),
  );
  const kept = (await Promise.allSettled(saves)).filter(({ status }) => status === 'fulfilled').length;
  assert.equal(kept, 50);
  for (const node of nodes) {
    assert.equal((await node.findEntry({ space, id: rootId }))?.sizeBytes, 50 * 7);
    const { entries, bytes } = await node.findUsage({ space, actor: '' });
    assert.deepEqual({ entries, bytes }, { entries: 50, bytes: 50 * 7 });
  }
  await closeAll(nodes);
});

test('a change that is committed late gets a position after those that were already read', async () => {
  const url = await databases.make();
  const catalog = await openNode(url);
  const application = await addApplication(catalog, 'late');
  const { space } = application;
  const pool = openPool({ url, schema, maxConnections: 1 });
  const slow = await pool.connect();
  await slow.query('BEGIN');
  await slow.query(
    `INSERT INTO unsealed_changes (at, space, by, action, entry, request, details)
     VALUES (1, $1, 'slow', 'file.created', 'slow', 'r', '{}')`,
    [space],
  );
  await catalog.saveFile(fileIn(application, 'quick'));
  const before = await catalog.listChanges({ space, after: 0, limit: 100 });
  await slow.query('COMMIT');
  const after = await catalog.listChanges({ space, after: before.upTo, limit: 100 });
  assert.ok(before.changes.every(({ by }) => by !== 'slow'));
  assert.deepEqual(
    after.changes.map(({ by }) => by),
    ['slow'],
  );
  checkChain(await readJournal(catalog));
  slow.release();
  await pool.end();
  await closeAll([catalog]);
});

test('a node learns of changes of another node', async () => {
  const url = await databases.make();
  const heard = Promise.withResolvers<readonly number[]>();
  const writer = await openNode(url);
  const application = await addApplication(writer, 'heard');
  await writer.findJournalEnds({});
  const listener = await openNode(url, { onSequenced: (spaces) => heard.resolve(spaces) });
  await writer.saveFile(fileIn(application, 'news'));
  assert.deepEqual(await heard.promise, [application.space]);
  await closeAll([writer, listener]);
});

test('after a connection is lost at COMMIT, every write is done exactly once', async () => {
  const cutter = await startCommitCutter(await databases.make());
  const catalog = await openNode(cutter.url);
  const application = await addApplication(catalog, 'cut');
  const { space, rootId } = application;
  for (let round = 0; round < 12; round += 1) {
    const before = cutter.cuts;
    cutter.cutNext(round % 2 === 0 ? 'after' : 'before');
    const saves = Array.from({ length: 5 }, (_, index) =>
      catalog.saveFile(fileIn(application, `${round} ${index}`, { conflict: 'Rename' })),
    );
    for (const { file } of await Promise.all(saves)) assert.match(file.name, /^\d+ \d$/);
    assert.ok(cutter.cuts > before);
  }
  const page = await catalog.listFolder({ space, folder: rootId, limit: 1000 });
  assert.equal(page?.children.length, 60);
  const rows = await readJournal(catalog);
  checkChain(rows);
  assert.equal(rows.filter(({ action }) => action === 'file.created').length, 60);
  await catalog.close();
  await cutter.close();
});

test('requests during an outage of the server succeed after it, or fail as unavailable', {
  timeout: 300_000,
}, async () => {
  const restarted = await startPostgres();
  const clock = new MovableClock({ isRunning: true });
  const engine = await openPostgres({ url: restarted.url, schema, maxConnections: 6 }, { clock });
  const catalog = toCatalog(engine);
  const untilTried = async () => {
    while (engine.isReachable()) await clock.sleep(10);
  };
  const application = await addApplication(catalog, 'away');
  await restarted.halt();
  const saving = catalog.saveFile(fileIn(application, 'patient'));
  await untilTried();
  await restarted.start();
  assert.equal((await saving).file.name, 'patient');
  await restarted.halt();
  const refused = assert.rejects(catalog.saveFile(fileIn(application, 'lost')), (error) => {
    return error instanceof Fault && error.kind === 'unavailable';
  });
  await untilTried();
  await clock.advance(10_000);
  await refused;
  await restarted.start();
  assert.equal((await catalog.saveFile(fileIn(application, 'lost'))).file.name, 'lost');
  await catalog.close();
  await restarted.stop();
});
