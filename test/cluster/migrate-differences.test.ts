// Whatever is not the same after a migration is found and named, and the target is not given free.

import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import type { Migration } from '../../src/maintenance/migrate/side.ts';
import { ask, getReady, listBlobs, type Ready } from './migrating.ts';
import { move } from './move.ts';

describe('differences after a migration are found', { timeout: 300_000 }, () => {
  let ready: Ready;

  before(async () => {
    ready = await getReady();
  });
  after(() => ready?.stop());

  /** Moves, and changes the target behind its back when all is copied. */
  const meddle = async (sql: string): Promise<string[]> => {
    const there = await ready.inPostgres();
    const report = await move(ready.sqlite, there, ({ target }: Migration) => {
      const write = async (text: string) => {
        await target.keys.write(text);
        await ask(there, sql);
      };
      return { target: { ...target, keys: { ...target.keys, write } } };
    });
    assert.equal(report.isFinished, false);
    return report.differences.map(({ record, problem }) => `${record} ${problem}`);
  };

  it('rows that are missing, added or changed, a small content, the keys: each of them is named', async () => {
    const found = await meddle(`DELETE FROM certificates WHERE thumbprint = 't1';
      INSERT INTO users VALUES ('nobody', '', 'active', NULL, 0, 0);
      UPDATE users SET name = 'Zoe', created_at = 0 WHERE id = 'zoë';
      DELETE FROM idempotency;
      UPDATE contents SET bytes = set_byte(bytes, 5, get_byte(bytes, 5) # 1) WHERE content = 3;
      UPDATE meta SET value = '{}' WHERE name = 'setting keys'`);
    const expected = [
      'certificates: thumbprint "t1" is missing',
      'users: id "nobody" is not in the source',
      'users: id "zoë" differs in name, created_at',
      'idempotency: app_key "ak_one", operation "save-file", key "k \\"1\\"" is missing',
      'idempotency: app_key "ak_two", operation "save-file", key "k \\"1\\"" is missing',
      'contents: content 3 differs in bytes',
      'the keys differ',
    ];
    assert.deepEqual(found.sort(), expected.sort());
  });

  it('a small content that does not match its record, in the source and in the target', async () => {
    const source = ready.copyOf(ready.sqlite);
    const there = await ready.inPostgres();
    const database = new DatabaseSync(join(source.folder, 'catalog.db'));
    database.exec(`UPDATE contents SET bytes = x'00' WHERE content = 3`);
    database.close();
    const report = await move(source, there);
    assert.deepEqual(report.differences, [
      { record: 'contents: content 3', problem: 'does not have the bytes that its record says' },
    ]);
    assert.equal(report.isFinished, false);
  });

  it('a row of the journal', async () => {
    const found = await meddle(`UPDATE journal SET by = 'me' WHERE position = (SELECT max(position) FROM journal)`);
    assert.match(found[0] ?? '', /^journal: position \d+ differs in by$/);
  });

  it('an archived part of the journal', async () => {
    const report = await move(ready.sqlite, await ready.inPostgres(), ({ target }: Migration) => {
      const { journalFiles } = target;
      const read: typeof journalFiles.read = async (range) =>
        (await journalFiles.read(range)).map((row) => ({ ...row, by: 'me' }));
      return { target: { ...target, journalFiles: { ...journalFiles, read } } };
    });
    const found = report.differences.map(({ record }) => record);
    assert.ok(found.includes('sealed journal 1-20') && found.includes('journal: position 1'));
    assert.equal(report.isFinished, false);
  });

  it('a large content, which is copied again by the next run', async () => {
    const there = await ready.inPostgres();
    await move(ready.sqlite, there, () => ({ isContentsOnly: true }));
    // The mark of the migration lies beside them.
    const large = listBlobs(there).filter((path) => readFileSync(path).length > 500);
    assert.equal(large.length, 6);
    const [changed = '', longer = '', shorter = '', missing = ''] = large;
    const bytes = readFileSync(changed);
    bytes[100] = (bytes[100] ?? 0) ^ 1;
    writeFileSync(changed, bytes);
    appendFileSync(longer, 'x');
    truncateSync(shorter, 10);
    rmSync(missing);
    const report = await move(ready.sqlite, there);
    // Those that are not there as a whole are copied again at once.
    assert.equal(report.contents?.copied, 2);
    const found = report.differences.map(({ record, problem }) => `${/blob (\w+)/.exec(record)?.[1]} ${problem}`);
    const expected = [
      `${changed.slice(-32)} does not have the bytes that its record says in the new store`,
      `${longer.slice(-32)} is too long in the new store`,
    ];
    assert.deepEqual(found.sort(), expected.sort());
    assert.match(report.differences[0]?.record ?? '', /version 1 of the file .*"large \d+"/);
    const again = await move(ready.sqlite, there);
    assert.deepEqual([again.differences, again.contents?.copied, again.isFinished], [[], 2, true]);
  });

  it('a large content that is too short or missing, when only sizes are compared', async () => {
    const there = await ready.inPostgres();
    const report = await move(ready.sqlite, there, ({ target }: Migration) => {
      const write = async (text: string) => {
        await target.keys.write(text);
        const [shorter = '', missing = ''] = listBlobs(there).filter((path) => readFileSync(path).length > 500);
        truncateSync(shorter, 10);
        rmSync(missing);
      };
      return { verify: 'quick' as const, target: { ...target, keys: { ...target.keys, write } } };
    });
    const problems = report.differences.map(({ problem }) => problem);
    assert.deepEqual(problems.sort(), ['is not there in the new store', 'is too short in the new store']);
  });

  it('a large content that the source itself has lost', async () => {
    const source = ready.copyOf(ready.sqlite);
    rmSync(listBlobs(source)[0] ?? '');
    const report = await move(source, await ready.inPostgres());
    assert.deepEqual(
      report.differences.map(({ problem }) => problem),
      ['cannot be read in the old store'],
    );
    assert.equal(report.isFinished, false);
  });
});
