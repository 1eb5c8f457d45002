// The journal for operators: archived into files when it is old, whatever happens meanwhile; and verified, so that edited,
// removed, exchanged or truncated rows are found.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { readConfig } from '../../src/config/config.ts';
import { assertRefusal } from '../interface/assertions.ts';
import { type Caller, call, createFolder, fetchToken } from '../interface/client.ts';
import { Follower, readChanges, readToEnd } from '../interface/follower.ts';
import { isLong } from '../size.ts';
import { cabinet, cabinetJson } from './here.ts';
import { seal as sealHere } from './sealer.ts';
import { addCaller, makeDataFolder, removeDataFolder, toVariables } from './service.ts';
import { type StartedHere, startServiceHere } from './service-here.ts';

const dataFolder = makeDataFolder();
const pristine = join(dataFolder, '../pristine');
const production = join(dataFolder, 'production');
const sealer = join(import.meta.dirname, 'sealer.ts');
const positions = 20;
let writer: Caller['application'];

interface Row {
  position: number;
  at: number;
  link: string;
  details: string;
}

interface Verified {
  Verified: boolean;
  Rows: number;
  SealedRows: number;
  Head: string;
  Problems: { Position: number; Problem: string }[];
}

/** A folder with a journal of more than a hundred rows, which each test begins with. */
before(async () => {
  const service = await startServiceHere(dataFolder);
  const caller = await addCaller(dataFolder, service.production, 'writer');
  writer = caller.application;
  for (let n = 0; n < 110; n += 1) await createFolder(caller, '-root-', `folder ${n}`);
  assert.equal(await service.stop(), 0);
  cpSync(dataFolder, pristine, { recursive: true });
});

after(() => removeDataFolder(dataFolder));

function begin(from = pristine): Row[] {
  rmSync(dataFolder, { recursive: true });
  cpSync(from, dataFolder, { recursive: true });
  return readTable();
}

function inDatabase<Result>(use: (database: DatabaseSync) => Result): Result {
  const database = new DatabaseSync(join(production, 'catalog.db'));
  try {
    return use(database);
  } finally {
    database.close();
  }
}

function readTable(): Row[] {
  return inDatabase((database) =>
    database.prepare('SELECT * FROM journal ORDER BY position').all(),
  ) as unknown as Row[];
}

function listFiles(): string[] {
  const folder = join(production, 'journal');
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.gz')) : [];
}

const toPath = (name: string) => join(production, 'journal', name);

function readFileRows(name: string): unknown[][] {
  const lines = gunzipSync(readFileSync(toPath(name)))
    .toString()
    .trimEnd()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as unknown[]);
}

function writeFileRows(name: string, rows: unknown[][]): void {
  writeFileSync(toPath(name), gzipSync(rows.map((row) => `${JSON.stringify(row)}\n`).join('')));
}

/** Returns how many steps it took; null: it was killed at that step, for which it is a process of its own. */
async function seal(step = 0, size = positions): Promise<{ moved: number; steps: number } | null> {
  if (step === 0) return await sealHere(readConfig(toVariables(dataFolder)), { positions: size, killedAtStep: 0 });
  const ran = spawnSync(process.execPath, [sealer, String(size), String(step)], { env: toVariables(dataFolder) });
  assert.equal(ran.signal, 'SIGKILL', ran.stderr.toString());
  return null;
}

async function verify(expect?: string): Promise<Verified> {
  const words = expect === undefined ? [] : [`--expect=${expect}`];
  return JSON.parse((await cabinet(dataFolder, ['audit', 'verify', ...words, '--json'])).stdout) as Verified;
}

const problemsOf = ({ Problems }: Verified) => Problems.map(({ Position }) => Position);

