// `/metrics` of the real service: the format, what is counted, who may read it, and that nothing private is in it.

import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { after, before, test } from 'node:test';
import { assertRefusal } from '../interface/assertions.ts';
import { type Caller, call, download, fetchToken, saveFile, send } from '../interface/client.ts';
import { cabinetJson } from './here.ts';
import { type ReadFamily, readMetrics, sumOf } from './prometheus.ts';
import {
  addCaller,
  eventually,
  makeDataFolder,
  type Registered,
  removeDataFolder,
  type Started,
  startService,
} from './service.ts';
import { startServiceHere } from './service-here.ts';

const dataFolder = makeDataFolder();
let service: Started;
let caller: Caller;

before(async () => {
  service = await startService(dataFolder, { environment: { CABINET_TEST_PORT: '0', CABINET_MTLS_PORT: '0' } });
  caller = await addCaller(dataFolder, service.production, 'counted');
});
after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

async function scrape(base = service.production): Promise<Map<string, ReadFamily>> {
  const { status, headers, body } = await send(base, '/metrics');
  assert.equal(status, 200, body.toString());
  assert.equal(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
  return readMetrics(body.toString());
}

function openSocket(): Socket {
  const { hostname, port } = new URL(service.production);
  return connect(Number(port), hostname).on('error', () => undefined);
}

/** An answer is counted when it is over, which is a moment after it was read. */
async function scrapeUntil(holds: (read: Map<string, ReadFamily>) => boolean): Promise<Map<string, ReadFamily>> {
  let read = await scrape();
  await eventually('it is counted', async () => {
    read = await scrape();
    return holds(read);
  });
  return read;
}

const files = '/v1/contentmanagement/files';
const requests = (read: Map<string, ReadFamily>, labels: Record<string, string>) =>
  sumOf(read, 'cabinet_requests_total', labels);

test('requests are counted and timed by route, method and status', async () => {
  const earlier = await scrape();
  const saved = await saveFile(caller, { FolderId: '', FileName: 'a.txt' }, 'hello');
  await download(caller, saved.File.Id);
  await call(caller, `/files/${randomUUID()}/content`);
  await call(caller, `/files/${saved.File.Id}/content`, { method: 'HEAD' });
  await send(service.production, '/nowhere/at/all');
  const content = `${files}/{id}/content`;
  const read = await scrapeUntil(
    (now) =>
      requests(now, { route: 'none' }) > requests(earlier, { route: 'none' }) && requests(now, { route: content }) >= 3,
  );
  const grown = (labels: Record<string, string>) => requests(read, labels) - requests(earlier, labels);
  assert.equal(grown({ route: files, method: 'POST', status: '200' }), 1);
  assert.equal(grown({ route: content, method: 'GET', status: '200' }), 1);
  assert.equal(grown({ route: content, method: 'GET', status: '404' }), 1);
  assert.equal(grown({ route: content, method: 'HEAD', status: '200' }), 1);
  assert.equal(grown({ route: 'none', method: 'GET', status: '404' }), 1);
  const times = (end: string) => sumOf(read, `cabinet_request_seconds_${end}`, { route: files, method: 'POST' });
  assert.ok(times('count') >= 1);
  assert.ok(times('sum') > 0 && times('sum') < times('count') * 10);
});

test('saves are counted, small and large, with their bytes, batches and blobs', async () => {
  const earlier = await scrape();
  await saveFile(caller, { FolderId: '', FileName: 'small' }, randomBytes(1000));
  const { File } = await saveFile(caller, { FolderId: '', FileName: 'large' }, randomBytes(200_000));
  await download(caller, File.Id);
  const read = await scrapeUntil((now) => sumOf(now, 'cabinet_blob_opens_total') > 0);
  const grown = (name: string, labels?: Record<string, string>) =>
    sumOf(read, name, labels) - sumOf(earlier, name, labels);
  assert.equal(grown('cabinet_saves_total', { kind: 'inline' }), 1);
  assert.equal(grown('cabinet_saves_total', { kind: 'blob' }), 1);
  assert.equal(grown('cabinet_saved_bytes_total', { kind: 'inline' }), 1000);
  assert.equal(grown('cabinet_saved_bytes_total', { kind: 'blob' }), 200_000);
  assert.equal(grown('cabinet_blob_puts_total', { outcome: 'stored' }), 1);
  assert.equal(grown('cabinet_blob_put_bytes_total'), 200_000);
  assert.ok(grown('cabinet_blob_open_bytes_total') >= 200_000);
  assert.ok(grown('cabinet_catalog_batch_writes_sum') >= 2);
  assert.ok(grown('cabinet_catalog_batch_seconds_sum') > 0);
  assert.ok(grown('cabinet_received_bytes_total') > 201_000);
  assert.ok(grown('cabinet_sent_bytes_total') > 200_000);
});

test('requests refused before their body, and malformed ones, are counted too', async () => {
  const earlier = await scrape();
  const body = randomBytes(500_000);
  assertRefusal(await send(service.production, files, { method: 'POST', body }), 401, 'TokenMissing');
  openSocket().end('this is not HTTP\r\n\r\n');
  const refused = (now: Map<string, ReadFamily>) => requests(now, { route: files, status: '401' });
  const isNone = { route: 'none', method: 'other', status: '400' };
  const read = await scrapeUntil((now) => requests(now, isNone) > 0 && refused(now) > refused(earlier));
  assert.equal(refused(read) - refused(earlier), 1);
});

test('a client that disconnects before its response is counted as such', async () => {
  const socket = openSocket();
  const head = `POST ${files} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${caller.token}\r\nAppKey: ${caller.application.AppKey}`;
  socket.write(`${head}\r\nFileName: cut\r\nContent-Length: 1000\r\n\r\nhalf`);
  await eventually('it is under way', async () => sumOf(await scrape(), 'cabinet_requests_in_progress') >= 2);
  socket.destroy();
  await scrapeUntil((now) => requests(now, { route: files, status: 'aborted' }) === 1);
});

test('every part of the service has metrics with plausible values', async () => {
  const read = await scrape();
  const [build] = read.get('cabinet_build_info')?.samples ?? [];
  assert.deepEqual(
    { catalog: build?.labels.catalog, blobs: build?.labels.blobs },
    { catalog: 'sqlite', blobs: 'file' },
  );
  assert.match(String(build?.labels.version), /^\d+\.\d+\.\d+/);
  const value = (name: string) => sumOf(read, name);
  assert.ok(value('process_resident_memory_bytes') > 10_000_000);
  assert.ok(value('process_cpu_seconds_total') > 0);
  assert.ok(Math.abs(value('process_start_time_seconds') + value('cabinet_uptime_seconds') - Date.now() / 1000) < 10);
  assert.ok(value('process_open_fds') > 10);
  assert.ok(value('cabinet_connections_open') >= 1);
  assert.ok(value('cabinet_requests_in_progress') >= 1, 'the one that asks');
  assert.ok(value('cabinet_disk_free_bytes') > 0);
  assert.equal(value('cabinet_ready'), 1);
  assert.ok(value('cabinet_journal_position') >= 1);
  assert.ok(value('cabinet_sweep_last_timestamp_seconds') > Date.now() / 1000 - 3600);
  assert.equal(value('cabinet_sweeps_total'), 1);
  for (const name of ['behind', 'waiting', 'skipped', 'documents']) assert.ok(read.has(`cabinet_search_${name}`), name);
  for (const stat of ['p50', 'p99', 'max']) {
    assert.ok(sumOf(read, 'cabinet_event_loop_delay_seconds', { stat }) < 60);
  }
  assert.ok(!read.has('cabinet_postgres_connections'), 'there is no PostgreSQL here');
});

test('an address has metrics of its own environment only', async () => {
  const labels = async (base: string) => {
    const all = [...(await scrape(base)).values()].flatMap(({ samples }) => samples);
    return [...new Set(all.map((sample) => sample.labels.environment))].filter(Boolean);
  };
  assert.deepEqual(await labels(service.production), ['production']);
  assert.deepEqual(await labels(String(service.test)), ['test']);
});

test('metrics contain nothing that a client sent or that identifies anybody', async () => {
  const registered = await cabinetJson<Registered>(dataFolder, ['app', 'add', 'telltale-name']);
  const application = { Name: 'telltale-name', ...registered };
  const teller = { base: service.production, application, token: await fetchToken(service.production, application) };
  const { File } = await saveFile(teller, { FolderId: '', FileName: 'telltale-file.txt' }, 'telltale-content');
  await call(teller, `/search?q=telltale-query`);
  await call(teller, `/entries/${File.Id}`, { method: 'MKCOL' });
  await send(service.production, `/telltale-path/${File.Id}`);
  const { body } = await send(service.production, '/metrics');
  const text = body.toString();
  const secrets = [registered.AppKey, registered.Secret, registered.RootFolderId, File.Id, teller.token];
  for (const sent of [...secrets, 'telltale', 'MKCOL', dataFolder]) assert.ok(!text.includes(sent), sent);
  assert.doesNotMatch(text, /[0-9a-f]{8}-[0-9a-f]{4}-/, 'an id');
});

test('the number of series is bounded by the table of routes, whatever clients request', async () => {
  const count = async () => [...(await scrape()).values()].reduce((sum, { samples }) => sum + samples.length, 0);
  const before = await count();
  for (let index = 0; index < 50; index += 1) {
    await call(caller, `/entries/${randomUUID()}`);
    await send(service.production, `/${randomUUID()}`, { method: `M${index}` });
  }
  assert.ok((await count()) - before < 30, 'one route, one status, one "other"');
});

test('requests through a proxy and from other machines are refused', async () => {
  for (const headers of [
    { 'X-Forwarded-For': '127.0.0.1' },
    { Forwarded: 'for=127.0.0.1' },
    { Via: '1.1 proxy' },
    { 'X-Real-IP': '127.0.0.1' },
  ]) {
    assertRefusal(await send(service.production, '/metrics', { headers }), 403, 'Forbidden');
  }
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === 'IPv4' && !address.internal)?.address;
  if (outside === undefined) return;
  const environment = { CABINET_HOST: '0.0.0.0', CABINET_ALLOW_PLAIN_HTTP: 'yes' } as const;
  await withService(environment, async ({ production }) => {
    const { port } = new URL(production);
    assertRefusal(await send(`http://${outside}:${port}`, '/metrics'), 403, 'Forbidden');
    assert.equal((await send(`http://127.0.0.1:${port}`, '/metrics')).status, 200);
  });
});

