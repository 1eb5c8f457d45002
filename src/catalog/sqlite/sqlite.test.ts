import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { testAccounts } from '../../../test/contracts/accounts.ts';
import { testCatalog } from '../../../test/contracts/catalog.ts';
import { testChanges } from '../../../test/contracts/changes.ts';
import { testEntryJobs } from '../../../test/contracts/entry-jobs.ts';
import { testFolderPages } from '../../../test/contracts/folder-pages.ts';
import { testGrants } from '../../../test/contracts/grants.ts';
import { testLeases } from '../../../test/contracts/leases.ts';
import { testManaging } from '../../../test/contracts/managing.ts';
import { testPeople } from '../../../test/contracts/people.ts';
import { testPersonalData } from '../../../test/contracts/personal-data.ts';
import { testPreconditions } from '../../../test/contracts/preconditions.ts';
import { addApplication, fileIn, folderIn, inline, what } from '../../../test/contracts/requests.ts';
import { testSecondFactors } from '../../../test/contracts/second-factors.ts';
import { testSessions } from '../../../test/contracts/sessions.ts';
import { testShares } from '../../../test/contracts/shares.ts';
import { testSums } from '../../../test/contracts/sums.ts';
import { testUploads } from '../../../test/contracts/uploads.ts';
import { testWays } from '../../../test/contracts/ways.ts';
import { testWebhooks } from '../../../test/contracts/webhooks.ts';
import { type Change, toLink } from '../../domain/chain.ts';
import { Fault } from '../../domain/fault.ts';
import type { Refusal } from '../../domain/refusal.ts';
import { MovableClock } from '../../runtime/clock-for-tests.ts';
import { SyncGuard } from '../../runtime/sync-guard.ts';
import { type Catalog, toCatalog } from '../catalog.ts';
import { openSqlite } from './sqlite.ts';
import { attachSqlite } from './worker.ts';

function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), 'cabinet-catalog-'));
}

async function openIn(folder: string, onFatal: (fault: Fault) => void = assert.fail): Promise<Catalog> {
  return toCatalog(await openSqlite({ path: join(folder, 'catalog.db'), onFatal }));
}

async function openForContract() {
  const folder = makeFolder();
  const catalog = await openIn(folder);
  return {
    catalog,
    async close() {
      await catalog.close();
      rmSync(folder, { recursive: true });
    },
  };
}

testCatalog('SQLite', openForContract);
testPeople('SQLite', openForContract);
testAccounts('SQLite', openForContract);
testPersonalData('SQLite', openForContract);
testGrants('SQLite', openForContract);
testShares('SQLite', openForContract);
testSecondFactors('SQLite', openForContract);
testSessions('SQLite', openForContract);
testEntryJobs('SQLite', openForContract);
testManaging('SQLite', openForContract);
testSums('SQLite', openForContract);
testFolderPages('SQLite', openForContract);
testWays('SQLite', openForContract);
testWebhooks('SQLite', openForContract);
testPreconditions('SQLite', openForContract);
testChanges('SQLite', openForContract);
testLeases('SQLite', openForContract);
testUploads('SQLite', openForContract);

/** Verifies the chain from its beginning; returns the actions in order. */
function checkJournal(folder: string): string[] {
  const database = new DatabaseSync(join(folder, 'catalog.db'), { readOnly: true });
  const rows = database.prepare('SELECT * FROM journal ORDER BY position').all() as unknown as (Change & {
    position: number;
    link: string;
  })[];
  database.close();
  let link = '';
  for (const [index, row] of rows.entries()) {
    assert.equal(row.position, index + 1);
    link = toLink(link, row.position, row, null);
    assert.equal(row.link, link);
  }
  return rows.map(({ action }) => action);
}

