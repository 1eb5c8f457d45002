import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Fault } from '../domain/fault.ts';
import { Refusal } from '../domain/refusal.ts';
import { Calls, type Functions } from './worker-calls.ts';

interface Asked extends Functions {
  double(n: number): Promise<number>;
  refuse(target: string): void;
  fail(): void;
  stumble(): void;
  hear(word: string): void;
  take(port: MessagePort): void;
}

function connect(context: TestContext) {
  const { port1, port2 } = new MessageChannel();
  context.after(() => port1.close());
  const heard: string[] = [];
  const taken: MessagePort[] = [];
  new Calls(port2, {
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
    hear: (word) => void heard.push(word),
    take: (port) => void taken.push(port),
  } satisfies Asked);
  return { calls: new Calls<Asked>(port1, {}), heard, taken };
}

test('what is asked is answered, whatever else is asked meanwhile', async (context) => {
  const { calls } = connect(context);
  const doubled = await Promise.all([1, 2, 3].map((n) => calls.ask('double', n)));
  assert.deepEqual(doubled, [2, 4, 6]);
});

test('refusals and faults are thrown as what they are', async (context) => {
  const { calls } = connect(context);
  await assert.rejects(calls.ask('refuse', 'Name'), (error) => {
    assert.ok(error instanceof Refusal);
    assert.deepEqual(error.toPlain(), new Refusal('InvalidField', 'It is not right.', { target: 'Name' }).toPlain());
    return true;
  });
  await assert.rejects(calls.ask('fail', undefined), (error) => error instanceof Fault && error.kind === 'full');
  await assert.rejects(calls.ask('stumble', undefined), /a bug/);
});

test('what is only told comes in order, before what is asked later', async (context) => {
  const { calls, heard } = connect(context);
  for (const word of ['a', 'b', 'c']) calls.tell('hear', word);
  await calls.ask('double', 1);
  assert.deepEqual(heard, ['a', 'b', 'c']);
});

test('ports can be handed over', async (context) => {
  const { calls, taken } = connect(context);
  const { port1, port2 } = new MessageChannel();
  context.after(() => port2.close());
  await calls.ask('take', port1, [port1]);
  assert.equal(taken.length, 1);
});
