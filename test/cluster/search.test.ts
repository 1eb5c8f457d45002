// The search index on PostgreSQL: it answers as the one on SQLite does, and any number of nodes keep it together.

import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { openPool } from '../../src/catalog/postgres/connection.ts';
import { PostgresFollower } from '../../src/search/postgres/follower.ts';
import { PostgresSession, transact } from '../../src/search/postgres/session.ts';
import { toDocument } from '../../src/search/sqlite/index-store.ts';
import { addApplication, asBlob, fileIn, folderIn, inline } from '../contracts/requests.ts';
import { type Databases, findDatabases } from './ground.ts';
import { startPostgres } from './postgres.ts';
import { documents, questions } from './search-documents.ts';
import {
  catchUp,
  collect,
  countLeaders,
  eventually,
  isCaughtUp,
  noteWrites,
  openNode,
  openPostgresRoom,
  openSqliteRoom,
  type Room,
  schema,
} from './search-room.ts';

let databases: Databases;
/** For tests that look at nothing but a space of their own: an index takes more time to start than most of them. */
let shared: Room & { url: string };
const closers: (() => unknown)[] = [];

before(async () => {
  databases = await findDatabases();
  const url = await databases.make();
  shared = { ...(await openPostgresRoom({ after: (close) => closers.push(close) }, url)), url };
});
after(async () => {
  for (const close of closers) await close();
  await databases.stop();
});

async function openSpace(name: string): Promise<typeof shared> {
  return { ...shared, application: await addApplication(shared.catalog, name) };
}

async function fill({ catalog, application }: Room): Promise<void> {
  for (const { name, properties, text } of documents) {
    const content = inline(Buffer.from(text));
    await catalog.saveFile(fileIn(application, name, { properties, content, contentType: 'text/plain' }));
  }
}

/** The names of what a query finds; the first ones with their snippets. */
async function answer(room: Room, q: string) {
  const found = await collect(room, q);
  const named = await room.catalog.findNames({ entries: found.map(({ entry }) => entry) });
  const names = new Map(named.map(({ entry, name }) => [entry, name]));
  const entries = found.slice(0, 15).map(({ entry }) => entry);
  const { space } = room.application;
  const snippets = await room.search.snippets({ space, query: room.search.parse(q), entries });
  return { found: found.map(({ entry, score }) => [names.get(entry), score]), snippets };
}

async function createMany({ catalog, application }: Room, count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => `folder ${index}`);
  await Promise.all(names.map((name) => catalog.createFolder(folderIn(application, name))));
}

async function count(room: Room, q: string): Promise<number> {
  const found = (await collect(room, q)).map(({ entry }) => entry);
  assert.equal(new Set(found).size, found.length, 'no entry is proposed twice');
  return found.length;
}

test('both engines answer queries alike: results, order, weights and snippets', async (context) => {
  const rooms = [await openSqliteRoom(context), await openPostgresRoom(context, await databases.make())] as const;
  for (const room of rooms) await fill(room);
  for (const room of rooms) await catchUp(room);
  for (const [q, least] of questions) {
    const [expected, actual] = [await answer(rooms[0], q), await answer(rooms[1], q)];
    assert.deepEqual(actual, expected, q);
    assert.ok(expected.found.length >= least, `${q} finds ${expected.found.length}`);
  }
});

test('both engines make the same snippets of long texts, first of whole texts, then of their beginnings', async (context) => {
  const rooms = [await openSqliteRoom(context), await openPostgresRoom(context, await databases.make())] as const;
  // Of 8 Mi characters the last text takes 100,000, and each of those beyond ASCII, which count sixteenfold, 800,160.
  const texts = [...Array(13).fill(`early ${'сено '.repeat(10_000)}late`), `early ${'hay '.repeat(24_998)}late`];
  for (const { catalog, application } of rooms) {
    for (const [index, text] of texts.entries()) {
      const content = inline(Buffer.from(text));
      await catalog.saveFile(fileIn(application, `late ${index}.txt`, { content, contentType: 'text/plain' }));
    }
  }
  for (const room of rooms) await catchUp(room);
  for (const [q, count] of [
    ['early', texts.length],
    ['late', 11],
  ] as const) {
    const [expected, actual] = [await answer(rooms[0], q), await answer(rooms[1], q)];
    assert.deepEqual(actual, expected, q);
    assert.equal(expected.found.length, texts.length);
    assert.equal(expected.snippets.filter((snippet) => /hay|сено|early/.test(snippet)).length, count, q);
  }
});

