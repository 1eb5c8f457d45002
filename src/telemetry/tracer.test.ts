import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { newTraceId, readTraceParent } from './traceparent.ts';
import { type EndedSpan, Tracer } from './tracer.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

test('a traceparent is read as its standard says', () => {
  assert.deepEqual(readTraceParent(`00-${traceId}-${spanId}-01`), { traceId, spanId, isSampled: true });
  assert.deepEqual(readTraceParent(`00-${traceId}-${spanId}-00`), { traceId, spanId, isSampled: false });
  assert.equal(readTraceParent(`00-${traceId}-${spanId}-03`)?.isSampled, true);
  assert.equal(readTraceParent(`42-${traceId}-${spanId}-01-of-the-future`)?.traceId, traceId);
  for (const wrong of [
    undefined,
    '',
    `00-${traceId}-${spanId}`,
    `00-${traceId}-${spanId}-01-more`,
    `ff-${traceId}-${spanId}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
    `00-${traceId}-${spanId}-0x`,
  ]) {
    assert.equal(readTraceParent(wrong), null, String(wrong));
  }
});

test('ids of traces do not repeat', () => {
  const ids = new Set(Array.from({ length: 10_000 }, newTraceId));
  assert.equal(ids.size, 10_000);
  for (const id of ids) assert.match(id, /^[0-9a-f]{32}$/);
});

function makeTracer(share: number): { tracer: Tracer; spans: EndedSpan[] } {
  const spans: EndedSpan[] = [];
  return { spans, tracer: new Tracer({ take: (span) => spans.push(span) }, share) };
}

test('a trace that was begun elsewhere goes on here; whether it is recorded was decided there', () => {
  const { tracer, spans } = makeTracer(0);
  assert.equal(tracer.begin(undefined, 'request'), null);
  assert.equal(makeTracer(1).tracer.begin(`00-${traceId}-${spanId}-00`, 'request'), null);
  tracer.begin(`00-${traceId}-${spanId}-01`, 'request')?.end();
  assert.equal(spans[0]?.traceId, traceId);
  assert.equal(spans[0]?.parentSpanId, spanId);
});

test('parts find the request that they belong to, also when many run at once', async () => {
  const { tracer, spans } = makeTracer(1);
  const requests = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const request = tracer.begin(undefined, `request ${index}`);
      assert.ok(request !== null);
      await tracer.within(request, async () => {
        await sleep(Math.random() * 5);
        const part = tracer.part(`part ${index}`);
        await sleep(Math.random() * 5);
        part?.end();
      });
      return request;
    }),
  );
  assert.equal(tracer.part('outside of any'), null);
  for (const [index, { traceId: trace, spanId: parent }] of requests.entries()) {
    const part = spans.find(({ name }) => name === `part ${index}`);
    assert.equal(part?.traceId, trace);
    assert.equal(part?.parentSpanId, parent);
  }
});
