// Traces of the real service, at a collector: a request and its parts are one trace, which continues the caller's; it contains
// nothing secret; a slow or missing collector does not affect the service.

import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { type Caller, call, download, saveFile, send } from '../interface/client.ts';
import { type CollectedSpan, type Collector, openCollector } from './collector.ts';
import {
  addCaller,
  eventually,
  makeDataFolder,
  removeDataFolder,
  type StartedWithClock,
  startService,
} from './service.ts';

const dataFolder = makeDataFolder();
let collector: Collector;
let service: StartedWithClock;
let caller: Caller;

before(async () => {
  collector = await openCollector();
  service = await startService(dataFolder, { environment: { CABINET_OTLP_ENDPOINT: collector.url }, hasClock: true });
  caller = await addCaller(dataFolder, service.production, 'traced');
});
after(async () => {
  await service.stop();
  collector.close();
  removeDataFolder(dataFolder);
});

const parentSpanId = '00f067aa0ba902b7';
const newTraceId = () => randomBytes(16).toString('hex');

/** Spans are sent once a second. */
async function untilSent(isSent: () => boolean): Promise<void> {
  await eventually('it is at the collector', async () => {
    await service.advance(1000);
    return isSent();
  });
}

/** The spans of a trace, once its request is among them. */
async function findTrace(traceId: string): Promise<CollectedSpan[]> {
  const found = () => collector.spans().filter((span) => span.traceId === traceId);
  await untilSent(() => found().some(({ kind }) => kind === 2));
  return found();
}

const attributesOf = (spans: CollectedSpan[], name: string) => spans.find((span) => span.name === name)?.attributes;

test('a save is one trace: the request with spans of the catalog and the blob store', async () => {
  const traceId = newTraceId();
  const tracking = randomUUID();
  const headers = { traceparent: `00-${traceId}-${parentSpanId}-01`, requesttrackingid: tracking };
  await saveFile(caller, { FolderId: '', FileName: 'large', ...headers }, randomBytes(200_000));
  const spans = await findTrace(traceId);
  const request = spans.find(({ kind }) => kind === 2);
  assert.equal(request?.name, 'POST /v1/contentmanagement/files');
  assert.equal(request?.parentSpanId, parentSpanId);
  assert.deepEqual(request?.attributes, {
    'http.request.method': 'POST',
    'http.route': '/v1/contentmanagement/files',
    'http.response.status_code': '200',
    'cabinet.tracking_id': tracking,
  });
  assert.equal(request?.resource['service.name'], 'cabinet');
  assert.match(String(request?.resource['service.version']), /^\d/);
  assert.ok(request?.resource['service.instance.id']?.endsWith(`-${service.process.pid}`));
  assert.deepEqual(attributesOf(spans, 'blobs put'), { 'cabinet.bytes': '200000' });
  assert.ok(attributesOf(spans, 'catalog saveFile'));
  const inside = spans.filter(({ kind }) => kind !== 2);
  for (const span of inside) {
    assert.equal(span.parentSpanId, request?.spanId);
    assert.ok(BigInt(span.startTimeUnixNano) >= BigInt(request?.startTimeUnixNano ?? 0));
    assert.ok(BigInt(span.endTimeUnixNano) <= BigInt(request?.endTimeUnixNano ?? 0));
  }
});

test('a download has spans for its reads', async () => {
  const { File } = await saveFile(caller, { FolderId: '', FileName: 'to-read' }, randomBytes(150_000));
  const traceId = newTraceId();
  const headers = { traceparent: `00-${traceId}-${parentSpanId}-01` };
  await call(caller, `/files/${File.Id}/content`, { headers });
  const spans = await findTrace(traceId);
  assert.equal(attributesOf(spans, 'blobs open')?.['cabinet.bytes'], '150000');
  assert.ok(spans.some(({ name }) => name.startsWith('catalog find')));
});

test('a refused request is a trace without an error; an unsampled one is not recorded', async () => {
  const [refused, unrecorded] = [newTraceId(), newTraceId()];
  const ask = (traceId: string, flags: string) =>
    call(caller, '/entries/none', { headers: { traceparent: `00-${traceId}-${parentSpanId}-${flags}` } });
  await ask(unrecorded, '00');
  await ask(refused, '01');
  const [span] = (await findTrace(refused)).filter(({ kind }) => kind === 2);
  assert.equal(span?.attributes['http.response.status_code'], '404');
  assert.equal(span?.status, undefined);
  assert.ok(!collector.spans().some(({ traceId }) => traceId === unrecorded));
});

test('a request without traceparent begins a trace', async () => {
  const tracking = randomUUID();
  await call(caller, '/folders/-root-', { headers: { requesttrackingid: tracking, traceparent: 'nonsense' } });
  await untilSent(() => collector.spans().some(({ attributes }) => attributes['cabinet.tracking_id'] === tracking));
  const span = collector.spans().find(({ attributes }) => attributes['cabinet.tracking_id'] === tracking);
  assert.equal(span?.parentSpanId, undefined);
  assert.match(String(span?.traceId), /^[0-9a-f]{32}$/);
});

test('spans contain no ids, names, tokens, keys or queries', async () => {
  const { File } = await saveFile(caller, { FolderId: '', FileName: 'telltale-file' }, 'telltale-content');
  await download(caller, File.Id);
  const traceId = newTraceId();
  const headers = { traceparent: `00-${traceId}-${parentSpanId}-01` };
  await call(caller, '/search?q=telltale-query', { headers });
  await findTrace(traceId);
  const text = collector.requests.map((request) => request.text).join('');
  const { AppKey, Secret, RootFolderId } = caller.application;
  for (const sent of [AppKey, Secret, RootFolderId, File.Id, caller.token, 'telltale', 'app:traced', dataFolder]) {
    assert.ok(!text.includes(sent), sent);
  }
  for (const { path, contentType } of collector.requests) {
    assert.equal(path, '/v1/traces');
    assert.equal(contentType, 'application/json');
  }
});

test('a collector that does not answer slows nothing down, and lost spans are counted', async () => {
  collector.isSilent = true;
  try {
    const begunAt = performance.now();
    for (let round = 0; round < 30; round += 1) {
      await Promise.all(Array.from({ length: 100 }, () => call(caller, '/entries/none')));
    }
    assert.ok(performance.now() - begunAt < 90_000);
    const { body } = await send(service.production, '/metrics');
    assert.match(body.toString(), /^cabinet_trace_spans_total\{outcome="dropped"\} [1-9]/m);
    const stopping = performance.now();
    assert.equal(await service.stop(), 0);
    assert.ok(performance.now() - stopping < 30_000);
  } finally {
    collector.isSilent = false;
  }
});
