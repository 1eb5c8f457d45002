// Moving a catalog between SQLite and PostgreSQL, with something of everything in it: there, back, and in spite of what
// comes in between.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { keysInFolder } from '../../src/auth/keys.ts';
import { CatalogInUse } from '../../src/catalog/table-store.ts';
import { tables } from '../../src/catalog/tables.ts';
import { type Migration, MigrationError } from '../../src/maintenance/migrate/side.ts';
import { addApplication, fileIn, folderIn, type Registered } from '../contracts/requests.ts';
import { ask, dump, getReady, keys, listBlobs, openCatalog, type Ready } from './migrating.ts';
import { journalFilesOf, move, type Place } from './move.ts';

describe('a catalog is migrated', { timeout: 600_000 }, () => {
  let ready: Ready;
  /** An application of the catalog that is moved. */
  let one: Registered;

  before(async () => {
    ready = await getReady();
    one = ready.filled.applications[0] as Registered;
  });
  after(() => ready?.stop());

  /** The catalog as it is after one move. */
  const moved = async () => {
    const there = await ready.inPostgres();
    assert.ok((await move(ready.sqlite, there)).isFinished);
    return there;
  };
  let kept: Promise<Place> | null = null;
  /** The same for all who only read it. */
  const movedOnce = () => {
    kept ??= moved();
    return kept;
  };
  const brokenOff = ({ target }: Migration) => ({
    target: { ...target, keys: { ...target.keys, write: () => Promise.reject(new Error('broken off')) } },
  });

  it('with every table, except those that are left behind on purpose', async () => {
    const names = tables.map(({ name }) => name);
    const database = new DatabaseSync(join(ready.sqlite.folder, 'catalog.db'), { readOnly: true });
    const here = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all();
    assert.deepEqual(here.map(({ name }) => name).sort(), [...names, 'entry_jobs', 'leases', 'meta', 'uploads'].sort());
    for (const { name, columns } of tables) {
      const found = database.prepare(`PRAGMA table_info(${name})`).all();
      assert.deepEqual(found.map((column) => column.name).sort(), [...columns].sort(), name);
    }
    database.close();
    const there = await ready.inPostgres();
    await (await openCatalog(there)).close();
    const { rows } = await ask(
      there,
      `SELECT table_name AS name, array_agg(column_name::text) AS columns FROM information_schema.columns
       WHERE table_schema = 'cabinet_production' GROUP BY 1`,
    );
    const passing = [
      ...['meta', 'leases', 'uploads', 'entry_jobs', 'commits', 'size_additions', 'usage_additions'],
      'unsealed_changes',
    ];
    const others = rows.filter(({ name }) => !names.includes(name) && !/^search_/.test(name)).map(({ name }) => name);
    assert.deepEqual(others.sort(), passing.sort());
    for (const { name, columns } of tables) {
      assert.deepEqual(rows.find((row) => row.name === name)?.columns.sort(), [...columns].sort(), name);
    }
  });

  it('to PostgreSQL and back, and every query and every row is the same', async () => {
    const { sqlite, expected } = ready;
    const there = await ready.inPostgres();
    const report = await move(sqlite, there);
    assert.deepEqual([report.differences, report.chain?.problems, report.isFinished], [[], [], true]);
    assert.ok((report.journalFiles ?? 0) > 1);
    assert.deepEqual([report.contents?.blobs, report.contents?.copied], [6, 6]);
    const counts = Object.fromEntries(Object.entries(dump(sqlite)).map(([name, rows]) => [name, rows.length]));
    assert.deepEqual(report.records?.rows, counts);
    const empty = Object.keys(counts).filter((name) => counts[name] === 0);
    assert.deepEqual(empty, [], 'there is something of everything');
    assert.deepEqual(await ready.readAll(there), expected);

    const back = ready.place();
    assert.deepEqual((await move(there, back)).differences, []);
    assert.deepEqual(dump(back), dump(sqlite));
    assert.deepEqual(await ready.readAll(back), expected);
    assert.equal(readFileSync(join(back.folder, 'keys.json'), 'utf8'), keys);
    assert.deepEqual(await journalFilesOf(back).list(), await journalFilesOf(sqlite).list());
    const [before, now] = [listBlobs(sqlite), listBlobs(back)].map((paths) =>
      paths.map((path) => [path.slice(-32), readFileSync(path).toString('base64')]),
    );
    assert.deepEqual(now, before);
  });

  it('and used there: numbers, sums and the journal continue, and everything can be migrated back', async () => {
    const there = await moved();
    const catalog = await openCatalog(there);
    const { space } = await addApplication(catalog, 'later');
    assert.ok(space > 2);
    const { folder } = await catalog.createFolder(folderIn(one, 'later'));
    const save = (index: number) => catalog.saveFile(fileIn(one, `${index}`, { folder: folder.id }));
    await Promise.all(Array.from({ length: 50 }, (_, index) => save(index)));
    const usage = await catalog.findUsage({ space: one.space, actor: '' });
    await catalog.close();
    // As a node that was killed leaves it: what it added is neither folded nor sealed.
    await ask(there, `INSERT INTO usage_additions VALUES (${one.space}, '', 1, 7)`);
    await ask(
      there,
      `INSERT INTO unsealed_changes (at, space, by, action, entry, request, details) VALUES (1, 1, 'x', 'y', 'z', 'r', '{}')`,
    );
    const back = ready.place();
    assert.deepEqual((await move(there, back)).differences, []);
    const again = await openCatalog(back);
    const { entries, bytes } = await again.findUsage({ space: one.space, actor: '' });
    assert.deepEqual([entries, bytes], [usage.entries + 1, usage.bytes + 7]);
    const last = (await again.findJournalEnds({}))?.last ?? 0;
    assert.equal((await again.listJournal({ from: last, to: last, limit: 1 }))[0]?.by, 'x');
    assert.equal((await again.listFolder({ space: one.space, folder: folder.id, limit: 100 }))?.children.length, 50);
    await again.close();
  });

  it('again, if the source has changed since the last attempt', async () => {
    const source = ready.copyOf(ready.sqlite);
    const there = await ready.inPostgres();
    await assert.rejects(move(source, there, brokenOff), /broken off/);
    const catalog = await openCatalog(source);
    const page = await catalog.listFolder({ space: one.space, folder: one.rootId, limit: 3 });
    for (const { id } of page?.children ?? []) {
      await catalog.removeEntry({ space: one.space, id, at: 1, by: 'x', request: 'r' });
    }
    await catalog.saveFile(fileIn(one, 'changed'));
    await catalog.close();
    assert.deepEqual((await move(source, there)).differences, []);
    assert.deepEqual(await ready.readAll(there), await ready.readAll(source));
  });

  it('once: a second run finds nothing to do', async () => {
    const there = await movedOnce();
    const { isFinished, doneAt, records } = await move(ready.sqlite, there);
    assert.deepEqual([isFinished, records], [true, null]);
    assert.ok(Math.abs(Date.parse(doneAt ?? '') - Date.now()) < 60_000);
  });

  it('in its large contents only, repeatedly', async () => {
    const source = ready.copyOf(ready.sqlite);
    const to = ready.place();
    const contentsAlone = ({ source }: Migration) => ({
      target: source,
      moved: { records: false, journalFiles: false },
    });
    const first = await move(source, to, contentsAlone);
    assert.deepEqual([first.isFinished, first.contents?.copied, first.records], [true, 6, null]);
    const second = await move(source, to, contentsAlone);
    assert.deepEqual([second.isFinished, second.contents?.copied], [true, 0]);
    assert.deepEqual(
      listBlobs(to).map((path) => path.slice(-32)),
      listBlobs(source).map((path) => path.slice(-32)),
    );
    writeFileSync(join(to.folder, 'blobs', 'ab', `ab${'0'.repeat(30)}`), 'x');
    await assert.rejects(move(source, to, contentsAlone), /the new store is in use/);
  });

  it('not into a target in use, nor into that of another migration', async () => {
    const { sqlite } = ready;
    const there = await ready.inPostgres();
    const catalog = await openCatalog(there);
    await assert.rejects(move(sqlite, there), CatalogInUse);
    await addApplication(catalog, 'in-use');
    await catalog.close();
    await assert.rejects(move(sqlite, there), (error: Error) => {
      assert.ok(error instanceof MigrationError);
      assert.match(error.message, /in use: there are rows in spaces, applications/);
      return true;
    });
    const used = await moved();
    const later = await openCatalog(used);
    await addApplication(later, 'later');
    await later.close();
    await assert.rejects(move(sqlite, used), /something has changed since/);
    const other = ready.place();
    const another = await openCatalog(other);
    await addApplication(another, 'another');
    await another.close();
    await keysInFolder(other.folder).write(keys);
    const claimed = await ready.inPostgres();
    await assert.rejects(move(other, claimed, brokenOff), /broken off/);
    await assert.rejects(move(sqlite, claimed), /holds a migration from elsewhere/);
    assert.ok((await move(other, claimed)).isFinished);
  });

  it('not into a blob store in use, nor over existing keys', async () => {
    const there = await ready.inPostgres();
    mkdirSync(join(there.folder, 'blobs', 'ab'), { recursive: true });
    writeFileSync(join(there.folder, 'blobs', 'ab', `ab${'0'.repeat(30)}`), 'x');
    await assert.rejects(move(ready.sqlite, there), /the new store is in use: it holds ab0000/);
    const back = ready.place();
    await keysInFolder(back.folder).write('{}');
    await assert.rejects(move(await movedOnce(), back), /has keys already/);
    assert.equal(readFileSync(join(back.folder, 'keys.json'), 'utf8'), '{}');
  });

  it('not while nodes use the source, except for its large contents', async () => {
    const there = await movedOnce();
    const catalog = await openCatalog(there);
    const to = ready.place();
    await assert.rejects(move(there, to), CatalogInUse);
    const early = await move(there, to, () => ({ isContentsOnly: true }));
    assert.deepEqual([early.contents?.copied, early.differences, early.isFinished], [6, [], false]);
    await catalog.close();
    assert.equal((await move(there, to)).contents?.copied, 0);
  });

  it('with its large contents first, while the source changes', async () => {
    const source = ready.copyOf(ready.sqlite);
    const catalog = await openCatalog(source);
    const there = await ready.inPostgres();
    const early = await move(source, there, () => ({ isContentsOnly: true }));
    assert.deepEqual([early.contents?.copied, early.differences, early.isFinished], [6, [], false]);
    const { id } = ready.filled.large[0] ?? { id: '' };
    await catalog.removeEntry({ space: one.space, id, at: 1, by: 'x', request: 'r' });
    await catalog.close();
    const report = await move(source, there, () => ({ verify: 'quick' }));
    assert.deepEqual([report.contents?.copied, report.differences, report.isFinished], [0, [], true]);
    assert.deepEqual(await ready.readAll(there), await ready.readAll(source));
  });

  it('with a chain that was broken before, which is reported but does not stop it', async () => {
    const source = ready.copyOf(ready.sqlite);
    const database = new DatabaseSync(join(source.folder, 'catalog.db'));
    database.exec(`UPDATE journal SET by = 'forged' WHERE position = (SELECT max(position) FROM journal)`);
    database.close();
    const report = await move(source, await ready.inPostgres());
    assert.ok(report.isFinished);
    assert.equal(report.chain?.problems.length, 1);
  });

  it('not if PostgreSQL cannot store a character, and the row is named', async () => {
    const source = ready.copyOf(ready.sqlite);
    const database = new DatabaseSync(join(source.folder, 'catalog.db'));
    database.exec(`UPDATE users SET name = 'a' || char(0) || 'b' WHERE id = 'zoë'`);
    database.close();
    await assert.rejects(move(source, await ready.inPostgres()), /users: id "zoë" cannot be kept/);
  });
});