test('slices propose every entry once, and do not change when newer entries arrive', async () => {
  const room = await openSpace('sliced');
  const { catalog, application, search } = room;
  const save = async (from: number, to: number) => {
    const saves = Array.from({ length: to - from }, (_, index) => {
      const name = (from + index) % 3 === 0 ? `needle ${from + index}` : `n${from + index}`;
      return catalog.saveFile(fileIn(application, name, { content: inline(Buffer.from('needle "and thread"')) }));
    });
    await Promise.all(saves);
    await catchUp(room);
  };
  await save(0, 1100);
  assert.equal(await count(room, 'needle'), 1100);
  assert.equal(await count(room, '"and thread"'), 1100);
  assert.equal(await count(room, '"thread and"'), 0);
  const query = search.parse('needle');
  const first = await search.rank({ space: application.space, query, stage: 1, before: null });
  await save(1100, 1200);
  const again = await search.rank({ space: application.space, query, stage: 1, before: first.before });
  assert.deepEqual(again, first);
  const other = await addApplication(catalog, 'beside');
  assert.equal(await count({ ...room, application: other }, 'needle'), 0);
});

test('a dense range after a sparse one is not skipped', async (context) => {
  const room = await openSpace('much');
  const pool = openPool({ url: room.url, schema, maxConnections: 1 });
  context.after(() => pool.end());
  const entries = [...Array.from({ length: 6000 }, (_, index) => index + 1), 600_000, 600_001, 2_000_000, 30_000_000];
  const space = 77_777;
  const client = await pool.connect();
  await transact(client, async (index) => {
    const record = { properties: '', content: null, readable: null };
    const readings = entries.map((entry) => {
      const name = entry % 3 === 0 ? `needle ${entry}` : `n${entry}`;
      return [
        { ...record, document: toDocument(space, entry), name },
        { state: 'indexed', text: 'needle' },
      ] as const;
    });
    await index.putAll(readings);
  });
  client.release();
  const found = await collect({ ...room, application: { ...room.application, space } }, 'needle');
  assert.deepEqual(
    found.map(({ entry }) => entry).toSorted((a, b) => a - b),
    entries,
  );
  const named = entries.filter((entry) => entry % 3 === 0).length;
  assert.ok(
    found.slice(0, named).every(({ entry }) => entry % 3 === 0),
    'those with the word in their names come first',
  );
});

test('documents larger than PostgreSQL can index are found by the part that it can', async () => {
  const room = await openSpace('large');
  const { catalog, application, blobs, search } = room;
  const { skipped } = await search.status();
  const save = async (name: string, text: string) => {
    const content = asBlob(Buffer.from(text));
    blobs.set(content.blob as string, Buffer.from(text));
    await catalog.saveFile(fileIn(application, name, { content }));
  };
  const word = (index: number) =>
    `слово${index.toString(36).replaceAll(/\d/g, (digit) => 'абвгдежзик'[Number(digit)] as string)}`;
  await save('many', Array.from({ length: 120_000 }, (_, index) => word(index)).join(' '));
  await save('one', `${'я'.repeat(200_000)} behind`);
  await save('few', `${'x y '.repeat(200_000)}"z"`);
  await catchUp(room);
  assert.equal((await search.status()).skipped, skipped);
  for (const q of [
    'many',
    word(0),
    word(40_000),
    `"${word(30_000)} ${word(30_001)}"`,
    '"x y z"',
    `${'я'.repeat(400)}*`,
    'behind',
  ]) {
    assert.equal(await count(room, q), 1, q.slice(0, 30));
  }
  assert.equal(await count(room, '"y y"'), 0);
});

