import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Fault } from '../domain/fault.ts';
import { Refusal } from '../domain/refusal.ts';
import { type Functions, HandedOver, WorkerCalls } from './worker-calls.ts';

interface Remote extends Functions {
  double(n: number): Promise<number>;
  refuse(target: string): void;
  fail(): void;
  stumble(): void;
  hear(word: string): void;
  hang(): Promise<void>;
  take(port: MessagePort): void;
  give(length: number): HandedOver<Uint8Array>;
}

function connect(context: TestContext) {
  const { port1, port2 } = new MessageChannel();
  context.after(() => port1.close());
  const heard: string[] = [];
  const taken: MessagePort[] = [];
  const given: Uint8Array[] = [];
  new WorkerCalls(port2, {
    double: async (n) => n * 2,
    refuse(target) {
      throw new Refusal('InvalidField', 'It is not right.', { target });
    },
    fail() {
      throw new Fault('full', 'no space is left');
    },
    stumble() {
      throw new TypeError('a bug');
    },
    hang: () => new Promise(() => undefined),
    hear: (word) => void heard.push(word),
    take: (port) => void taken.push(port),
    give(length) {
      const bytes = new Uint8Array(length).fill(7);
      given.push(bytes);
      return new HandedOver(bytes, [bytes.buffer]);
    },
  } satisfies Remote);
  return { calls: new WorkerCalls<Remote>(port1, {}), heard, taken, given, port2 };
}

test('calls resolve to their results, several at a time', async (context) => {
  const { calls } = connect(context);
  const doubled = await Promise.all([1, 2, 3].map((n) => calls.call('double', n)));
  assert.deepEqual(doubled, [2, 4, 6]);
});

test('refusals and faults are thrown as they are, other errors as faults with their message and stack', async (context) => {
  const { calls } = connect(context);
  await assert.rejects(calls.call('refuse', 'Name'), (error) => {
    assert.ok(error instanceof Refusal);
    assert.deepEqual(error.toPlain(), new Refusal('InvalidField', 'It is not right.', { target: 'Name' }).toPlain());
    return true;
  });
  await assert.rejects(calls.call('fail', undefined), (error) => error instanceof Fault && error.kind === 'full');
  await assert.rejects(calls.call('stumble', undefined), (error) => {
    assert.ok(error instanceof Fault);
    assert.deepEqual([error.kind, error.message], ['other', 'a bug']);
    assert.match(error.stack ?? '', /stumble/);
    return true;
  });
});

test('notifications arrive in order, and before later calls', async (context) => {
  const { calls, heard } = connect(context);
  for (const word of ['a', 'b', 'c']) calls.notify('hear', word);
  await calls.call('double', 1);
  assert.deepEqual(heard, ['a', 'b', 'c']);
});

test('ports can be handed over', async (context) => {
  const { calls, taken } = connect(context);
  const { port1, port2 } = new MessageChannel();
  context.after(() => port2.close());
  await calls.call('take', port1, [port1]);
  assert.equal(taken.length, 1);
});

test('the memory of a result can be handed over', async (context) => {
  const { calls, given } = connect(context);
  assert.deepEqual(await calls.call('give', 3), new Uint8Array([7, 7, 7]));
  assert.deepEqual(
    given.map(({ byteLength }) => byteLength),
    [0],
    'it was not copied',
  );
});

test('a call of an unknown function fails', async (context) => {
  const { calls } = connect(context);
  await assert.rejects(
    (calls as WorkerCalls<Functions>).call('other', undefined as never),
    /there is no function other/,
  );
});

test('closing rejects pending and later calls with the same fault', async (context) => {
  const { calls } = connect(context);
  const pending = calls.call('hang', undefined);
  const reason = new Fault('other', 'stopped');
  calls.close(reason);
  calls.close(new Fault('other', 'once more'));
  const isReason = (error: unknown) => error === reason;
  await assert.rejects(pending, isReason);
  await assert.rejects(calls.call('double', 1), isReason);
});

test('a port that is closed on the other side rejects pending and later calls', async (context) => {
  const { calls, port2 } = connect(context);
  const pending = calls.call('hang', undefined);
  port2.close();
  await assert.rejects(pending, /the thread has ended/);
  await assert.rejects(calls.call('double', 1), /the thread has ended/);
});
