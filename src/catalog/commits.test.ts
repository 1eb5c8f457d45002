import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Commits } from './commits.ts';

const shortly = 20_000;

async function measure(work: () => Promise<void>): Promise<number> {
  const begunAt = performance.now();
  await work();
  return performance.now() - begunAt;
}

test('a waiting request is woken by a commit in its space, announced in any thread', async () => {
  const commits = new Commits();
  const elsewhere = new Commits(commits.shared);
  const tookMs = await measure(async () => {
    const waits = [1, 2].map(() => commits.wait(7, commits.seen(7), shortly));
    setTimeout(() => elsewhere.announce(7), 50);
    await Promise.all(waits);
  });
  assert.ok(tookMs >= 49 && tookMs < shortly / 2, `${tookMs} ms`);
});

test('a commit between reading and waiting is not missed', async () => {
  const commits = new Commits();
  const seen = commits.seen(7);
  commits.announce(7);
  assert.ok((await measure(() => commits.wait(7, seen, shortly))) < shortly / 2);
});

test('commits in another space and earlier commits wake nobody', async () => {
  const commits = new Commits();
  commits.announce(7);
  const seen = commits.seen(7);
  setTimeout(() => commits.announce(8), 20);
  assert.ok((await measure(() => commits.wait(7, seen, 150))) >= 149);
});