describe('Sealing', () => {
  it('moves whole ranges into files, keeps every row, and leaves the rest in the table', async () => {
    const rows = begin();
    const last = rows.length;
    const whole = Math.floor((last - 1) / positions) * positions;
    assert.equal((await seal())?.moved, whole);
    assert.deepEqual(
      readTable(),
      rows.filter(({ position }) => position > whole),
    );
    const files = listFiles().sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
    assert.equal(files.length, whole / positions);
    assert.equal(files[0], `1-${positions}.jsonl.gz`);
    const sealed = files.flatMap(readFileRows);
    assert.deepEqual(
      sealed,
      rows.slice(0, whole).map((row) => Object.values(row)),
    );
    assert.equal(statSync(toPath(String(files[0]))).mode & 0o777, 0o600);
    const verified = await verify();
    assert.deepEqual([verified.Rows, verified.SealedRows], [last, whole]);
    assert.equal(verified.Head, `${last}:${rows.at(-1)?.link}`);
    assert.equal((await seal())?.moved, 0);
  });

  it('leaves the newest row in the table even where a range ends with it', async () => {
    const rows = begin();
    const last = rows.length - (rows.length % positions);
    inDatabase((database) => database.exec(`DELETE FROM journal WHERE position > ${last}`));
    assert.equal((await seal())?.moved, last - positions);
    assert.equal(readTable().length, positions);
    assert.equal((await verify()).Verified, true);
  });

  it('resumes after a kill at every step, and loses nothing', async () => {
    const rows = begin();
    const size = 50;
    const steps = Number((await seal(0, size))?.steps);
    assert.ok(steps >= 16, `${steps} steps`);
    // Where it is killed in the long run alone: in the second range, which is sealed as the first one is, and before a call, where the
    // disk is as behind the call before it.
    const killedAt = Array.from({ length: steps }, (_, index) => index + 1).filter(
      (step) => isLong || step === 1 || (step <= steps / 2 + 1 && step % 2 === 0),
    );
    for (const step of killedAt) {
      begin();
      assert.equal(await seal(step, size), null, `it was killed at step ${step}`);
      const sealed = listFiles().flatMap(readFileRows) as [number, ...unknown[]][];
      const known = new Set([...readTable().map(({ position }) => position), ...sealed.map(([position]) => position)]);
      assert.equal(known.size, rows.length, `at step ${step} rows are neither here nor there`);
      await seal(0, size);
      assert.equal(listFiles().flatMap(readFileRows).length + readTable().length, rows.length);
    }
    assert.equal((await verify()).Verified, true);
  });

  it('rewrites a truncated file while the table still has its rows, and otherwise stops', async () => {
    begin();
    mkdirSync(join(production, 'journal'));
    writeFileSync(toPath(`1-${positions}.jsonl.gz`), 'half of it');
    await seal();
    assert.equal((await verify()).Verified, true);
    const rows = begin();
    inDatabase((database) => database.exec('DELETE FROM journal WHERE position <= 3'));
    await assert.rejects(seal(), /cannot archive journal positions/);
    assert.equal(readTable().length, rows.length - 3, 'nothing more is removed');
  });

  it('follows the setting: a range stays until all its rows are old enough, and all stay if all are kept', async () => {
    const rows = begin();
    const youngest = Number(rows[2 * positions + 5]?.at);
    const old = rows.filter(({ at }) => at < youngest).length;
    const sealUntil = async (days: string) => {
      const config = readConfig(toVariables(dataFolder, { CABINET_JOURNAL_DAYS: days }));
      return (await sealHere(config, { positions, killedAtStep: 0, now: youngest + 24 * 60 * 60 * 1000 })).moved;
    };
    assert.equal(await sealUntil('unlimited'), 0);
    assert.equal(await sealUntil('2'), 0);
    assert.equal(await sealUntil('1'), Math.floor(old / positions) * positions);
    assert.ok(old >= positions && old < rows.length);
  });

  it('makes cursors into archived rows CursorExpired, after which a snapshot works', async () => {
    begin();
    const first = await startServiceHere(dataFolder);
    const asWriter = async ({ production: base }: StartedHere) => ({
      base,
      application: writer,
      token: await fetchToken(base, writer),
    });
    const early = await readChanges(await asWriter(first), 'limit=5');
    assert.equal(early.Changes.length, 5);
    await first.stop();
    await seal();
    const second = await startServiceHere(dataFolder);
    const reader = await asWriter(second);
    const { Hint } = assertRefusal(
      await call(reader, `/changes?cursor=${encodeURIComponent(early.Cursor)}`),
      400,
      'CursorExpired',
    );
    assert.match(String(Hint), /from=snapshot/);
    const { Changes, Cursor } = await readToEnd(reader, 'from=snapshot');
    const tree = new Follower().apply(Changes).toTree(writer.RootFolderId);
    assert.equal(tree.size, 110);
    await createFolder(reader, '-root-', 'after the snapshot');
    const later = await readChanges(reader, `cursor=${encodeURIComponent(Cursor)}`);
    assert.deepEqual(
      later.Changes.map(({ Entry }) => Entry?.Name),
      ['after the snapshot'],
    );
    await second.stop();
  });

  it('lets the service continue from the newest row', async () => {
    begin();
    await seal();
    const service = await startServiceHere(dataFolder);
    await addCaller(dataFolder, service.production, 'another');
    assert.equal((await verify()).Verified, true);
    await service.stop();
  });
});

