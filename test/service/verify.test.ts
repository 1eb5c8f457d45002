// `cabinet verify` finds damage to files and to the database, and names affected entries; with and without a running service.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { readLocalBlobs } from '../../src/blobs/local/local.ts';
import { type VerifyReport, verifyEnvironment } from '../../src/maintenance/maintenance.ts';
import { openTables } from '../../src/maintenance/migration.ts';
import { type VerifyResult, verify } from '../../src/maintenance/verify/verify.ts';
import { openArchivedJournal, openKeysOfJournal } from '../../src/server/storage.ts';
import { type Caller, call, makeFolder, saveFile } from '../interface/client.ts';
import { cabinet, cabinetJson } from './here.ts';
import { addCaller, makeDataFolder, removeDataFolder } from './service.ts';
import { startServiceHere } from './service-here.ts';

const dataFolder = makeDataFolder();
const copy = join(dirname(dataFolder), 'copy');
const production = join(copy, 'production');
const catalog = join(production, 'catalog.db');
let caller: Caller;

interface Shown {
  Verified: boolean;
  Environments: { Entries: number; Problems: { What: string; Entries: { Path: string; Version: number }[] }[] }[];
}

function listBlobs(folder: string): string[] {
  const blobs = join(folder, 'production', 'blobs');
  return readdirSync(blobs, { recursive: true, encoding: 'utf8' })
    .filter((name) => /[0-9a-f]{32}$/.test(name))
    .sort()
    .map((name) => join(blobs, name));
}

before(async () => {
  const service = await startServiceHere(dataFolder);
  caller = await addCaller(dataFolder, service.production, 'app');
  const folder = await makeFolder(caller);
  for (let index = 0; index < 30; index += 1) {
    await saveFile(caller, { FolderId: folder.Id, FileName: `small-${index}.txt` }, randomBytes(2000));
  }
  for (const name of ['one.bin', 'two.bin']) {
    await saveFile(caller, { FolderId: '', FileName: name }, randomBytes(1_200_000));
  }
  const { File } = await saveFile(caller, { FolderId: '', FileName: 'trashed.bin' }, randomBytes(100_000));
  await call(caller, `/entries/${File.Id}`, { method: 'DELETE' });
  await saveFile(caller, { FolderId: folder.Id, FileName: 'small-0.txt' }, 'a second version');

  const running = await cabinetJson<Shown>(dataFolder, ['verify']);
  assert.equal(running.Verified, true, JSON.stringify(running));
  const [blob] = listBlobs(dataFolder);
  flip(blob as string, 5000);
  const { code, stdout } = await cabinet(dataFolder, ['verify', '--json']);
  assert.equal(code, 1);
  const [found] = (JSON.parse(stdout) as Shown).Environments[0]?.Problems ?? [];
  assert.match(found?.Entries[0]?.Path ?? '', /^(\/(one|two)|-trash-\/trashed)\.bin$/);
  assert.equal(found?.Entries[0]?.Version, 1);
  flip(blob as string, 5000);
  await service.stop();
});
after(() => removeDataFolder(dataFolder));

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] as number) ^ 1;
  writeFileSync(path, bytes);
}

function zero(path: string, at: number): void {
  writeFileSync(path, readFileSync(path).fill(0, at, at + 512));
}

const storage = {
  dataFolder: copy,
  catalog: { kind: 'sqlite' },
  blobs: { kind: 'file' },
  journalKeysFolder: null,
} as const;
const { signal } = new AbortController();

function damageCopy(damage: () => void): void {
  rmSync(copy, { recursive: true, force: true });
  cpSync(dataFolder, copy, { recursive: true, filter: (path) => !path.endsWith('.sock') });
  damage();
}

/** Damages a copy of the folder and says what is found there: without the thread that it has in the service, which takes most of the
 *  time to start. */
async function verifyDamaged(damage: () => void): Promise<VerifyResult> {
  damageCopy(damage);
  const tables = await openTables(storage, 'production', 'source');
  assert.ok(tables !== null);
  const [blobs, journalFiles] = [readLocalBlobs(production), await openArchivedJournal(storage, 'production')];
  try {
    const options = { onProgress: () => undefined, throttle: async () => undefined, signal };
    const journalKeys = await openKeysOfJournal(storage, 'production');
    return await verify({ tables, isSqlite: true, blobs, journalFiles, journalKeys }, options);
  } finally {
    await tables.close();
  }
}

/** As the service has it done. */
async function verifyInThread(damage: () => void): Promise<VerifyReport> {
  damageCopy(damage);
  return await verifyEnvironment(
    { storage, name: 'production', observer: { progress: () => undefined, signal } },
    null,
  );
}

function toPaths({ problems }: VerifyResult): string[] {
  return [...new Set(problems.list.flatMap(({ affected }) => affected.map(({ path }) => path)))].sort();
}

test('an undamaged folder passes', async () => {
  const report = await verifyDamaged(() => undefined);
  assert.deepEqual(report.problems.list, []);
  assert.deepEqual([report.contents, report.blobs, report.orphans], [34, 3, 0]);
});

