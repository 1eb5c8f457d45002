import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import {
  addApplication,
  asBlob,
  fileIn,
  folderIn,
  inline,
  type Registered,
  what,
} from '../../../test/contracts/requests.ts';
import { type Catalog, toCatalog } from '../../catalog/catalog.ts';
import { Connection } from '../../catalog/sqlite/connection.ts';
import { openSqlite } from '../../catalog/sqlite/sqlite.ts';
import { makeDocx } from '../extract/documents-for-tests.ts';
import { Extractor } from '../extract/extractor.ts';
import { parseQuery } from '../query.ts';
import { readNext } from '../read-waiting.ts';
import { Follower } from './follower.ts';
import { IndexStore, toDocument } from './index-store.ts';

interface Room {
  catalog: Catalog;
  store: IndexStore;
  follower: Follower;
  application: Registered;
  indexPath: string;
  catalogPath: string;
  /** Follows until there is no more; says how many steps that took. */
  catchUp(): number;
  find(q: string): number[];
}

async function openRoom(context: TestContext): Promise<Room> {
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-search-'));
  const [catalogPath, indexPath] = [join(folder, 'catalog.db'), join(folder, 'search.db')];
  const catalog = toCatalog(await openSqlite({ path: catalogPath, onFatal: (fault) => assert.fail(fault) }));
  const application = await addApplication(catalog, 'app');
  const connection = new Connection(catalogPath, 'reader');
  const store = IndexStore.open(indexPath);
  const follower = new Follower(connection, store);
  context.after(async () => {
    store.close();
    connection.close();
    await catalog.close();
    rmSync(folder, { recursive: true });
  });
  return {
    ...{ catalog, store, follower, application, indexPath, catalogPath },
    catchUp() {
      let steps = 0;
      while ([follower.follow(), follower.walk()].includes(true)) steps += 1;
      return steps;
    },
    find(q) {
      const database = new DatabaseSync(indexPath, { readOnly: true });
      const found = database.prepare('SELECT rowid FROM words WHERE words MATCH ?').all(parseQuery(q).expression);
      database.close();
      return found.map(({ rowid }) => Number(rowid) % 2 ** 33);
    },
  };
}

test('new files and versions are followed, and the position is stored with them', async (context) => {
  const { catalog, application, store, catchUp, find } = await openRoom(context);
  const saved = fileIn(application, 'first.txt', { content: inline(Buffer.from('alpha beta')) });
  await catalog.saveFile(saved);
  catchUp();
  assert.equal(find('alpha').length, 1);
  assert.equal(catchUp(), 0, 'nothing is done twice');
  await catalog.saveFile({ ...saved, content: inline(Buffer.from('gamma')) });
  catchUp();
  assert.deepEqual([find('alpha').length, find('gamma').length, find('first').length], [0, 1, 1]);
  const place = store.findPosition();
  const ends = await catalog.findJournalEnds({});
  assert.equal(place?.position, ends?.last);
});

test('an entry is found that has the number and the name of one purged in the same batch', async (context) => {
  const { catalog, application, catchUp, find } = await openRoom(context);
  const add = async () => (await catalog.createFolder(folderIn(application, 'same'))).folder.id;
  const first = await add();
  catchUp();
  const numbers = find('same');
  await catalog.removeEntry({ space: application.space, id: first, precondition: null, ...what });
  for (const tree of await catalog.findHiddenTrees({})) {
    await catalog.purgeSlice({ ...tree, at: what.at, request: what.request });
  }
  await add();
  catchUp();
  assert.deepEqual(find('same'), numbers, 'SQLite gives the number again');
});

test('properties and custom object types are found, default object types are not', async (context) => {
  const { catalog, application, catchUp, find } = await openRoom(context);
  await catalog.createFolder(
    folderIn(application, 'one', { properties: { Customer: 'Acme' }, objectType: 'legal:contract' }),
  );
  await catalog.createFolder(folderIn(application, 'two'));
  catchUp();
  for (const q of ['customer', 'acme', 'contract']) assert.equal(find(q).length, 1, q);
  assert.equal(find('cmis').length, 0);
});

test('an existing catalog is indexed by a walk, and changes meanwhile are not lost', async (context) => {
  const { catalog, application, follower, catchUp, find } = await openRoom(context);
  for (let index = 0; index < 1200; index += 1) await catalog.createFolder(folderIn(application, `folder ${index}`));
  assert.ok(follower.follow(), 'begins a walk');
  await catalog.createFolder(folderIn(application, 'late'));
  catchUp();
  assert.equal(find('folder').length, 1200);
  assert.equal(find('late').length, 1);
});

test('an index behind the oldest row of the journal is rebuilt', async (context) => {
  const { catalog, application, catchUp, find, store } = await openRoom(context);
  await catalog.createFolder(folderIn(application, 'early'));
  catchUp();
  for (let index = 0; index < 5; index += 1) await catalog.createFolder(folderIn(application, `missed ${index}`));
  const last = (await catalog.findJournalEnds({}))?.last ?? 0;
  await catalog.forgetJournal({ upTo: last - 2, limit: 1000 });
  catchUp();
  assert.equal(find('missed').length, 5);
  assert.equal(find('early').length, 1);
  assert.equal(store.findPosition()?.position, last);
});

