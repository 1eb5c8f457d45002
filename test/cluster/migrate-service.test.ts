// `cabinet migrate` as an operator uses it: a service that is used, its move to PostgreSQL and S3, the same service there,
// and back. Clients notice the stop and nothing else.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { findFreePort } from '../free-ports.ts';
import {
  type Caller,
  call,
  createFolder,
  download,
  fetchToken,
  readFolder,
  saveFile,
  send,
} from '../interface/client.ts';
import { readToEnd } from '../interface/follower.ts';
import { trash } from '../interface/life.ts';
import { cabinet, cabinetJson } from '../service/here.ts';
import { addCaller, type Environment, eventually, makeDataFolder, removeDataFolder } from '../service/service.ts';
import { type StartedHere, startServiceHere } from '../service/service-here.ts';
import { findGround, newStores, type Stores } from './ground.ts';

type Report = {
  Finished: boolean;
  Environments: {
    Environment: string;
    Records: { Count: number } | null;
    Contents: { Count: number; Bytes: number; Copied: number } | null;
    Journal: { Head: string } | null;
    Differences: unknown[];
  }[];
};

const embedded = { CABINET_CATALOG: 'sqlite:', CABINET_BLOBS: 'file:' };

describe('a service is migrated to PostgreSQL and S3, and back', { timeout: 600_000 }, () => {
  let ground: Awaited<ReturnType<typeof findGround>>;
  let stores: Omit<Stores, 'CABINET_JOURNAL_KEYS'>;
  let caller: Caller;
  let environment: Environment;
  let running: StartedHere | null = null;
  const folders: string[] = [];
  const large = randomBytes(300_000);
  /** What is read before and after. */
  let cursor = '';
  let link = '';
  let head = '';
  let largeId = '';
  let expected: unknown;

  const newFolder = () => {
    const folder = makeDataFolder();
    folders.push(folder);
    return folder;
  };
  const start = async (folder: string, kept: Environment) => {
    running = await startServiceHere(folder, { environment: { ...environment, ...kept } });
    return running;
  };
  const stop = async () => {
    await running?.stop();
    running = null;
  };
  const save = (FolderId: string, FileName: string, bytes: string | Uint8Array) =>
    saveFile(caller, { FolderId, FileName }, bytes);
  const readAll = async () => {
    const { Cursor: _, ...changes } = await readToEnd(caller, '');
    const paths = ['/usage', '/trash', `/files/${largeId}/versions`];
    const answers = await Promise.all(
      paths.map(async (path) => JSON.parse((await call(caller, path)).body.toString())),
    );
    return { root: await readFolder(caller, caller.application.RootFolderId), changes, answers };
  };
  const audit = (folder: string, kept: Environment) =>
    cabinetJson<{ Verified: boolean; Head: string }>(folder, ['audit', 'verify', '--expect', head], kept);
  const to = () => {
    const { CABINET_CATALOG, CABINET_BLOBS } = stores;
    return ['migrate', '--to', CABINET_CATALOG, ...(ground.s3 === null ? [] : ['--blobs', CABINET_BLOBS])];
  };

  before(async () => {
    ground = await findGround();
    // Keys of the journal are where they are by default, as for the command.
    const { CABINET_JOURNAL_KEYS: _, ...others } = await newStores(ground);
    stores = others;
    // The address stays, so that tokens and links do.
    environment = { CABINET_PORT: String(await findFreePort()), CABINET_TEST_PORT: '0' };
  });
  after(async () => {
    await stop();
    await ground?.stop();
    for (const folder of folders) removeDataFolder(folder);
  });

  it('only large contents can be copied while it runs', async () => {
    const folder = newFolder();
    const service = await start(folder, embedded);
    caller = await addCaller(folder, service.production, 'moved');
    const root = caller.application.RootFolderId;
    await save(root, 'before.bin', large);
    ({ Cursor: cursor } = await readToEnd(caller, ''));
    const saved = await save(root, 'before.bin', randomBytes(200_000));
    largeId = saved.File.Id;
    const inner = await createFolder(caller, root, 'Invoices ☂', { Properties: { ключ: '"😀"\u0000' } });
    await save(inner.Id, 'quasar.txt', 'a quasar shines');
    await trash(caller, (await save(inner.Id, 'trashed.txt', 'x')).File.Id);

    const refused = await cabinet(folder, [...to(), '--json'], environment);
    assert.equal(refused.code, 1);
    assert.match(JSON.parse(refused.stdout).Error.Message, /stop it first.*--contents-only/);
    if (ground.s3 === null) return;
    const early = await cabinetJson<Report>(folder, [...to(), '--contents-only'], environment);
    assert.equal(early.Finished, false);
    const [production] = early.Environments;
    assert.deepEqual([production?.Contents?.Copied, production?.Differences], [2, []]);
    assert.equal(production?.Records, null);
    await assert.rejects(
      startServiceHere(newFolder(), { environment: { ...environment, ...stores, CABINET_PORT: '0' } }),
      {
        message: /target of a migration from SQLite in .* that is not finished/,
      },
    );
  });

  it('then it is stopped, migrated and compared, and continues', async () => {
    const [folder = ''] = folders;
    await save(caller.application.RootFolderId, 'last.bin', large.subarray(1));
    const made = await call(caller, `/files/${largeId}/link`, {
      method: 'POST',
      body: '{"ExpiresInSeconds": 3600}',
      headers: { 'Content-Type': 'application/json' },
    });
    assert.equal(made.status, 200, made.body.toString());
    link = JSON.parse(made.body.toString()).Url;
    expected = await readAll();
    await stop();
    ({ Head: head } = await cabinetJson<{ Head: string }>(folder, ['audit', 'verify'], environment));
    const report = await cabinetJson<Report>(folder, to(), environment);
    assert.equal(report.Finished, true);
    assert.deepEqual(
      report.Environments.map(({ Environment }) => Environment),
      ['production', 'test'],
    );
    const [production] = report.Environments;
    assert.deepEqual(production?.Differences, []);
    assert.equal(production?.Journal?.Head, head);
    assert.ok((production?.Records?.Count ?? 0) > 20);
    if (ground.s3 !== null) assert.deepEqual([production?.Contents?.Count, production?.Contents?.Copied], [3, 1]);
    const again = await cabinet(folder, to(), environment);
    assert.match(again.stdout, /^production: was finished on .*\ntest: was finished on .*\nFinished\./);
  });

  it('earlier tokens, secrets, links, cursors and searches work there', async () => {
    // Another machine, where the first one's folder is not needed.
    const folder = ground.s3 === null ? (folders[0] ?? '') : newFolder();
    const kept = { ...environment, ...stores };
    await start(folder, kept);
    assert.deepEqual(await readAll(), expected);
    await checkBefore();
    assert.equal((await audit(folder, kept)).Verified, true);
    const root = caller.application.RootFolderId;
    await save(root, 'after.bin', randomBytes(150_000));
    await save(root, 'after.txt', 'the second quasar');
    expected = await readAll();
    await stop();
    ({ Head: head } = await cabinetJson<{ Head: string }>(folder, ['audit', 'verify'], kept));
  });

  const checkBefore = async () => {
    const { Changes } = await readToEnd(caller, `cursor=${encodeURIComponent(cursor)}`);
    assert.equal(Changes[0]?.EntryId, largeId);
    assert.match(await fetchToken(caller.base, caller.application), /./);
    const { pathname, search } = new URL(link);
    assert.ok((await send(caller.base, pathname + search)).body.equals(await download(caller, largeId)));
    await eventually(
      'what was saved before is found',
      async () => {
        const answer = await call(caller, '/search?q=quasar');
        return (JSON.parse(answer.body.toString()) as { Results: unknown[] }).Results.length > 0;
      },
      30_000,
    );
  };

  it('and back again, with the saves made there', async (context) => {
    if (ground.s3 === null) return context.skip('without S3 the folder of before is in use');
    const folder = newFolder();
    const kept = { ...environment, ...stores };
    const report = await cabinetJson<Report>(folder, ['migrate', '--to', 'sqlite:', '--blobs', 'file:'], kept);
    assert.equal(report.Finished, true);
    assert.equal(report.Environments[0]?.Journal?.Head, head);
    await start(folder, embedded);
    assert.deepEqual(await readAll(), expected);
    await checkBefore();
    assert.equal((await audit(folder, embedded)).Verified, true);
  });
});
