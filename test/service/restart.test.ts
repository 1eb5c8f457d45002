// A 200 survives the end of the process: SIGKILL at any moment, and SIGTERM under load.

import assert from 'node:assert/strict';
import { hash, randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { type Caller, call, download, fetchToken, identity, listFolder, send } from '../interface/client.ts';
import { sized } from '../size.ts';
import { addCaller, eventually, listIncoming, makeDataFolder, removeDataFolder, startService } from './service.ts';
import { startServiceHere } from './service-here.ts';

/** A folder that was killed is killed once more; one that was left in order is as any other. */
const rounds = { SIGKILL: sized(2, 4), SIGTERM: sized(1, 4) };
const mostLoadMs = sized(200, 1000);
const writers = sized(32, 64);

interface Load {
  /** Name → SHA-256 of the bytes whose save was answered with 200. */
  answered: Map<string, string>;
  /** Everything that was ever sent. */
  attempted: Map<string, string>;
}

/** Saves without end until the connection fails: mostly small files, every eighth one large. */
async function saveUntilGone(caller: Caller, load: Load): Promise<void> {
  for (let count = 0; ; count += 1) {
    const bytes = randomBytes(count % 8 === 0 ? 150_000 : 1 + (count % 5000));
    const name = randomUUID();
    load.attempted.set(name, hash('sha256', bytes));
    try {
      const headers = { ...identity(caller), FileName: name, Prefer: 'return=minimal' };
      const answer = await send(caller.base, '/v1/contentmanagement/files', { method: 'POST', headers, body: bytes });
      if (answer.status === 200) load.answered.set(name, hash('sha256', bytes));
      else if (answer.status !== 500 || !answer.headers['retry-after']) assert.fail(answer.body.toString());
      else return;
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      return;
    }
  }
}

async function checkAllThere(caller: Caller, load: Load): Promise<void> {
  const stored = await listFolder(caller, '-root-');
  const byName = new Map(stored.map((entry) => [entry.Name, entry]));
  for (const name of load.answered.keys()) assert.ok(byName.has(name), `${name} was answered and is lost`);
  for (const { Name, Id } of stored) {
    assert.equal(hash('sha256', await download(caller, Id)), load.attempted.get(Name), `${Name} is not what was sent`);
  }
  const { Folder } = JSON.parse((await call(caller, '/folders/-root-')).body.toString()) as {
    Folder: { Size: number };
  };
  assert.equal(
    Folder.Size,
    stored.reduce((sum, { Size }) => sum + Size, 0),
  );
}

async function renew(caller: Caller | undefined, dataFolder: string, base: string): Promise<Caller> {
  if (caller === undefined) return await addCaller(dataFolder, base, 'app');
  return { ...caller, base, token: await fetchToken(base, caller.application) };
}

for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
  test(`everything answered before ${signal} is there after it, complete and exact`, async () => {
    const dataFolder = makeDataFolder();
    const load: Load = { answered: new Map(), attempted: new Map() };
    let caller: Caller | undefined;
    for (let round = 0; round < rounds[signal]; round += 1) {
      const service = await startService(dataFolder);
      const base = service.production;
      caller = await renew(caller, dataFolder, base);
      const before = load.answered.size;
      const current = caller;
      const saving = Promise.all(Array.from({ length: writers }, () => saveUntilGone(current, load)));
      await eventually('something is answered', () => load.answered.size > before, 60_000);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * mostLoadMs));
      const code = await service.stop(signal);
      await saving;
      if (signal === 'SIGTERM') assert.equal(code, 0, service.errors());
    }
    const service = await startServiceHere(dataFolder);
    await checkAllThere(await renew(caller, dataFolder, service.production), load);
    assert.deepEqual(listIncoming(dataFolder), []);
    await service.stop();
    removeDataFolder(dataFolder);
  });
}
