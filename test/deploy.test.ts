// The files in deploy/: what they name is there, and the programs that they are for take them.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { settings } from '../src/config/settings.ts';
import { EnvironmentMetrics } from '../src/telemetry/environment-metrics.ts';
import { openProcessMetrics } from '../src/telemetry/process-metrics.ts';
import { skipWithout } from './service/programs.ts';
import { type ReadFamily, readMetrics } from './service/prometheus.ts';

const root = resolve(import.meta.dirname, '..');
const deploy = join(root, 'deploy');
const files = readdirSync(deploy, { recursive: true, encoding: 'utf8' }).filter((name) =>
  /\.\w+$|Dockerfile$/.test(name),
);

function read(name: string): string {
  return readFileSync(join(deploy, name), 'utf8');
}

/** All that `/metrics` can tell, on whatever engines. */
async function listMetrics(): Promise<Map<string, ReadFamily>> {
  const ofProcess = openProcessMetrics({ version: '1', catalog: 'postgres', blobs: 's3' });
  ofProcess.close();
  const metrics = new EnvironmentMetrics('production');
  const search = { documents: 0, behind: 0, waiting: 0, skipped: 0 };
  metrics.open({
    freeBytes: () => 1,
    pool: () => ({ total: 1, idle: 1, waiting: 0 }),
    isReady: () => true,
    isReadyToWrite: () => true,
    largeBodies: () => 0,
    bodyMemory: () => 0,
    archives: () => 0,
    poll: async () => ({ search, journalPosition: 1 }),
  });
  metrics.watchUploads({ usedBytes: 0 });
  metrics.countSweep(true, 1);
  metrics.setScrub(1, 0);
  metrics.requests.count({ method: 'GET', path: '/' }, 'GET', 200, 1);
  const spans = '# HELP cabinet_trace_spans_total Spans\n# TYPE cabinet_trace_spans_total counter\n';
  return readMetrics(
    `${ofProcess.registry.render()}${await metrics.render()}${spans}cabinet_trace_spans_total{outcome="sent"} 1\n`,
  );
}

const known = await listMetrics();

function findFamily(name: string): ReadFamily | undefined {
  const family = known.get(name.replace(/_(bucket|sum|count)$/, ''));
  return known.get(name) ?? (family?.type === 'histogram' ? family : undefined);
}

/** What Prometheus adds to every series. */
const added = ['instance', 'job'];

/** Names of metrics in an expression, each with the labels that it is chosen by. */
function readNamed(expression: string): { name: string; labels: string[] }[] {
  const named = expression.matchAll(/\b((?:cabinet|process)_\w+)(?:\{([^}]*(?:\{\w+\}[^}]*)*)\})?/g);
  return Array.from(named, ([, name, inside = '']) => ({
    name: name as string,
    labels: Array.from(inside.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g), ([, label]) => label as string),
  }));
}

function assertKnown(expression: string): number {
  const named = readNamed(expression);
  for (const { name, labels } of named) {
    const family = findFamily(name);
    assert.ok(family !== undefined, `${name} is in no /metrics: ${expression}`);
    const known = new Set([...added, ...family.samples.flatMap((sample) => Object.keys(sample.labels))]);
    for (const label of labels) assert.ok(known.has(label), `${name} has no label ${label}: ${expression}`);
  }
  return named.length;
}

interface Panel {
  title: string;
  targets?: { expr: string }[];
}

test('every metric and label on the dashboard exists in /metrics, and all of them are on it', () => {
  const { panels } = JSON.parse(read('grafana-dashboard.json')) as { panels: Panel[] };
  const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  assert.ok(expressions.length > 30);
  for (const expression of expressions) assert.ok(assertKnown(expression) > 0, expression);
  const shown = new Set(expressions.flatMap(readNamed).map(({ name }) => findFamily(name)?.name));
  const missing = [...known.keys()].filter((name) => !shown.has(name) && name !== 'process_start_time_seconds');
  assert.deepEqual(missing, []);
});

test('every metric in the alerts exists in /metrics', () => {
  assert.ok(assertKnown(read('prometheus-alerts.yaml')) > 10);
});

