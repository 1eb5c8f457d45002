// Two nodes on the same PostgreSQL: a lock that one takes binds the other, and survives the end of the first.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findGround, newStores } from '../cluster/ground.ts';
import { addApplication } from '../service/operator.ts';
import { makeDataFolder, removeDataFolder } from '../service/service.ts';
import { startServiceHere } from '../service/service-here.ts';
import { Dav } from './dav.ts';

const body =
  '<D:lockinfo xmlns:D="DAV:"><D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockinfo>';

test('two nodes share locks', async () => {
  const ground = await findGround();
  const folders = [makeDataFolder(), makeDataFolder()] as const;
  try {
    const environment = { ...(await newStores(ground)), CABINET_PUBLIC_URL: 'http://cabinet.example' };
    const first = await startServiceHere(folders[0], { environment });
    const application = await addApplication(folders[0], 'node');
    const here = new Dav(first.production, application);
    await here.put('a', 'x');
    const token = (await here.must(200, 'LOCK', 'a', { body })).headers.get('lock-token') ?? '';
    await using second = await startServiceHere(folders[1], { environment });
    const there = new Dav(second.production, application);
    await there.must(423, 'PUT', 'a', { body: 'y' });
    await there.must(204, 'PUT', 'a', { body: 'y', headers: { If: `(${token})` } });
    await first.stop();
    await there.must(423, 'DELETE', 'a');
    await there.must(204, 'UNLOCK', 'a', { headers: { 'Lock-Token': token } });
    assert.equal(await there.get('a'), 'y');
  } finally {
    await ground.stop();
    for (const folder of folders) removeDataFolder(folder);
  }
});