describe('cabinet audit verify', () => {
  const edits: [string, string, number[]][] = [
    ['an edited row', `UPDATE journal SET by = 'nobody' WHERE position = 50`, [50]],
    ['edited details', `UPDATE journal SET details = '{}' WHERE position = 2`, [2]],
    ['an edited link', `UPDATE journal SET link = 'x' WHERE position = 50`, [50, 51]],
    ['a removed row', 'DELETE FROM journal WHERE position = 50', [50]],
    ['removed rows', 'DELETE FROM journal WHERE position BETWEEN 50 AND 60', [50]],
    ['a removed beginning', 'DELETE FROM journal WHERE position <= 10', [1]],
    [
      'a removed row behind which the others move up',
      `DELETE FROM journal WHERE position = 50;
       UPDATE journal SET position = -position WHERE position > 50; UPDATE journal SET position = -position - 1 WHERE position < 0`,
      [50],
    ],
    [
      'two rows that changed places',
      `UPDATE journal SET position = -50 WHERE position = 50; UPDATE journal SET position = 50 WHERE position = 51;
       UPDATE journal SET position = 51 WHERE position = -50`,
      [50],
    ],
    [
      'a row that was put in',
      `UPDATE journal SET position = -position WHERE position >= 50; UPDATE journal SET position = -position + 1 WHERE position < 0;
       INSERT INTO journal SELECT 50, at, space, by, action, entry, request, details, link FROM journal WHERE position = 49`,
      [50],
    ],
  ];
  for (const [what, sql, where] of edits) {
    it(`finds ${what} and its position`, async () => {
      begin();
      inDatabase((database) => database.exec(sql));
      const verified = await verify();
      assert.equal(verified.Verified, false);
      assert.deepEqual(problemsOf(verified).slice(0, where.length), where);
    });
  }

  it('finds changes of an archived file', async () => {
    const name = `${positions + 1}-${2 * positions}.jsonl.gz`;
    const done: [string, () => void, number][] = [
      ['edited', () => writeFileRows(name, readFileRows(name).map(editFourth)), positions + 4],
      ['exchanged', () => writeFileRows(name, swapped(readFileRows(name))), positions + 1],
      ['cut', () => writeFileRows(name, readFileRows(name).slice(0, 5)), positions + 6],
      ['emptied', () => writeFileRows(name, []), positions + 1],
      ['removed', () => rmSync(toPath(name)), positions + 1],
      ['no longer a file of ours', () => writeFileSync(toPath(name), 'x'), positions + 1],
    ];
    begin();
    await seal();
    const sealed = join(dataFolder, '../sealed');
    cpSync(dataFolder, sealed, { recursive: true });
    for (const [what, change, where] of done) {
      begin(sealed);
      change();
      const verified = await verify();
      assert.equal(problemsOf(verified)[0], where, what);
    }
  });

  it('finds a row that a crash left in the table and that differs from its archived copy', async () => {
    begin();
    // The second forgetting never happens.
    assert.equal(await seal(4), null);
    assert.equal((await verify()).Verified, true);
    inDatabase((database) => database.exec(`UPDATE journal SET by = 'nobody' WHERE position = 7`));
    assert.deepEqual(problemsOf(await verify()), [7]);
  });

  it('finds a truncated tail and a rewritten chain by a head that was kept elsewhere', async () => {
    const rows = begin();
    const { Head } = await verify();
    assert.equal((await verify(Head)).Verified, true);
    inDatabase((database) => database.exec(`DELETE FROM journal WHERE position > ${rows.length - 5}`));
    assert.equal((await verify()).Verified, true, 'what remains is whole');
    assert.deepEqual(problemsOf(await verify(Head)), [rows.length]);
    // The service goes on from what it finds, beyond the place that was kept.
    const service = await startServiceHere(dataFolder);
    for (const name of ['one', 'two', 'three']) await addCaller(dataFolder, service.production, name);
    assert.equal((await verify()).Verified, true);
    assert.deepEqual(problemsOf(await verify(Head)), [rows.length]);
    await service.stop();
    const wrong = await cabinet(dataFolder, ['audit', 'verify', '--expect', 'nonsense']);
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /POSITION:LINK/);
  });

  it('prints plain text without --json', async () => {
    begin();
    const whole = await cabinet(dataFolder, ['audit', 'verify']);
    assert.match(whole.stdout, /^The chain is whole\.\nRows: \d+ \(0 in sealed files\)\nHead: \d+:\S+=\n$/);
    inDatabase((database) => database.exec('DELETE FROM journal WHERE position = 9'));
    const broken = await cabinet(dataFolder, ['audit', 'verify']);
    assert.equal(broken.code, 1);
    assert.match(broken.stdout, /^9: the row is missing$/m);
  });

  it('works while the service saves, and delays nothing', async () => {
    begin();
    const service = await startServiceHere(dataFolder);
    const caller = await addCaller(dataFolder, service.production, 'busy');
    let isOver = false;
    let saved = 0;
    const saving = (async () => {
      for (; !isOver; saved += 1) await createFolder(caller, '-root-', `meanwhile ${saved}`);
    })();
    for (let n = 0; n < 3 || saved <= 10; n += 1) assert.equal((await verify()).Verified, true);
    isOver = true;
    await saving;
    assert.equal((await call(caller, '/limits')).status, 200);
    await service.stop();
  });

  it('checks one environment', async () => {
    begin();
    const { Rows } = await cabinetJson<Verified>(dataFolder, ['audit', 'verify', '--env', 'test']);
    assert.equal(Rows, 0);
  });
});

function editFourth(row: unknown[], index: number): unknown[] {
  return index === 3 ? row.with(3, 'nobody') : row;
}

function swapped([first, second, ...rest]: unknown[][]): unknown[][] {
  return [second ?? [], first ?? [], ...rest];
}
