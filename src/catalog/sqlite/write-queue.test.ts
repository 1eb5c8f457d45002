// Which writes of a thread go to the writer together. The writer is the test.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../domain/fault.ts';
import { WriteQueue } from './write-queue.ts';

const hurried = 'forgetDeliveries';
const patient = 'moveWebhooks';

function openQueue() {
  const sent: string[][] = [];
  const post = ({ text }: { text: string }) => sent.push((JSON.parse(text) as [string][]).map(([name]) => name));
  // However long the machine takes, another write was a moment ago.
  const queue = new WriteQueue(post, { onFatal: () => undefined }, () => 0);
  let settled = 0;
  const settle = () => {
    const writes = sent.slice(settled).flat();
    settled = sent.length;
    queue.settle({ outcomes: JSON.stringify(writes.map(() => ({ value: 0 }))), number: settled });
  };
  return { sent, queue, settle };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const until = async (isTrue: () => boolean) => {
  while (!isTrue()) await turn();
};

test('A patient write is sent at once where there are no others', async () => {
  const { sent, queue, settle } = openQueue();
  const written = queue.write(patient, {});
  await turn();
  assert.deepEqual(sent, [[patient]]);
  settle();
  await written;
});

test('A patient write goes with the next one where there was another a moment ago', async () => {
  const { sent, queue, settle } = openQueue();
  const first = queue.write(hurried, {});
  await turn();
  settle();
  await first;
  const both = [queue.write(patient, {}), queue.write(hurried, {})];
  await until(() => sent.length === 2);
  assert.deepEqual(sent, [[hurried], [hurried, patient]]);
  settle();
  await Promise.all(both);
});

test('A patient write joins a batch that is about to be sent', async () => {
  const { sent, queue, settle } = openQueue();
  const both = [queue.write(hurried, {}), queue.write(patient, {})];
  await turn();
  assert.deepEqual(sent, [[hurried, patient]]);
  settle();
  await Promise.all(both);
});

test('A patient write does not wait for ever, and a closed queue sends it', async () => {
  const { sent, queue, settle } = openQueue();
  const write = async (name: string) => {
    const count = sent.length;
    const written = queue.write(name, {});
    await until(() => sent.length > count);
    settle();
    await written;
  };
  await write(hurried);
  await write(patient);
  await write(hurried);
  const last = queue.write(patient, {});
  const closed = queue.close();
  await until(() => sent.length === 4);
  settle();
  await Promise.all([last, closed]);
  assert.deepEqual(sent, [[hurried], [patient], [hurried], [patient]]);
});

test('Where the writer has stopped, patient writes fail like others', async () => {
  const { sent, queue, settle } = openQueue();
  const first = queue.write(hurried, {});
  await turn();
  settle();
  await first;
  const fault = new Fault('fatal', 'the writer stopped');
  const held = queue.write(patient, {});
  queue.die(fault);
  await assert.rejects(held, fault);
  assert.equal(sent.length, 1);
});
