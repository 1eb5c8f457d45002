import { openSqliteRoom } from '../../../test/cluster/search-room.ts';
import { testSearch } from '../../../test/contracts/search.ts';

testSearch('SQLite', async () => {
  const closers: (() => unknown)[] = [];
  const room = await openSqliteRoom({ after: (close) => closers.push(close) });
  return {
    ...room,
    async close() {
      for (const close of closers) await close();
    },
  };
});
