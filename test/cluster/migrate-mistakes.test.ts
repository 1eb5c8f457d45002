// What `cabinet migrate` says when it cannot: in plain words, without secrets, and with nothing lost.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { findFreePort } from '../free-ports.ts';
import { saveFile } from '../interface/client.ts';
import { cabinet, cabinetJson } from '../service/here.ts';
import { skipWithoutMount } from '../service/programs.ts';
import { addCaller, makeDataFolder, removeDataFolder } from '../service/service.ts';
import { startServiceHere } from '../service/service-here.ts';
import { findGround, newStores, toBlobs } from './ground.ts';

const withoutMount = skipWithoutMount('a migration to a full disk');

describe('an invalid migration', { timeout: 300_000 }, () => {
  let ground: Awaited<ReturnType<typeof findGround>>;
  let folder = '';
  const secret = 'gehe1m';

  before(async () => {
    ground = await findGround();
    folder = makeDataFolder();
    const service = await startServiceHere(folder);
    const caller = await addCaller(folder, service.production, 'app');
    for (let index = 0; index < 40; index += 1) {
      const at = { FolderId: caller.application.RootFolderId, FileName: `${index}` };
      await saveFile(caller, at, Buffer.alloc(index === 0 ? 200_000 : 60_000, index));
    }
    await service.stop();
  });
  after(async () => {
    removeDataFolder(folder);
    await ground?.stop();
  });

  const assertSaid = async (words: string[], expected: RegExp, where = folder) => {
    const { code, stdout, stderr } = await cabinet(where, ['migrate', ...words, '--json']);
    assert.equal(code, 1, stdout);
    const { Message } = (JSON.parse(stdout) as { Error: { Message: string } }).Error;
    assert.match(Message, expected);
    assert.ok(!(stdout + stderr).includes(secret), 'a secret is shown');
  };

  it('is refused for its arguments', async () => {
    await assertSaid([], /^Say where to/);
    await assertSaid(['--to', `mysql://u:${secret}@h/d`], /^--to: "mysql:\/\/u:…@h\/d" is neither/);
    await assertSaid(['--blobs', `gs://k:${secret}@b`], /^--blobs: "gs:\/\/k:…@b" is neither/);
    await assertSaid(['--to', 'sqlite:'], /^Everything is kept there already/);
    await assertSaid(['--to', 'postgres://h/d', '--env', 'prod'], /no environment "prod"/);
    await assertSaid(['--to', 'postgres://h/d', '--verify', 'no'], /full or quick/);
    const nothing = makeDataFolder();
    await assertSaid(['--to', 'postgres://h/d'], /^There is nothing in SQLite in/, nothing);
    removeDataFolder(nothing);
  });

  it('says what is wrong with PostgreSQL', async () => {
    const port = await findFreePort();
    await assertSaid(
      ['--to', `postgres://u:${secret}@127.0.0.1:${port}/d`],
      /PostgreSQL cannot be reached: .*ECONNREFUSED/,
    );
    await assertSaid(
      ['--to', `postgres://u:${secret}@nowhere.invalid/d`],
      /PostgreSQL cannot be reached: .*nowhere\.invalid/,
    );
    const wrong = new URL(ground.postgres);
    wrong.password = secret;
    await assertSaid(['--to', wrong.href], /password authentication failed for user "cabinet"/);
    const missing = new URL(ground.postgres);
    missing.pathname = '/missing';
    await assertSaid(['--to', missing.href], /database "missing" does not exist/);
  });

  it('says what is wrong with S3', async (context) => {
    const port = await findFreePort();
    const away = `s3://k:${secret}@bucket?endpoint=http://127.0.0.1:${port}`;
    await assertSaid(['--blobs', away], /S3 at http:\/\/127\.0\.0\.1:\d+ cannot be reached/);
    if (ground.s3 === null) return context.skip('there is no S3 here');
    await assertSaid(
      ['--blobs', toBlobs({ ...ground.s3, bucket: 'missing' }, 'x')],
      /does not have the bucket "missing": it must be made first\.$/,
    );
    await assertSaid(
      ['--blobs', toBlobs({ ...ground.s3, secretKey: secret }, 'x')],
      /refuses the access key .* with its secret/,
    );
  });

  it('reports a full disk, and resumes when there is space', { skip: withoutMount }, async () => {
    const { CABINET_CATALOG } = await newStores(ground);
    // With its large contents where they are: only records are moved, and back to a disk that is too small for them.
    await cabinetJson(folder, ['migrate', '--to', CABINET_CATALOG]);
    const onDisk = join(dirname(folder), 'small');
    mkdirSync(onDisk);
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', onDisk]);
    assert.equal(mounted.status, 0, mounted.stderr.toString());
    try {
      // Keys are never in the database: whoever moves to another folder takes them along.
      const keys = join('production', 'journal-keys');
      cpSync(join(folder, keys), join(onDisk, 'data', keys), { recursive: true });
      const back = ['migrate', '--to', 'sqlite:', '--json'];
      const kept = { CABINET_CATALOG };
      const { code, stdout } = await cabinet(join(onDisk, 'data'), back, kept);
      assert.equal(code, 1, stdout);
      assert.match(
        JSON.parse(stdout).Error.Message,
        /^production: no space is left for the catalog. Run it again to go on/,
      );
      spawnSync('mount', ['-o', 'remount,size=64m', onDisk]);
      const report = await cabinetJson<{ Finished: boolean }>(join(onDisk, 'data'), back.slice(0, -1), kept);
      assert.equal(report.Finished, true);
    } finally {
      spawnSync('umount', ['-l', onDisk]);
    }
  });
});
