// Quotas and request rates that operators set (docs/contract.md §8.2): refused exactly and as early as possible.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { findFreePort } from '../free-ports.ts';
import { assertRefusal } from '../interface/assertions.ts';
import {
  type Answer,
  type Caller,
  CONTENT,
  call,
  createFolder,
  fetchToken,
  identity,
  postFile,
  toSaved,
} from '../interface/client.ts';
import { get } from '../interface/managing.ts';
import { cabinet, cabinetJson } from './here.ts';
import { addCaller, eventually, makeDataFolder, removeDataFolder } from './service.ts';
import { startServiceHere } from './service-here.ts';

const dataFolder = makeDataFolder();
const environment = { CABINET_PORT: String(await findFreePort()) };
let service: Awaited<ReturnType<typeof startServiceHere>>;

before(async () => {
  service = await startServiceHere(dataFolder, { environment, hasClock: true });
});

after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

const quota = (...words: string[]) => cabinetJson<Record<string, unknown>>(dataFolder, ['quota', ...words]);
const newCaller = (name: string) => addCaller(dataFolder, service.production, name);
const save = (caller: Caller, FileName: string, bytes: Uint8Array, headers = {}) =>
  postFile(caller, { FileName, ...headers }, bytes);

/** Says how much is coming and sends nothing of it. */
function announce(caller: Caller, length: number): Promise<number> {
  const { hostname, port } = new URL(caller.base);
  return new Promise((resolve, reject) => {
    const headers = { ...identity(caller), FileName: 'large', 'Content-Length': length, Expect: '100-continue' };
    const outgoing = request({ hostname, port, path: `${CONTENT}/files`, method: 'POST', headers } as object);
    outgoing.on('response', (incoming) => {
      resolve(incoming.statusCode ?? 0);
      outgoing.destroy();
    });
    outgoing.on('continue', () => {
      resolve(100);
      outgoing.destroy();
    });
    outgoing.on('error', reject);
    outgoing.flushHeaders();
  });
}

describe('A quota of bytes', () => {
  it('accepts exactly what fits, and refuses more before it is sent', async () => {
    const caller = await newCaller('bytes');
    await quota('set', '--space', 'bytes', '--bytes', '1MiB');
    const most = 2 ** 20;
    const large = randomBytes(most - 100);
    toSaved(await save(caller, 'a', large));
    toSaved(await save(caller, 'b', randomBytes(100)));
    assertRefusal(await save(caller, 'c', randomBytes(1)), 403, 'QuotaExceeded');
    await eventually('it is refused early', async () => (await announce(caller, 200_000)) === 403);
    // What is there already adds nothing, whether it is sent once or again.
    toSaved(await save(caller, 'a', large));
    assert.equal((await save(caller, 'a', large, { 'Idempotency-Key': 'k' })).status, 200);
    assert.equal((await save(caller, 'a', large, { 'Idempotency-Key': 'k' })).status, 200);
    toSaved(await save(caller, 'empty', new Uint8Array()));
    await quota('set', '--space', 'bytes', '--bytes', '2MiB');
    toSaved(await save(caller, 'c', randomBytes(1)));
    assert.equal(await announce(caller, 200_000), 100);
  });

  it('applies to new and restored versions and to copies, which leave nothing behind', async () => {
    const caller = await newCaller('other-ways');
    const { File: large } = toSaved(await save(caller, 'a', randomBytes(600)));
    toSaved(await save(caller, 'a', randomBytes(100)));
    const tree = await createFolder(caller, '-root-', 'tree');
    for (const name of ['x', 'y']) toSaved(await save(caller, name, randomBytes(100), { FolderId: tree.Id }));
    await quota('set', '--space', 'other-ways', '--bytes', '1000');
    const ask = (path: string, method: string, body: string | Uint8Array, type = 'application/json') =>
      call(caller, path, { method, headers: { 'Content-Type': type }, body });
    const used = () => get(caller, '/usage');
    const before = await used();
    const put = await ask(`/files/${large.Id}/content`, 'PUT', randomBytes(200), 'text/plain');
    assertRefusal(put, 403, 'QuotaExceeded');
    assertRefusal(await ask(`/files/${large.Id}/versions/1/restore`, 'POST', '{}'), 403, 'QuotaExceeded');
    const into = JSON.stringify({ ParentFolderId: '-root-', Name: 'copy' });
    assertRefusal(await ask(`/entries/${tree.Id}/copy`, 'POST', into), 403, 'QuotaExceeded');
    assert.equal((await call(caller, '/folders?path=/copy')).status, 404);
    assert.deepEqual(await used(), before);
    await quota('set', '--space', 'other-ways', '--bytes', '2000');
    assert.equal((await ask(`/entries/${tree.Id}/copy`, 'POST', into)).status, 200);
    assert.equal((await ask(`/files/${large.Id}/versions/1/restore`, 'POST', '{}')).status, 200);
  });

  it('of an application or a person does not affect others', async () => {
    const first = await newCaller('first-of-two');
    const registered = await cabinetJson<Caller['application']>(dataFolder, [
      'app',
      'add',
      'second-of-two',
      '--space',
      'first-of-two',
    ]);
    const application = { ...registered, Name: 'second-of-two' };
    const second = { ...first, application, token: await fetchToken(first.base, application) };
    await quota('set', '--app', 'first-of-two', '--bytes', '10');
    assertRefusal(await save(first, 'a', randomBytes(11)), 403, 'QuotaExceeded');
    toSaved(await save(first, 'a', randomBytes(10)));
    toSaved(await save(second, 'b', randomBytes(1000)));
  });
});

