import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { read, testBlobs, toAsync } from '../../test/contracts/blobs.ts';
import { type Blobs, newBlobId } from '../blobs/blobs.ts';
import { openLocalBlobs } from '../blobs/local/local.ts';
import { EnvironmentMetrics } from './environment-metrics.ts';
import { observeBlobs } from './observed-blobs.ts';
import { type EndedSpan, Tracer } from './tracer.ts';

function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), 'cabinet-observed-'));
}

testBlobs('a blob store that is observed', async () => {
  const folder = makeFolder();
  const blobs = await openLocalBlobs({ folder, onFatal: assert.fail });
  const tracer = new Tracer({ take: () => undefined }, 1);
  return {
    blobs: observeBlobs(blobs, new EnvironmentMetrics('test'), tracer),
    close: async () => rmSync(folder, { recursive: true }),
  };
});

test('what is put and opened is counted and traced; what breaks off counts as failed', async (context) => {
  const folder = makeFolder();
  context.after(() => rmSync(folder, { recursive: true }));
  const metrics = new EnvironmentMetrics('test');
  const spans: EndedSpan[] = [];
  const tracer = new Tracer({ take: (span) => spans.push(span) }, 1);
  const blobs = observeBlobs(await openLocalBlobs({ folder, onFatal: assert.fail }), metrics, tracer);
  const request = tracer.begin(undefined, 'request');
  assert.ok(request !== null);
  const id = newBlobId();
  await tracer.within(request, async () => {
    await blobs.put(id, toAsync([[randomBytes(1000)], [randomBytes(500)]]));
    assert.equal((await read(blobs, id, 100, 600)).length, 500);
    await assert.rejects(blobs.put(newBlobId(), breakOff()), /broke off/);
    await assert.rejects(read(blobs, newBlobId(), 0, 10));
  });
  assert.equal(metrics.blobPuts.stored.value, 1);
  assert.equal(metrics.blobPuts.failed.value, 1);
  assert.equal(metrics.blobPutBytes.value, 1510);
  assert.equal(metrics.blobOpenBytes.value, 500);
  assert.equal(metrics.putsUnderWay, 0);
  const recorded = spans.map(({ name, isFailed, attributes }) => [name, isFailed, attributes['cabinet.bytes']]);
  assert.deepEqual(recorded, [
    ['blobs put', false, 1500],
    ['blobs open', false, 500],
    ['blobs put', true, 10],
    ['blobs open', true, 0],
  ]);
  assert.ok(spans.every(({ traceId, parentSpanId }) => traceId === request.traceId && parentSpanId === request.spanId));
});

test('what only some engines can do is passed on, and not made up', async () => {
  const metrics = new EnvironmentMetrics('test');
  const tidied: number[] = [];
  const bare = { list: () => toAsync([]) } as unknown as Blobs;
  const tidying = { ...bare, tidy: async (beforeMs: number) => void tidied.push(beforeMs) };
  assert.ok(!('tidy' in observeBlobs(bare, metrics, null)));
  await observeBlobs(tidying, metrics, null).tidy?.(7, async () => []);
  assert.deepEqual(tidied, [7]);
});

async function* breakOff() {
  yield [randomBytes(10)];
  throw new Error('it broke off');
}