test('with a configured token, only requests with it are served, from anywhere', async () => {
  const token = randomBytes(24).toString('base64url');
  await withService({ CABINET_METRICS_TOKEN: token }, async ({ production }) => {
    const ask = (headers: Record<string, string>) => send(production, '/metrics', { headers });
    const missing = await ask({});
    assertRefusal(missing, 401, 'TokenMissing');
    assert.match(String(missing.headers['www-authenticate']), /^Bearer/);
    for (const wrong of [`${token}x`, token.slice(1), token.toUpperCase()]) {
      assertRefusal(await ask({ Authorization: `Bearer ${wrong}` }), 401, 'TokenInvalid');
    }
    assertRefusal(await ask({ Authorization: `Basic ${token}` }), 401, 'TokenInvalid');
    const right = { Authorization: `Bearer ${token}`, 'X-Forwarded-For': '192.0.2.1' };
    assert.equal((await ask(right)).status, 200);
  });
});

test('metrics can be open to all, or switched off', async () => {
  const forwarded = { headers: { 'X-Forwarded-For': '192.0.2.1' } };
  await withService({ CABINET_METRICS: 'open' }, async ({ production }) => {
    assert.equal((await send(production, '/metrics', forwarded)).status, 200);
  });
  await withService({ CABINET_METRICS: 'off' }, async ({ production }) => {
    assertRefusal(await send(production, '/metrics'), 403, 'Forbidden');
  });
});

async function withService(
  environment: Record<`CABINET_${string}`, string>,
  work: (started: { production: string }) => Promise<void>,
): Promise<void> {
  const folder = makeDataFolder();
  const started = await startServiceHere(folder, { environment });
  try {
    await work(started);
  } finally {
    await started.stop();
    removeDataFolder(folder);
  }
}
