// What a PUT has answered is there after a kill (docs/contract.md §9.1).

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addApplication, type Registered } from '../service/operator.ts';
import { makeDataFolder, removeDataFolder, type Started, startService } from '../service/service.ts';
import { Dav } from './dav.ts';

const dataFolder = makeDataFolder();
let service: Started;
let dav: Dav;
let application: Registered;

async function start(): Promise<void> {
  service = await startService(dataFolder);
}

before(async () => {
  await start();
  application = await addApplication(dataFolder, 'killed');
  dav = new Dav(service.production, application);
});

after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

test('a kill in the middle of PUTs loses nothing that was answered', async () => {
  const answered: string[] = [];
  let isKilled = false;
  const writer = async (name: string) => {
    for (let n = 0; !isKilled; n += 1) {
      const path = `${name}-${n}`;
      // Some are large enough to go to the blob store.
      const body = `${path} `.repeat(n % 5 === 4 ? 20_000 : 10);
      const put = await dav.send('PUT', path, { body }).catch(() => null);
      if (put?.status === 201) answered.push(path);
      if (answered.length >= 100 && !isKilled) {
        isKilled = true;
        service.process.kill('SIGKILL');
      }
    }
  };
  await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(writer));
  await start();
  dav = new Dav(service.production, application);
  for (const path of answered) {
    const text = await dav.get(path);
    assert.ok(text.startsWith(`${path} `) && text.endsWith(`${path} `), path);
    assert.equal(text.length % (path.length + 1), 0);
  }
  const listed = new Set(await dav.list(''));
  assert.deepEqual(
    answered.filter((path) => !listed.has(path)),
    [],
  );
});