test('batches that arrive during a sync share the next commit, and each gets its own answer', async () => {
  const folder = makeFolder();
  const commits: number[] = [];
  const path = join(folder, 'catalog.db');
  const catalog = toCatalog(
    await openSqlite({ path, onFatal: assert.fail, onBatch: (writes) => commits.push(writes) }),
  );
  const application = await addApplication(catalog, 'gathered');
  commits.length = 0;
  const saves: Promise<string>[] = [];
  const batches = 4;
  for (let batch = 0; batch < batches; batch += 1) {
    for (let index = 0; index < 3; index += 1) {
      // The second of each is refused: the refusal must reach that one.
      const name = index === 1 ? 'file 0-0' : `file ${batch}-${index}`;
      const saved = catalog.saveFile(fileIn(application, name, { conflict: 'Fail' }));
      saves.push(
        saved.then(
          ({ file }) => file.name,
          (error: Error) => (error as Refusal).code,
        ),
      );
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  const outcomes = await Promise.all(saves);
  await catalog.close();
  const wanted = Array.from({ length: batches }, (_, batch) => [
    `file ${batch}-0`,
    'NameAlreadyExists',
    `file ${batch}-2`,
  ]);
  assert.deepEqual(outcomes, wanted.flat());
  assert.equal(
    commits.reduce((sum, writes) => sum + writes, 0),
    saves.length,
  );
  assert.ok(commits.length < batches, `${commits.length} commits for ${batches} batches`);
  rmSync(folder, { recursive: true });
});

test('a thread that writes little does not wait behind one that always has more', async () => {
  const folder = makeFolder();
  const path = join(folder, 'catalog.db');
  const engine = await openSqlite({ path, onFatal: assert.fail });
  const worker = attachSqlite({ path, port: engine.openWorkerPort(), onFatal: assert.fail });
  const [busy, quiet] = [toCatalog(engine), toCatalog(worker)];
  const application = await addApplication(busy, 'fair');
  let saved = 0;
  const flood = Array.from({ length: 2000 }, async (_, index) => {
    await busy.saveFile(fileIn(application, `busy ${index}`));
    saved += 1;
  });
  while (saved === 0) await new Promise((resolve) => setImmediate(resolve));
  const before = saved;
  await quiet.saveFile(fileIn(application, 'quiet'));
  assert.ok(saved - before < 500, `${saved - before} writes of the other were answered first`);
  await Promise.all(flood);
  await worker.close();
  await engine.close();
  rmSync(folder, { recursive: true });
});

test('space that is no longer needed is returned to the disk', { timeout: 60_000 }, async () => {
  const folder = makeFolder();
  const catalog = await openIn(folder);
  const application = await addApplication(catalog, 'given-back');
  const { folder: full } = await catalog.createFolder(folderIn(application, 'full'));
  const content = inline(Buffer.alloc(60_000));
  const save = (index: number) => catalog.saveFile(fileIn(application, `${index}`, { folder: full.id, content }));
  await Promise.all(Array.from({ length: 700 }, (_, index) => save(index)));
  await catalog.removeEntry({ space: application.space, id: full.id, ...what });
  const [tree] = await catalog.findHiddenTrees({});
  assert.ok(tree !== undefined);
  while (!(await catalog.purgeSlice({ ...tree, at: what.at, request: what.request })).isDone);
  const sizeBytes = () => statSync(join(folder, 'catalog.db')).size;
  let largest = 0;
  do {
    largest = Math.max(largest, sizeBytes());
    await new Promise((resolve) => setTimeout(resolve, 50));
  } while (largest < 40_000_000 || sizeBytes() >= largest);
  await catalog.close();
  rmSync(folder, { recursive: true });
});

test('committed data is there when the catalog is opened again', async () => {
  const folder = makeFolder();
  const first = await openIn(folder);
  const app = await addApplication(first, 'app');
  const { file } = await first.saveFile(fileIn(app, 'a'));
  await first.close();
  const second = await openIn(folder);
  assert.deepEqual(await second.findEntry({ space: app.space, id: file.id }), file);
  await second.close();
  rmSync(folder, { recursive: true });
});

test('the journal has every change in order, linked to the previous one, and nothing of refused writes', async () => {
  const folder = makeFolder();
  const catalog = await openIn(folder);
  const app = await addApplication(catalog, 'app');
  await catalog.createFolder(folderIn(app, 'f'));
  await assert.rejects(catalog.createFolder(folderIn(app, 'f')));
  await Promise.all(Array.from({ length: 20 }, (_, index) => catalog.saveFile(fileIn(app, `a${index % 10}`))));
  await catalog.close();
  const expected = [
    'space.created',
    'application.added',
    'folder.created',
    ...Array.from({ length: 10 }, () => 'file.created'),
  ];
  assert.deepEqual(checkJournal(folder), expected);
  rmSync(folder, { recursive: true });
});

test('a verb that fails after its first write fails alone and leaves nothing', async () => {
  const folder = makeFolder();
  const catalog = await openIn(folder);
  const app = await addApplication(catalog, 'app');
  // The column does not accept it, and is written last.
  const poison = { contentType: null as unknown as string };
  const saves = Array.from({ length: 64 }, (_, index) =>
    catalog.saveFile(fileIn(app, `f${index}`, index === 40 ? poison : {})),
  );
  const settled = await Promise.allSettled(saves);
  const failed = settled.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []));
  assert.deepEqual(failed, [40]);
  const page = await catalog.listFolder({ space: app.space, folder: app.rootId, limit: 100 });
  assert.equal(page?.children.length, 63);
  assert.equal(
    page?.folder.sizeBytes,
    page?.children.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  );
  await catalog.close();
  assert.equal(checkJournal(folder).filter((action) => action === 'file.created').length, 63);
  rmSync(folder, { recursive: true });
});

