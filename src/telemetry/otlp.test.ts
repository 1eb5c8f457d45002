import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { openCollector } from '../../test/service/collector.ts';
import { OtlpExporter } from './otlp.ts';
import { Tracer } from './tracer.ts';

const resource = { 'service.name': 'cabinet' };

function toTracer(endpoint: string, lastSendMs = 60_000) {
  const outages: unknown[] = [];
  const exporter = new OtlpExporter({ endpoint, resource, lastSendMs, onOutage: (error) => outages.push(error) });
  return { exporter, outages, tracer: new Tracer(exporter, 1) };
}

function end(tracer: Tracer, count: number): void {
  for (let index = 0; index < count; index += 1) tracer.begin(undefined, `request ${index}`)?.end();
}

test('spans arrive together, each once, with their times', async (context) => {
  const collector = await openCollector();
  context.after(() => collector.close());
  const { exporter, tracer } = toTracer(`${collector.url}/`);
  const before = BigInt(Date.now() - 1000) * 1_000_000n;
  end(tracer, 1200);
  await exporter.close();
  const spans = collector.spans();
  assert.equal(new Set(spans.map(({ spanId }) => spanId)).size, 1200);
  assert.ok(collector.requests.length <= 4, `${collector.requests.length} requests`);
  assert.equal(exporter.sent, 1200);
  const [span] = spans;
  assert.equal(span?.resource['service.name'], 'cabinet');
  assert.ok(BigInt(span?.startTimeUnixNano ?? 0) >= before);
  assert.ok(BigInt(span?.endTimeUnixNano ?? 0) >= BigInt(span?.startTimeUnixNano ?? 0));
  assert.ok(BigInt(span?.endTimeUnixNano ?? 0) <= BigInt(Date.now() + 1000) * 1_000_000n);
});

test('while the collector is gone, the queue is bounded, what exceeds it is dropped, and the outage is reported once', async () => {
  const { exporter, outages, tracer } = toTracer('http://127.0.0.1:1');
  end(tracer, 6000);
  while (outages.length === 0) await turn();
  end(tracer, 100);
  await exporter.close();
  assert.equal(outages.length, 1);
  assert.equal(exporter.sent, 0);
  assert.ok(exporter.waiting <= 4096, `${exporter.waiting} wait`);
  assert.equal(exporter.dropped + exporter.waiting, 6100);
});

test('what a collector cannot take now is sent again; what it will never take is dropped', async (context) => {
  const collector = await openCollector();
  context.after(() => collector.close());
  const { exporter, tracer } = toTracer(collector.url);
  collector.status = 503;
  end(tracer, 512);
  await collector.requested(1);
  collector.status = 200;
  await exporter.close();
  assert.equal(exporter.sent, 512);
  const refused = toTracer(collector.url);
  collector.status = 400;
  end(refused.tracer, 10);
  await refused.exporter.close();
  assert.equal(refused.exporter.dropped, 10);
  assert.equal(refused.outages.length, 1);
});

test('a collector that never answers holds nobody up for longer than it may', async (context) => {
  const collector = await openCollector();
  context.after(() => collector.close());
  collector.isSilent = true;
  const { exporter, tracer } = toTracer(collector.url, 500);
  end(tracer, 600);
  const begunAt = performance.now();
  await exporter.close();
  assert.ok(performance.now() - begunAt < 30_000);
});

test('a name and a password in the address are sent as such, not in the address', async (context) => {
  const collector = await openCollector();
  context.after(() => collector.close());
  const { exporter, tracer } = toTracer(collector.url.replace('//', '//me:p%40ss@'));
  end(tracer, 1);
  await exporter.close();
  assert.equal(collector.requests[0]?.authorization, `Basic ${Buffer.from('me:p@ss').toString('base64')}`);
});