test('a document that PostgreSQL refuses is skipped, and does not block others', async (context) => {
  const url = await databases.make();
  const room = await openPostgresRoom(context, url);
  const { catalog, application, search } = room;
  const pool = openPool({ url, schema, maxConnections: 1 });
  context.after(() => pool.end());
  await pool.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$BEGIN IF NEW.text = 'poison' THEN RAISE EXCEPTION 'no' USING ERRCODE = '22P05'; END IF; RETURN NEW; END$$;
    CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON search_documents FOR EACH ROW EXECUTE FUNCTION refuse()`);
  const texts = ['good before', 'poison', 'good behind'];
  await Promise.all(
    texts.map((text, index) =>
      catalog.saveFile(fileIn(application, `file ${index}`, { content: inline(Buffer.from(text)) })),
    ),
  );
  await catchUp(room);
  assert.deepEqual([await count(room, 'good'), await count(room, 'file')], [2, 3]);
  const { skippedEntries } = await search.status();
  assert.deepEqual(
    skippedEntries.map(({ reason }) => reason),
    ['PostgreSQL cannot take it: no'],
  );
});

test('rebuild works on any node, and starts by itself if the journal does not reach back far enough', async (context) => {
  const url = await databases.make();
  const room = await openPostgresRoom(context, url);
  const { catalog, application } = room;
  await createMany(room, 700);
  await catchUp(room);
  const pool = openPool({ url, schema, maxConnections: 1 });
  context.after(() => pool.end());
  const spoil = () => pool.query(`UPDATE search_documents SET words = ''`);
  await spoil();
  assert.equal(await count(room, 'folder'), 700, 'names are found');
  assert.equal((await collect(room, 'folder')).length, 700);
  const other = await openNode(context, url);
  await other.search.rebuild();
  await catchUp(room);
  const whole = await pool.query(`SELECT count(*) AS count FROM search_documents WHERE words @@ 'folder'::tsquery`);
  assert.equal(whole.rows[0].count, 700);
  await spoil();
  await pool.query(`UPDATE search_state SET position = 1, link = 'another'`);
  await catalog.createFolder(folderIn(application, 'late folder'));
  await catchUp(room);
  const again = await pool.query(`SELECT count(*) AS count FROM search_documents WHERE words @@ 'folder'::tsquery`);
  assert.equal(again.rows[0].count, 701);
});

test('two nodes share one index: one of them indexes, nothing is missing', async (context) => {
  const url = await databases.make();
  const room = await openPostgresRoom(context, url);
  const other = await openNode(context, url);
  await catchUp(room);
  const pool = openPool({ url, schema, maxConnections: 1 });
  context.after(() => pool.end());
  await pool.query(noteWrites);
  const saves: Promise<unknown>[] = [];
  for (let index = 0; index < 160; index += 1) {
    const { catalog } = index % 2 === 0 ? room : other;
    saves.push(catalog.saveFile(fileIn(room.application, `${index}.txt`, { content: inline(Buffer.from('shared')) })));
    if (index % 20 === 0) await Promise.all(saves);
  }
  await Promise.all(saves);
  await catchUp(room);
  assert.equal(await count(room, 'shared'), 160);
  assert.equal(await count({ ...room, search: other.search }, 'shared'), 160);
  const { rows } = await pool.query('SELECT count(*) AS written, count(DISTINCT by) AS nodes FROM written');
  assert.deepEqual(rows[0], { written: 160, nodes: 1 });
});

test('two concurrent indexers, without the lock, skip nothing and do nothing twice', async (context) => {
  const url = await databases.make();
  const node = await openNode(context, url);
  await node.search.close();
  const application = await addApplication(node.catalog, 'app');
  await createMany({ ...node, application }, 1200);
  const pool = openPool({ url, schema, maxConnections: 3 });
  context.after(() => pool.end());
  await pool.query(noteWrites);
  const clients = [await pool.connect(), await pool.connect()];
  const keepFollowing = async (follower: PostgresFollower) => {
    while ([await follower.follow(), await follower.walk()].includes(true));
  };
  await Promise.all(clients.map((client) => keepFollowing(new PostgresFollower(new PostgresSession(client)))));
  for (const client of clients) client.release();
  const { rows } = await pool.query('SELECT count(*) AS written, count(DISTINCT entry) AS entries FROM written');
  assert.deepEqual(rows[0], { written: 1200, entries: 1200 });
});

async function startNode(context: TestContext, url: string) {
  const child = fork(join(import.meta.dirname, 'indexing-node.ts'), [url, schema]);
  context.after(() => child.kill('SIGKILL'));
  await once(child, 'message');
  return child;
}

test('a node that is killed while it indexes is replaced within seconds, and nothing is lost', async (context) => {
  const url = await databases.make();
  const room = await openPostgresRoom(context, url);
  const pool = openPool({ url, schema, maxConnections: 1 });
  context.after(() => pool.end());
  await room.search.close();
  let saved = 0;
  for (let round = 0; round < 2; round += 1) {
    const child = await startNode(context, url);
    await eventually('it indexes', async () => (await countLeaders(pool)) === 1);
    const saves = Array.from({ length: 120 }, (_, index) =>
      room.catalog.saveFile(
        fileIn(room.application, `${round} ${index}.txt`, {
          content: inline(Buffer.from(`endurance ${'word '.repeat(500)}`)),
        }),
      ),
    );
    saved += saves.length;
    await Promise.all(saves);
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  const next = await openNode(context, url);
  const begun = performance.now();
  await eventually('another one leads', async () => (await countLeaders(pool)) === 1 || (await isCaughtUp(next)));
  assert.ok(performance.now() - begun < 30_000);
  await catchUp(next);
  assert.equal(await count({ ...room, search: next.search }, 'endurance'), saved);
});

test('indexing resumes after a restart of the database', async (context) => {
  const own = await startPostgres();
  context.after(() => own.stop());
  const room = await openPostgresRoom(context, own.url);
  await room.catalog.createFolder(folderIn(room.application, 'before'));
  await catchUp(room);
  await own.halt();
  await own.start();
  await room.catalog.createFolder(folderIn(room.application, 'behind'));
  await catchUp(room);
  assert.deepEqual([await count(room, 'before'), await count(room, 'behind')], [1, 1]);
});
