import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfig } from './config.ts';
import { ConfigMistakes } from './config-mistakes.ts';
import type { settings } from './settings.ts';

function mistakesOf(variables: Record<string, string>): readonly string[] {
  try {
    readConfig(variables);
  } catch (error) {
    if (error instanceof ConfigMistakes) return error.mistakes;
    throw error;
  }
  return [];
}

test('nothing needs to be configured', () => {
  const config = readConfig({});
  assert.equal(config.production.port, 8080);
  assert.equal(config.test.port, 8081);
  assert.equal(config.inlineBytes, 64 * 1024);
  assert.equal(config.maxFileBytes, 5 * 1024 ** 4);
});

test('a mistake in any setting is reported with its name', () => {
  const wrong: Partial<Record<keyof typeof settings, string>> = {
    CABINET_PORT: '70000',
    CABINET_TEST_PORT: 'x',
    CABINET_MTLS_PORT: '-1',
    CABINET_PUBLIC_URL: 'ftp://x',
    CABINET_TEST_PUBLIC_URL: 'x',
    CABINET_ID_TOKEN_ALGORITHM: 'none',
    CABINET_CORS_ORIGINS: 'https://a.example/path',
    CABINET_TLS_CERT: '/only/one',
    CABINET_CATALOG: 'mysql:',
    CABINET_BLOBS: 'ftp:',
    CABINET_NAMES: 'none',
    CABINET_INLINE_LIMIT: '2MiB',
    CABINET_MAX_FILE_SIZE: '5 apples',
    CABINET_RESERVE: '-1',
    CABINET_HTTP_THREADS: 'many',
    CABINET_MAX_CONNECTIONS: '0',
    CABINET_DRAIN_SECONDS: '-1',
    CABINET_OFFICE_CONVERTER: 'soffice',
    CABINET_PREVIEW_CACHE: 'much',
    CABINET_UPLOAD_HOURS: 'soon',
    CABINET_METRICS: 'everyone',
    CABINET_METRICS_TOKEN: 'short',
    CABINET_OTLP_ENDPOINT: 'collector:4318',
    CABINET_OTLP_SHARE: '2',
    CABINET_ACCESS_LOG: 'maybe',
    CABINET_LOG_LEVEL: 'loud',
  };
  const reported = mistakesOf(wrong).map((mistake) => mistake.split(':')[0]);
  assert.deepEqual(reported.sort(), Object.keys(wrong).sort());
});

test('a public address may have a path, in which nothing is encoded or resolved', () => {
  for (const url of [
    'https://a.example',
    'https://a.example:8443/',
    'http://[::1]:80/a',
    'https://a.example/a-b/c.d_e~1/',
  ]) {
    assert.equal(readConfig({ CABINET_PUBLIC_URL: url }).production.publicUrl, url.replace(/\/$/, ''));
  }
  for (const path of ['a b', 'a%20b', 'ä', '../a', 'a/./b', 'a/..', '/a', 'a//b', 'a;b', 'a"b']) {
    const mistakes = mistakesOf({ CABINET_PUBLIC_URL: `https://a.example/${path}` });
    assert.match(mistakes.join(), /^CABINET_PUBLIC_URL: .* its path can have/, path);
  }
});

test('HTTP threads are as many as is said, or by the cores; with PostgreSQL it is one', () => {
  assert.equal(readConfig({ CABINET_HTTP_THREADS: '3' }).httpThreads, 3);
  const { httpThreads } = readConfig({});
  assert.ok(httpThreads >= 1 && httpThreads <= 4 && httpThreads <= Math.max(1, availableParallelism() / 2));
  const postgres = { CABINET_CATALOG: 'postgres://localhost/cabinet' };
  assert.equal(readConfig(postgres).httpThreads, 1);
  assert.match(mistakesOf({ ...postgres, CABINET_HTTP_THREADS: '2' }).join(), /CABINET_HTTP_THREADS: .*more nodes/);
  assert.match(mistakesOf({ CABINET_HTTP_THREADS: '65' }).join(), /CABINET_HTTP_THREADS: 65 is more than 64/);
});

test('beyond loopback, plain HTTP must be enabled explicitly', () => {
  assert.match(mistakesOf({ CABINET_HOST: '0.0.0.0' }).join(), /CABINET_ALLOW_PLAIN_HTTP/);
  assert.match(mistakesOf({ CABINET_HOST: '127.0.0.1.example' }).join(), /CABINET_ALLOW_PLAIN_HTTP/);
  for (const host of ['127.0.0.2', '::1', 'localhost']) assert.deepEqual(mistakesOf({ CABINET_HOST: host }), []);
  assert.deepEqual(mistakesOf({ CABINET_HOST: '0.0.0.0', CABINET_ALLOW_PLAIN_HTTP: 'yes' }), []);
  assert.deepEqual(mistakesOf({ CABINET_HOST: '0.0.0.0', CABINET_TLS_CERT: 'c', CABINET_TLS_KEY: 'k' }), []);
});

