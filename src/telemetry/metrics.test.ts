import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMetrics, sumOf } from '../../test/service/prometheus.ts';
import { EnvironmentMetrics } from './environment-metrics.ts';
import { addUp, Registry } from './metrics.ts';

test('counters, gauges and histograms read as they were counted', () => {
  const registry = new Registry({ environment: 'test' });
  const counters = registry.counters('a_total', 'Things');
  counters({ kind: 'x' }).add();
  counters({ kind: 'x' }).add(2);
  counters({ kind: 'y' }).add();
  registry.read('gauge', 'b', 'Now', () => -1.5);
  const histogram = registry.histogram('c_seconds', 'Times', [0.1, 1]);
  for (const value of [0.05, 0.1, 0.5, 7]) histogram.observe(value);
  const read = readMetrics(registry.render());
  assert.equal(sumOf(read, 'a_total', { kind: 'x', environment: 'test' }), 3);
  assert.equal(sumOf(read, 'a_total'), 4);
  assert.equal(sumOf(read, 'b'), -1.5);
  const buckets = ['0.1', '1', '+Inf'].map((le) => sumOf(read, 'c_seconds_bucket', { le }));
  assert.deepEqual(buckets, [2, 3, 4], 'a bound belongs to its bucket');
  assert.equal(sumOf(read, 'c_seconds_sum'), 7.65);
  assert.equal(sumOf(read, 'c_seconds_count'), 4);
});

test('what cannot be read now is left out, with its name', () => {
  const registry = new Registry();
  registry.read('gauge', 'gone', 'Nothing to report', () => null);
  registry.read('gauge', 'there', 'Something', () => 1);
  assert.equal(registry.render(), '# HELP there Something\n# TYPE there gauge\nthere 1\n');
});

test('labels are escaped', () => {
  const registry = new Registry();
  const value = 'a "quoted" \\ value\nin two lines';
  registry.counters('a_total', 'Things')({ value }).add();
  assert.equal(sumOf(readMetrics(registry.render()), 'a_total', { value }), 1);
});

test('a request is counted by its route, its method and its status', () => {
  const { requests, registry } = new EnvironmentMetrics('production');
  const route = { method: 'GET', path: '/files/{id}' };
  requests.count(route, 'GET', 200, 0.004);
  requests.count(route, 'HEAD', 200, 0.004);
  requests.count(route, 'GET', 404, 0.2);
  requests.count(route, 'GET', 0, 0.2);
  requests.countUnrouted('BREW', 404);
  const read = readMetrics(registry.render());
  const count = (labels: Record<string, string>) => sumOf(read, 'cabinet_requests_total', labels);
  assert.equal(count({ route: '/files/{id}', method: 'GET', status: '200' }), 1);
  assert.equal(count({ route: '/files/{id}', method: 'HEAD', status: '200' }), 1);
  assert.equal(count({ route: '/files/{id}', status: 'aborted' }), 1);
  assert.equal(count({ route: 'none', method: 'other', status: '404' }), 1, 'what a client sends is no label');
  assert.equal(sumOf(read, 'cabinet_request_seconds_bucket', { route: '/files/{id}', le: '0.005' }), 2);
});

const parts = {
  freeBytes: () => null,
  pool: () => ({ total: 5, idle: 3, waiting: 7 }),
  isReady: () => true,
  isReadyToWrite: () => true,
  largeBodies: () => 0,
  bodyMemory: () => 0,
  archives: () => 0,
};

test('parts that do not answer delay no scrape, and the rest is still reported', async () => {
  const metrics = new EnvironmentMetrics('production');
  metrics.open({ ...parts, poll: () => new Promise(() => undefined) });
  const read = readMetrics(await metrics.render());
  assert.equal(sumOf(read, 'cabinet_postgres_connections', { state: 'used' }), 2);
  assert.equal(sumOf(read, 'cabinet_postgres_waiting'), 7);
  assert.ok(!read.has('cabinet_journal_position'));
  assert.ok(!read.has('cabinet_disk_free_bytes'), 'there is no disk of ours');
});

test('parts are polled once for many scrapes, and not when they are closed', async () => {
  const metrics = new EnvironmentMetrics('production');
  let polls = 0;
  const search = { documents: 4, behind: 3, waiting: 2, skipped: 1 };
  metrics.open({ ...parts, poll: async () => ({ search, journalPosition: ++polls }) });
  await metrics.render();
  const read = readMetrics(await metrics.render());
  assert.equal(sumOf(read, 'cabinet_journal_position'), 1);
  assert.equal(sumOf(read, 'cabinet_search_behind'), 3);
  metrics.close();
  assert.ok(!readMetrics(await metrics.render()).has('cabinet_journal_position'));
  assert.equal(polls, 1);
});

test('the metrics of several threads are added up, series by series', () => {
  const make = (saves: number, seconds: number, path: string) => {
    const registry = new Registry({ environment: 'test' });
    registry.counters('saves_total', 'Saves')({ path }).add(saves);
    registry.histogram('seconds', 'Times', [1, 10]).observe(seconds);
    return registry.render();
  };
  const alone = new Registry();
  alone.read('gauge', 'ready', 'Only the first says so', () => 1);
  const read = readMetrics(addUp([alone.render() + make(1, 0.5, '/a'), make(2, 5, '/a'), make(4, 50, '/b b')]));
  assert.equal(sumOf(read, 'saves_total', { path: '/a', environment: 'test' }), 3);
  assert.equal(sumOf(read, 'saves_total', { path: '/b b' }), 4);
  const buckets = ['1', '10', '+Inf'].map((le) => sumOf(read, 'seconds_bucket', { le }));
  assert.deepEqual(buckets, [1, 2, 3]);
  assert.equal(sumOf(read, 'seconds_sum'), 55.5);
  assert.equal(sumOf(read, 'ready'), 1);
});
