// The OpenAPI description, its page, health and metrics (docs/contract.md §10.14 and §10.15): without credentials, the same
// in both environments except for the address.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMetrics } from '../service/prometheus.ts';
import { assertRefusal } from './assertions.ts';
import { CONTENT, send } from './client.ts';
import { target } from './target.ts';

const { Production, Test } = target();

for (const [name, base] of Object.entries({ production: Production, test: Test })) {
  test(`The description of ${name} has every documented operation and its own address`, async () => {
    const answer = await send(base, '/openapi.json');
    assert.equal(answer.status, 200);
    const { openapi, servers, paths } = JSON.parse(answer.body.toString());
    assert.equal(openapi, '3.1.0');
    assert.match(servers[0].url, /^https?:\/\/[^/]+$/);
    assert.equal(paths[`${CONTENT}/folders`].post.operationId, 'FoldersPOST');
    assert.equal(paths[`${CONTENT}/files`].post.operationId, 'SaveFilesPost');
  });

  test(`The page of ${name} loads nothing from other hosts and allows no inline content`, async () => {
    const page = await send(base, '/docs');
    assert.equal(page.status, 200);
    assert.match(String(page.headers['content-type']), /^text\/html/);
    const policy = String(page.headers['content-security-policy']);
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /unsafe|http|\*/);
    const html = page.body.toString();
    assert.doesNotMatch(html, /<style|style=|<script(?![^>]*src=)|\son\w+=|https?:/);
    const files = [...html.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map(([, path]) => path as string);
    assert.ok(files.length >= 3);
    for (const path of new Set(files)) {
      const file = await send(base, `/${path}`);
      assert.equal(file.status, 200, path);
      assert.equal(file.headers['x-content-type-options'], 'nosniff');
    }
  });
}

test('A browser that has cached the page gets 304', async () => {
  for (const path of ['/docs', '/docs/page.js']) {
    const { headers } = await send(Production, path);
    assert.equal(headers['cache-control'], 'no-cache');
    const again = await send(Production, path, { headers: { 'If-None-Match': String(headers.etag) } });
    assert.equal(again.status, 304);
    assert.equal(again.body.length, 0);
    const other = await send(Production, path, { headers: { 'If-None-Match': '"another"' } });
    assert.equal(other.status, 200);
  }
});

test('Other files are not served through the page', async () => {
  for (const name of [
    'nothing.js',
    '..',
    '..%2Froute.ts',
    '%2e%2e%2froute.ts',
    'constructor',
    '__proto__',
    'page.js%00',
  ]) {
    assertRefusal(await send(Production, `/docs/${name}`), 404, 'RouteNotFound');
  }
  assertRefusal(await send(Production, '/docs/'), 404, 'RouteNotFound');
});

test('The page only takes GET and HEAD', async () => {
  for (const method of ['POST', 'PUT', 'DELETE']) {
    const answer = await send(Production, '/docs', { method });
    assertRefusal(answer, 404, 'MethodNotAllowed');
    assert.equal(answer.headers.allow, 'GET, HEAD');
  }
});

test('Health needs no credentials', async () => {
  for (const base of [Production, Test]) {
    assert.equal((await send(base, '/health/live')).body.toString(), '{"Status":"live"}');
    assert.equal((await send(base, '/health/ready')).body.toString(), '{"Status":"ready"}');
    assert.equal((await send(base, '/health/ready/write')).body.toString(), '{"Status":"ready"}');
  }
});

test('Metrics are in Prometheus format, separate per environment, and refused through a proxy', async () => {
  for (const [name, base] of Object.entries({ production: Production, test: Test })) {
    const answer = await send(base, '/metrics');
    // By default they are for the machine that the service runs on; the suite may run elsewhere.
    if (answer.status !== 200) {
      assert.ok([401, 403].includes(answer.status));
      continue;
    }
    assert.equal(answer.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
    const families = readMetrics(answer.body.toString());
    const environments = families.get('cabinet_ready')?.samples.map(({ labels }) => labels.environment);
    assert.deepEqual(environments, [name]);
    const headers = { 'X-Forwarded-For': '127.0.0.1' };
    assertRefusal(await send(base, '/metrics', { headers }), 403, 'Forbidden');
  }
});