describe('A quota of entries', () => {
  it('counts folders and files alike', async () => {
    const caller = await newCaller('entries');
    await quota('set', '--space', 'entries', '--entries', '2');
    await createFolder(caller, '-root-', 'one');
    toSaved(await save(caller, 'two', randomBytes(1)));
    assertRefusal(await save(caller, 'three', randomBytes(1)), 403, 'QuotaExceeded');
    assertRefusal(
      await call(caller, '/folders', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{"FolderName":"three"}',
      }),
      403,
      'QuotaExceeded',
    );
    toSaved(await save(caller, 'two', randomBytes(2)));
  });
});

describe('A rate', () => {
  const burst = (caller: Caller, count: number): Promise<Answer[]> =>
    Promise.all(Array.from({ length: count }, () => call(caller, '/limits')));
  const refused = (answers: Answer[]) => answers.filter(({ status }) => status === 403);

  it('accepts that many requests a second, answers others with Retry-After, and does not affect other spaces', async () => {
    const [caller, other] = [await newCaller('rated'), await newCaller('unrated')];
    await quota('set', '--space', 'rated', '--requests', '5');
    const begun = performance.now();
    const answers = await burst(caller, 12);
    const refilled = ((performance.now() - begun) / 1000) * 5;
    const late = refused(answers);
    assert.ok(late.length >= 7 - Math.ceil(refilled) && late.length <= 7, `${late.length} of 12 were refused`);
    for (const answer of late) {
      assertRefusal(answer, 403, 'TooManyRequests');
      assert.equal(answer.headers['retry-after'], '1');
    }
    assert.equal(refused(await burst(other, 30)).length, 0);
    await service.advance(1000);
    const limits = await get<{ Space: object; Caller: object }>(caller, '/limits');
    assert.deepEqual([limits.Space, limits.Caller], [{ Quota: { RequestsPerSecond: 5 } }, {}]);
    await quota('set', '--space', 'rated', '--requests', 'none');
    assert.equal(refused(await burst(caller, 30)).length, 0);
  });

  it('of an application is its own, and survives a restart', async () => {
    const caller = await newCaller('restarted');
    await quota('set', '--app', 'restarted', '--requests', '3');
    const assertLimited = async () => {
      const begun = performance.now();
      const { length } = refused(await burst(caller, 30));
      const refilled = ((performance.now() - begun) / 1000) * 3;
      assert.ok(length > 0 && length >= 26 - Math.ceil(refilled), `${length} of 30 were refused`);
    };
    await assertLimited();
    await service.stop();
    service = await startServiceHere(dataFolder, { environment, hasClock: true });
    await assertLimited();
  });
});

describe('cabinet quota', () => {
  it('shows usage and quotas of spaces, with and without a running service', async () => {
    await newCaller('shown');
    await quota('set', '--space', 'shown', '--bytes', '10GiB', '--entries', '1000');
    const set = await quota('set', '--space', 'shown', '--entries', 'none', '--requests', '7');
    const expected = {
      Space: 'shown',
      Entries: 0,
      Bytes: 0,
      MostEntries: null,
      MostBytes: 10 * 2 ** 30,
      MostRequestsPerSecond: 7,
    };
    assert.deepEqual(set, expected);
    assert.deepEqual(await quota('show', '--space', 'shown'), { Quotas: [expected] });
    await service.stop();
    assert.deepEqual(await quota('show', '--space', 'shown'), { Quotas: [expected] });
    const lines = (await cabinet(dataFolder, ['quota', 'show'])).stdout;
    assert.match(lines, /^shown\t\(all\)\t0\tunlimited\t0\t10737418240\t7$/m);
    service = await startServiceHere(dataFolder, { hasClock: true });
  });

  it('refuses invalid arguments', async () => {
    const cases: [string[], RegExp][] = [
      [['set', '--space', 'shown'], /Specify a limit/],
      [['set', '--bytes', '1'], /space or an application/],
      [['set', '--space', 'nowhere', '--bytes', '1'], /no space/],
      [['set', '--space', 'shown', '--bytes', 'much'], /--bytes cannot be/],
      [['set', '--space', 'shown', '--requests', '0'], /--requests cannot be/],
      [['set', '--space', 'shown', '--entries', '-1'], /--entries cannot be|argument/],
      [['set', '--app', 'a', '--user', 'b', '--bytes', '1'], /not both/],
      [['set', '--user', 'nobody', '--space', 'shown', '--bytes', '1'], /no user/],
      [['show', '--space', 'nowhere'], /no space/],
    ];
    for (const [words, says] of cases) {
      const { code, stderr } = await cabinet(dataFolder, ['quota', ...words]);
      assert.notEqual(code, 0, words.join(' '));
      assert.match(stderr, says);
    }
  });
});