test('a copy slice that runs again because another verb of its batch failed omits nothing', async () => {
  const folder = makeFolder();
  const catalog = await openIn(folder);
  const app = await addApplication(catalog, 'app');
  const { space, rootId } = app;
  const { folder: full } = await catalog.createFolder(folderIn(app, 'full'));
  await Promise.all(Array.from({ length: 300 }, (_, i) => catalog.saveFile(fileIn(app, `${i}`, { folder: full.id }))));
  const input = { ...{ space, id: full.id, parent: rootId, name: 'copy', conflict: 'Fail' as const }, ...what };
  const begun = await catalog.beginCopy(input);
  assert.ok(begun !== null && 'top' in begun);
  let { stack } = begun;
  while (stack.length > 0) {
    const slice = catalog.continueCopy({ copy: input, top: begun.top, stack, at: what.at });
    const poison = catalog.saveFile(fileIn(app, 'poison', { contentType: null as unknown as string }));
    await assert.rejects(poison);
    stack = await slice;
  }
  const { entry } = await catalog.finishCopy({ copy: input, top: begun.top });
  const page = await catalog.listFolder({ space, folder: entry.id, limit: 1000 });
  assert.equal(page?.children.length, 300);
  await catalog.close();
  rmSync(folder, { recursive: true });
});

test('closing commits what was submitted before', async () => {
  const folder = makeFolder();
  const first = await openIn(folder);
  const app = await addApplication(first, 'app');
  const saves = Array.from({ length: 500 }, (_, index) => first.saveFile(fileIn(app, `a${index}`)));
  const closing = first.close();
  await Promise.all(saves);
  await closing;
  const second = await openIn(folder);
  const page = await second.listFolder({ space: app.space, folder: app.rootId, limit: 1000 });
  assert.equal(page?.children.length, 500);
  await second.close();
  rmSync(folder, { recursive: true });
});

test('a catalog of a later release is refused and not changed', async () => {
  const folder = makeFolder();
  await (await openIn(folder)).close();
  const database = new DatabaseSync(join(folder, 'catalog.db'));
  database.exec('PRAGMA user_version = 999');
  database.close();
  await assert.rejects(openIn(folder), /later release/);
  rmSync(folder, { recursive: true });
});

test('a damaged catalog is refused and not changed', async () => {
  const folder = makeFolder();
  await (await openIn(folder)).close();
  const path = join(folder, 'catalog.db');
  const damaged = readFileSync(path).fill(0xa5, 4096);
  writeFileSync(path, damaged);
  await assert.rejects(openIn(folder), (error) => error instanceof Fault && error.kind === 'fatal');
  assert.ok(readFileSync(path).equals(damaged));
  rmSync(folder, { recursive: true });
});

test('once a sync of the environment has failed, nothing is committed and nothing is checkpointed', async () => {
  const folder = makeFolder();
  const syncs = new SyncGuard();
  const fatal: Fault[] = [];
  const path = join(folder, 'catalog.db');
  const clock = new MovableClock();
  const catalog = toCatalog(await openSqlite({ path, syncGuard: syncs, onFatal: (fault) => fatal.push(fault), clock }));
  await addApplication(catalog, 'before');
  const sizes = () => [path, `${path}-wal`].map((file) => [statSync(file).size, statSync(file).mtimeMs]);
  // Nothing has been checkpointed: the clock is stopped.
  const before = sizes();
  syncs.fail();
  await assert.rejects(addApplication(catalog, 'after'), (error) => error instanceof Fault && error.kind === 'fatal');
  // Longer than the interval between checkpoints.
  await clock.advance(700);
  await catalog.close();
  assert.deepEqual(sizes(), before);
  assert.equal(fatal.length, 1);
  const again = await openIn(folder);
  assert.deepEqual(
    (await again.listApplications({})).map(({ name }) => name),
    ['before'],
  );
  await again.close();
  rmSync(folder, { recursive: true });
});