test('a misspelt setting is a mistake, in the environment and in the file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-config-'));
  const path = join(folder, 'cabinet.conf');
  writeFileSync(path, 'CABINET_PROT=1\nCABINET_NAMES=portable\nPATH=/elsewhere\n');
  assert.deepEqual(mistakesOf({ CABINET_CONFIG: path, CABINET_HOTS: 'x', CABINET_URL: 'of clients', HOME: '/' }), [
    'CABINET_HOTS (environment) is not a setting',
    `CABINET_PROT (${path}) is not a setting`,
  ]);
  rmSync(folder, { recursive: true });
  assert.match(mistakesOf({ CABINET_CONFIG: '/does/not/exist' }).join(), /CABINET_CONFIG/);
});

test('a wrong port is refused with what the setting accepts', () => {
  assert.deepEqual(mistakesOf({ CABINET_PORT: '99999', CABINET_TEST_PORT: 'x' }), [
    'CABINET_PORT: "99999" is not a port (0 to 65535)',
    'CABINET_TEST_PORT: "x" is not a port (0 to 65535, or off)',
  ]);
});

test('metrics are for this machine, for who has the token, for all or for nobody', () => {
  const token = 'a-token-of-twenty-and-more';
  assert.equal(readConfig({}).telemetry.metrics, 'loopback');
  assert.deepEqual(readConfig({ CABINET_METRICS_TOKEN: token }).telemetry.metrics, { token });
  assert.equal(readConfig({ CABINET_METRICS: 'open' }).telemetry.metrics, 'open');
  assert.match(mistakesOf({ CABINET_METRICS_TOKEN: token, CABINET_METRICS: 'open' }).join(), /CABINET_METRICS_TOKEN/);
});

test('settings are shown as they are in force, without what is secret in them', () => {
  const { settings } = readConfig({
    CABINET_METRICS_TOKEN: 'a-secret-of-twenty-characters',
    CABINET_CATALOG: 'postgres://me:hush@database.example/cabinet?sslmode=require&password=hush&sslkey=hush',
    CABINET_TRASH_DAYS: '7',
  });
  const shown = Object.fromEntries(settings.map((one) => [one.name, one]));
  assert.equal(shown.CABINET_METRICS_TOKEN?.value, '…');
  assert.equal(
    shown.CABINET_CATALOG?.value,
    'postgres://me:…@database.example/cabinet?sslmode=require&password=…&sslkey=…',
  );
  assert.deepEqual([shown.CABINET_TRASH_DAYS?.value, shown.CABINET_TRASH_DAYS?.isDefault], ['7', false]);
  assert.deepEqual([shown.CABINET_NAMES?.value, shown.CABINET_NAMES?.isDefault], ['any', true]);
});

test('the contact for security.txt is a mail or https address', () => {
  assert.equal(readConfig({ CABINET_SECURITY_CONTACT: 'mailto:a@b.example' }).securityContact, 'mailto:a@b.example');
  assert.equal(readConfig({}).securityContact, null);
  for (const wrong of ['a@b.example', 'http://b.example', 'mailto:a@b\nExpires: 2000']) {
    assert.throws(() => readConfig({ CABINET_SECURITY_CONTACT: wrong }), /CABINET_SECURITY_CONTACT/);
  }
});

test('what agents may do is set for each environment, and less for single spaces', () => {
  assert.deepEqual(readConfig({ CABINET_MCP: 'read' }).mcp, { production: 'read', test: 'read' });
  assert.deepEqual(readConfig({ CABINET_TEST_MCP: 'off' }).mcp, { production: 'on', test: 'off' });
  assert.match(mistakesOf({ CABINET_TEST_MCP: 'no' }).join(), /CABINET_TEST_MCP: "no" is not one of on, read, off/);
  const [one, other] = ['0199b7c2-8d1e-7a64-b0f5-2c91e7d3a801', '0199b7c2-9a40-7c11-8e02-51d6aa90f3b2'];
  const { mcpSpaces } = readConfig({ CABINET_MCP_SPACES: ` ${one}=read,${other.toUpperCase()}=OFF ` });
  assert.deepEqual(
    [...mcpSpaces],
    [
      [one, 'read'],
      [other, 'off'],
    ],
  );
  assert.equal(readConfig({}).mcpSpaces.size, 0);
  for (const wrong of [one, `${one}=on`, 'backoffice=off', `=off`, `${one}=`])
    assert.match(
      mistakesOf({ CABINET_MCP_SPACES: wrong }).join(),
      /CABINET_MCP_SPACES: .* is not the id of a space/,
      wrong,
    );
});
