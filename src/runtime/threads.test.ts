import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { endThread } from './threads.ts';

const module = JSON.stringify(new URL('./threads.ts', import.meta.url));

/** A thread that decompresses in every turn of its event loop. */
async function startUnpacking(): Promise<Worker> {
  const text = `
    import { inflateRawSync, deflateRawSync } from 'node:zlib';
    import { parentPort } from 'node:worker_threads';
    const { exitOnRequest } = await import(${module});
    exitOnRequest();
    const packed = deflateRawSync('text');
    const unpack = () => { inflateRawSync(packed); setImmediate(unpack); };
    unpack();
    parentPort.postMessage('begun');`;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(text)}`));
  await once(worker, 'message');
  return worker;
}

test('a thread exits by itself, between two pieces of its work', async () => {
  const worker = await startUnpacking();
  const codes: number[] = [];
  worker.on('exit', (code) => codes.push(code));
  await endThread(worker);
  assert.deepEqual(codes, [0], 'it was not terminated');
});

test('ending a thread that has exited does nothing', async () => {
  const worker = await startUnpacking();
  await endThread(worker);
  await endThread(worker);
});
