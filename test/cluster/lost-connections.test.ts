// The catalog on PostgreSQL while its connections are lost in every way: every request is executed once or fails with a fault;
// nothing hangs, and nothing that nobody waits for ends the process.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Catalog, toCatalog } from '../../src/catalog/catalog.ts';
import { openPostgres, type PostgresEngine } from '../../src/catalog/postgres/postgres.ts';
import { Fault } from '../../src/domain/fault.ts';
import { eventually } from '../service/service.ts';
import { readJournal } from './find-all.ts';
import { findGround, newStores } from './ground.ts';
import { Line } from './network.ts';

const ground = await findGround();
let url: string;
let line: Line;
let engine: PostgresEngine;
let catalog: Catalog;
const unhandled: unknown[] = [];

before(async () => {
  process.on('unhandledRejection', (error) => unhandled.push(error));
  url = (await newStores(ground)).CABINET_CATALOG;
  line = await Line.open(Number(new URL(url).port));
  const through = new URL(url);
  through.port = String(line.port);
  engine = await openPostgres({ url: through.href, schema: 'cabinet_production', maxConnections: 6 });
  catalog = toCatalog(engine);
});

after(async () => {
  await engine.close();
  await line.close();
  await ground.stop();
});

/** Notes something in the journal, under a tracking id of its own. */
async function note(done: Set<string>): Promise<void> {
  const request = randomUUID();
  const read = { at: Date.now(), by: 'app:a', request, space: 1, entry: 'x', version: null };
  try {
    await catalog.noteRead(read);
    done.add(request);
  } catch (error) {
    assert.ok(error instanceof Fault, String(error));
  }
}

const ways: [string, () => void | Promise<void>][] = [
  ['reset', () => line.set('refused')],
  ['broken off in answers', () => line.breakOff(4)],
  ['silent for a while', () => line.set('silent')],
  ['forgotten', () => line.forget()],
];

for (const [what, lose] of ways) {
  test(`Writes that are answered while connections are ${what} take effect exactly once`, async () => {
    const done = new Set<string>();
    let isOver = false;
    const writing = Array.from({ length: 8 }, async () => {
      while (!isOver) await note(done);
    });
    try {
      for (let round = 0; round < (what === 'forgotten' ? 1 : 12); round += 1) {
        const before = done.size;
        await eventually('something is written', () => done.size > before);
        await pause(30 + Math.random() * 50);
        lose();
        await pause(20 + Math.random() * 100);
        line.set('well');
      }
    } finally {
      isOver = true;
    }
    await Promise.all(writing);
    const begun = performance.now();
    await catalog.listChanges({ space: 1, after: null, limit: 1 });
    assert.ok(performance.now() - begun < 30_000 && engine.isReachable(), 'it has recovered');
    const rows = (await readJournal(url)).filter(({ request }) => done.has(request));
    assert.equal(rows.length, done.size, 'every answered change is there once');
    assert.deepEqual(unhandled, []);
  });
}
