import { after, before } from 'node:test';
import { type Databases, findDatabases } from '../../../test/cluster/ground.ts';
import { openNode } from '../../../test/cluster/search-room.ts';
import { testSearch } from '../../../test/contracts/search.ts';

let databases: Databases;

before(async () => {
  databases = await findDatabases();
});
after(() => databases.stop());

testSearch('PostgreSQL', async () => {
  const closers: (() => unknown)[] = [];
  const node = await openNode({ after: (close) => closers.push(close) }, await databases.make());
  return {
    ...node,
    async close() {
      for (const close of closers) await close();
    },
  };
});