const [first, second, third] = [0, 1, 2].map((index) => () => listBlobs(copy)[index] as string) as [
  () => string,
  () => string,
  () => string,
];

for (const [what, damage, affected] of [
  ['a flipped bit', () => flip(first(), 70_000), 1],
  ['a zeroed sector', () => zero(second(), 512 * 3), 1],
  ['a truncated file', () => truncateSync(third(), 99_000), 1],
  ['a file that grew', () => writeFileSync(first(), Buffer.concat([readFileSync(first()), Buffer.from('x')])), 1],
  ['a missing file', () => rmSync(first()), 1],
  [
    'two files that were exchanged',
    () => {
      const [a, b] = [first(), second()];
      renameSync(a, `${a}.x`);
      renameSync(b, a);
      renameSync(`${a}.x`, b);
    },
    2,
  ],
] as const) {
  test(`${what} among the blobs is found, and affected entries are named`, async () => {
    const paths = toPaths(await verifyDamaged(damage));
    assert.equal(paths.length, affected, paths.join(' '));
    for (const path of paths) assert.match(path, /^(\/(one|two)|-trash-\/trashed)\.bin$/);
  });
}

test('a blob without a record is counted, and is not damage', async () => {
  const report = await verifyDamaged(() => writeFileSync(join(dirname(first()), 'ab'.repeat(16)), 'x'));
  assert.equal(report.orphans, 1);
  assert.deepEqual(report.problems.list, []);
});

for (const [what, sql] of [
  ['the bytes of a small content', `UPDATE contents SET bytes = zeroblob(2000) WHERE content = 5`],
  ['a digest', `UPDATE contents SET sha256 = zeroblob(32) WHERE content = 5`],
  ['checksums', `UPDATE contents SET checksums = x'00' WHERE blob IS NOT NULL`],
  ['a size', `UPDATE entries SET size = size + 1 WHERE name = 'small-7.txt'`],
  ['the size of a folder', `UPDATE entries SET size = size + 1 WHERE parent IS NULL`],
  ['a name', `UPDATE entries SET name = 'smull-7.txt' WHERE name = 'small-7.txt'`],
  ['properties', `UPDATE entries SET properties = '{"a":' WHERE name = 'small-7.txt'`],
  ['a parent', `UPDATE entries SET parent = 99999 WHERE name = 'small-7.txt'`],
  ['a cycle of parents', `UPDATE entries SET parent = entry WHERE kind = 0 AND parent IS NOT NULL`],
  ['a current version', `UPDATE entries SET version = 9 WHERE name = 'small-7.txt'`],
  ['a version', `DELETE FROM versions WHERE version = 2`],
  ['a property', `UPDATE entries SET properties = '{"a":"c"}' WHERE name = 'small-8.txt'`],
  ['who modified an entry', `UPDATE entries SET modified_by = 'nobodx' WHERE name = 'small-7.txt'`],
  ['when an entry was created', `UPDATE entries SET created_at = created_at + 1 WHERE name = 'small-7.txt'`],
  ['the object type', `UPDATE entries SET object_type = 'other' WHERE name = 'small-7.txt'`],
  ['a comment', `UPDATE versions SET comment = 'another' WHERE version = 2`],
  ['who created a version', `UPDATE versions SET created_by = 'nobody' WHERE version = 2`],
  ['the path of a trashed entry', `UPDATE trash SET path = '/trushed.bin'`],
  ['a row of the trash', `DELETE FROM trash`],
  ['a usage', `UPDATE usage SET bytes = bytes + 1`],
  ['a row of the journal', `UPDATE journal SET "by" = 'nobody' WHERE position = 4`],
] as const) {
  test(`damage to ${what} in the database is found`, async () => {
    const report = await verifyDamaged(() => {
      const database = new DatabaseSync(catalog, { enableForeignKeyConstraints: false });
      database.exec(sql);
      database.close();
    });
    assert.ok(report.problems.count > 0);
  });
}

test('an entry with a changed record is named', async () => {
  const report = await verifyDamaged(() => {
    const database = new DatabaseSync(catalog, { enableForeignKeyConstraints: false });
    database.exec(`UPDATE entries SET modified_by = 'nobody' WHERE name = 'one.bin'`);
    database.close();
  });
  assert.deepEqual(toPaths(report), ['/one.bin']);
});

test('a missing or truncated page of a database file is found, and affected contents are named where known', async () => {
  const pages = statSync(catalog.replace(copy, dataFolder)).size / 4096;
  for (const damage of [
    () => writeFileSync(catalog, readFileSync(catalog).fill(0, 4096 * (pages >> 1), 4096 * ((pages >> 1) + 1))),
    () => truncateSync(catalog, 4096 * (pages - 3)),
    () => writeFileSync(catalog, randomBytes(20_000)),
    () => rmSync(catalog),
  ]) {
    const found = await verifyInThread(damage).then(
      ({ problems }) => problems.length,
      () => 1,
    );
    assert.ok(found > 0);
  }
});