test('an index whose last row is archived, but not the next, continues', async (context) => {
  const { catalog, application, follower, catchUp, find } = await openRoom(context);
  await catalog.createFolder(folderIn(application, 'early'));
  catchUp();
  const last = (await catalog.findJournalEnds({}))?.last ?? 0;
  await catalog.createFolder(folderIn(application, 'next'));
  await catalog.forgetJournal({ upTo: last, limit: 1000 });
  follower.follow();
  assert.equal(find('next').length, 1);
  assert.equal(follower.walk(), false, 'without a walk');
});

test('an index of another history or catalog is rebuilt', async (context) => {
  const { catalog, application, catchUp, find, store } = await openRoom(context);
  await catalog.createFolder(folderIn(application, 'present'));
  catchUp();
  for (const place of [
    { position: 1, link: 'another' },
    { position: 1_000_000, link: 'future' },
  ]) {
    store.transact(() => {
      store.setPosition(place);
      store.put(
        { document: toDocument(1, 999_999), name: 'phantom', properties: '', content: null, readable: null },
        { state: 'indexed', text: '' },
      );
    });
    catchUp();
    assert.deepEqual([find('present').length, find('phantom').length], [1, 0]);
  }
});

test('purged entries leave the index', async (context) => {
  const { catalog, application, catchUp, find } = await openRoom(context);
  const folder = folderIn(application, 'doomed');
  await catalog.createFolder(folder);
  await catalog.saveFile(fileIn(application, 'inner.txt', { folder: folder.id }));
  catchUp();
  assert.equal(find('inner').length, 1);
  await catalog.removeEntry({ space: application.space, id: folder.id, ...what });
  for (const tree of await catalog.findHiddenTrees({})) {
    while (!(await catalog.purgeSlice({ ...tree, at: 1, request: 'r' })).isDone);
  }
  catchUp();
  assert.deepEqual([find('inner'), find('doomed')], [[], []]);
});

test('spaces take turns when documents wait, and each is read once', async (context) => {
  const { catalog, application, store, follower, catchUp, find } = await openRoom(context);
  const other = await addApplication(catalog, 'other');
  const type = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
  const docx = (word: string) => ({ contentType: type, content: inline(makeDocx([word])) });
  for (const name of ['a', 'b', 'c']) await catalog.saveFile(fileIn(application, name, docx(`text${name}`)));
  await catalog.saveFile(fileIn(other, 'd', docx('textd')));
  catchUp();
  const extractor = new Extractor(10_000);
  context.after(() => extractor.close());
  const parts = { store, follower, extractor, readBlob: async () => null, signal: new AbortController().signal };
  let after = await readNext(parts, -1);
  after = await readNext(parts, after ?? -1);
  assert.deepEqual([find('texta').length, find('textd').length, find('textb').length], [1, 1, 0]);
  after = await readNext(parts, after ?? -1);
  await readNext(parts, after ?? -1);
  assert.equal(await readNext(parts, -1), null);
  assert.equal(find('textc').length, 1);
});

test('a document that never finishes is given up after a few attempts, across restarts', async (context) => {
  const { catalog, application, store, follower, catchUp } = await openRoom(context);
  await catalog.saveFile(
    fileIn(application, 'lost.pdf', { contentType: 'application/pdf', content: asBlob(Buffer.from('x')) }),
  );
  catchUp();
  const extractor = new Extractor(1000);
  const parts = { store, follower, extractor, readBlob: async () => null, signal: new AbortController().signal };
  for (let attempt = 0; attempt < 3; attempt += 1) {
    assert.equal(store.findWaiting(-1)?.attempts, attempt);
    await readNext(parts, -1);
  }
  assert.equal(store.findWaiting(-1), null);
});

test('an attempt that a restart interrupted is not counted', async (context) => {
  const { catalog, application, store, follower, catchUp } = await openRoom(context);
  await catalog.saveFile(
    fileIn(application, 'x.pdf', { contentType: 'application/pdf', content: asBlob(Buffer.from('x')) }),
  );
  catchUp();
  const closing = new AbortController();
  const readBlob = async () => {
    closing.abort();
    return null;
  };
  await readNext({ store, follower, extractor: new Extractor(1000), readBlob, signal: closing.signal }, -1);
  assert.equal(store.findWaiting(-1)?.attempts, 0);
});

test('a file that is not an index of this format is replaced', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-search-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'search.db');
  const database = new DatabaseSync(path);
  database.exec('CREATE TABLE other (x); PRAGMA user_version = 77');
  database.close();
  const store = IndexStore.open(path);
  assert.equal(store.findPosition(), null);
  store.close();
  (await import('node:fs')).writeFileSync(path, 'not a database at all, not even close to one');
  IndexStore.open(path).close();
});
