import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { GuardedProcess, type GuardedProcessOptions } from './guarded-process.ts';

const program = join(import.meta.dirname, 'guarded-process-for-tests.ts');

function open(context: TestContext, limits?: GuardedProcessOptions['limits']) {
  const guarded = new GuardedProcess<{ what: string; text?: string }, string>({
    program,
    ...(limits !== undefined && { limits }),
  });
  context.after(() => guarded.close());
  return guarded;
}

const pidOf = (result: { reply: string | null }) => result.reply?.split(' ')[0];

test('work is done in one process while it ends well, and in a new one after it did not', async (context) => {
  const guarded = open(context);
  const first = await guarded.run({ what: 'answer', text: 'ü' });
  assert.match(first.reply ?? '', /^\d+ ü$/);
  assert.equal(pidOf(await guarded.run({ what: 'answer' })), pidOf(first));
  assert.deepEqual(await guarded.run({ what: 'exit' }), { reply: null, ended: 'crash' });
  const next = await guarded.run({ what: 'answer' });
  assert.ok(next.reply !== null && pidOf(next) !== pidOf(first));
});

test('a process that is stopped from outside is no fault of the work', async (context) => {
  assert.deepEqual(await open(context).run({ what: 'stop' }), { reply: null, ended: 'stopped' });
});

test('work that takes too long or too much memory is ended', async (context) => {
  const hasty = open(context, { timeoutMs: 1000, maxMemoryBytes: 2 ** 40 });
  assert.deepEqual(await hasty.run({ what: 'hang' }), { reply: null, ended: 'limit' });
  const small = open(context, { timeoutMs: 600_000, maxMemoryBytes: 256 * 1024 * 1024 });
  const skip = process.platform !== 'linux';
  if (!skip) assert.deepEqual(await small.run({ what: 'fill' }), { reply: null, ended: 'limit' });
});

test('the process gets none of our settings', async (context) => {
  process.env.CABINET_SECRET_OF_THIS_TEST = 'x';
  context.after(() => {
    delete process.env.CABINET_SECRET_OF_THIS_TEST;
  });
  const { reply } = await open(context).run({ what: 'environment' });
  assert.doesNotMatch(reply ?? 'none', /CABINET|none/);
});
