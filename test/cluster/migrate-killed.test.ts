// A migration that is killed again and again, and goes on each time: what is there in the end is exact.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { sized } from '../size.ts';
import { getReady, type Ready } from './migrating.ts';
import { move } from './move.ts';

/** By how many steps later it is killed each time round, and how often at the least. */
const [stride, leastKills] = sized([3, 5] as const, [1, 8] as const);

describe('a migration that is killed resumes, and is exact', { timeout: 300_000 }, () => {
  let ready: Ready;

  before(async () => {
    ready = await getReady();
  });
  after(() => ready?.stop());

  for (const where of ['to PostgreSQL', 'to SQLite'] as const) {
    it(where, async () => {
      const postgres = await ready.inPostgres();
      const [from, to] = where === 'to PostgreSQL' ? [ready.sqlite, postgres] : [postgres, ready.place()];
      if (from === postgres) await move(ready.sqlite, postgres);
      let kills = 0;
      for (;;) {
        // A little later as time goes on, for some steps are taken every time.
        const step = ([1, 8, 5, 6][kills % 4] ?? 0) + stride * Math.floor(kills / 4);
        const words = [from.url ?? '', from.folder, to.url ?? '', to.folder, String(step)];
        const program = [join(import.meta.dirname, 'migrator.ts'), ...words];
        const { signal, stdout, stderr } = spawnSync(process.execPath, program, { encoding: 'utf8' });
        if (signal !== 'SIGKILL') {
          assert.equal(stderr, '');
          assert.deepEqual(JSON.parse(stdout).differences, []);
          break;
        }
        kills += 1;
      }
      assert.ok(kills >= leastKills, `it was killed ${kills} times`);
      assert.deepEqual(await ready.readAll(to), ready.expected);
    });
  }
});