test('every metric is documented with its kind, and nothing else is documented', () => {
  const monitoring = readFileSync(join(root, 'docs/monitoring.md'), 'utf8');
  const documented = Array.from(
    monitoring.matchAll(/^\| `((?:cabinet|process)_\w+)` \| (\w+) \|/gm),
    ([, name, type]) => [name, type],
  );
  const there = Array.from(known.values(), ({ name, type }) => [name, type]);
  assert.deepEqual(documented.toSorted(), there.toSorted());
});

/** Variables of the files themselves. */
const ownVariables = /^CABINET_((MTLS|TEST)_)?(BIND|NODE(_\d)?)$/;

test('every setting that a file names exists', () => {
  const named = files.flatMap((name) => read(name).match(/CABINET_[A-Z0-9_]+/g) ?? []);
  assert.ok(named.length > 30);
  const wrong = named
    .map((name) => name.replace(/_$/, ''))
    .filter((name) => !(name in settings) && !ownVariables.test(name));
  assert.deepEqual(wrong, []);
});

test('every file that the image copies exists, and the manifests run this release', () => {
  const copied = Array.from(read('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm), ([, sources]) =>
    String(sources).split(' '),
  );
  assert.ok(copied.length >= 4);
  for (const path of copied.flat()) assert.ok(existsSync(join(root, path)), path);
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  assert.match(read('kubernetes/kustomization.yaml'), new RegExp(`newTag: "${version}"`));
});

function run(program: string, words: string[], variables: NodeJS.ProcessEnv = {}): void {
  const { status, stdout, stderr } = spawnSync(program, words, {
    encoding: 'utf8',
    env: { ...process.env, ...variables },
  });
  assert.equal(status, 0, `${program} ${words.join(' ')}: ${stdout}${stderr}`);
}

test('HAProxy accepts its configuration, with and without the mutual-TLS and the test address', {
  skip: skipWithout('haproxy'),
}, () => {
  const nodes = [1, 2, 3].flatMap((number) => [
    [`CABINET_NODE_${number}`, `127.0.0.1:${8080 + number}`],
    [`CABINET_MTLS_NODE_${number}`, `127.0.0.1:${8443 + number}`],
    [`CABINET_TEST_NODE_${number}`, `127.0.0.1:${8180 + number}`],
  ]);
  const variables = {
    CABINET_BIND: '127.0.0.1:9080 name plain',
    CABINET_MTLS_BIND: '127.0.0.1:9443',
    CABINET_TEST_BIND: '127.0.0.1:9081 name test',
    ...Object.fromEntries(nodes),
  };
  const words = ['-c', '-f', join(deploy, 'haproxy.cfg')];
  run('haproxy', words, variables);
  run('haproxy', [...words, '-f', join(deploy, 'haproxy-mutual-tls.cfg')], variables);
  run('haproxy', [...words, '-f', join(deploy, 'haproxy-test.cfg')], variables);
});

test('yamllint reports nothing', { skip: skipWithout('yamllint') }, () => {
  const rules = '{line-length: {max: 180}, document-start: disable, comments: {min-spaces-from-content: 1}}';
  run('yamllint', ['--strict', '-d', `{extends: default, rules: ${rules}}`, deploy]);
});

const mostExposed = 2;

test('systemd accepts the unit and rates its exposure as low', {
  skip: skipWithout('systemd-analyze'),
}, (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-unit-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const unit = join(folder, 'cabinet.service');
  // The release is not installed here.
  writeFileSync(unit, read('cabinet.service').replace('/opt/cabinet/bin/cabinet', join(root, 'bin/cabinet')));
  run('systemd-analyze', ['verify', unit]);
  const { stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', unit], { encoding: 'utf8' });
  const [, exposure] = /Overall exposure level for cabinet\.service: ([\d.]+)/.exec(stdout) ?? [];
  assert.ok(Number(exposure) < mostExposed, `exposure ${exposure}`);
});

test('the Kubernetes manifests trust no proxy until an operator names one', () => {
  const text = readFileSync(join(import.meta.dirname, '../deploy/kubernetes/configuration.yaml'), 'utf8');
  assert.match(text, /^ {2}CABINET_PROXIES: ""$/m);
});
