// The quick start of the README type-checks, and missing options are named.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { applicationToken, connect, personToken } from '../src/cabinet.ts';
import { standOnService } from './ground.ts';
import { root, run } from './package.ts';

const readme = readFileSync(join(root, 'sdk/README.md'), 'utf8');
const [, quickStart = ''] = /```ts\n(\/\/ quick-start\.ts\n.*?)```/s.exec(readme) ?? [];
const ground = await standOnService({});

test('the quick start type-checks and runs', async (context) => {
  const cache = join(root, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'quick-start-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    target: 'es2023',
    module: 'nodenext',
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
    allowImportingTsExtensions: true,
    skipLibCheck: true,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['quick-start.mts'] }));
  writeFileSync(join(folder, 'quick-start.mts'), quickStart);
  const checked = await run(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { cwd: root, env: process.env });
  assert.equal(checked.status, 0, checked.stdout);
  writeFileSync(join(folder, 'quick-start.mts'), quickStart.replace('file.Size', 'file.Sise'));
  const wrong = await run(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { cwd: root, env: process.env });
  assert.match(wrong.stdout, /Sise/);
  const { AppKey, Secret } = ground.application;
  // Node strips no types beneath node_modules; the quick start has none to strip.
  writeFileSync(
    join(folder, 'quick-start.mjs'),
    quickStart.replace('http://127.0.0.1:8080', ground.service.production),
  );
  const env = { ...process.env, APP_KEY: AppKey, APP_SECRET: Secret };
  const { status, stdout, stderr } = await run(process.execPath, ['quick-start.mjs'], { cwd: folder, env });
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^[0-9a-f-]{32,36} 5 Hello\n$/);
});

test('missing options are named', () => {
  const token = async () => 'token';
  const url = 'https://cabinet.example';
  // As programs without types call it.
  const untyped = connect as (options?: object) => unknown;
  for (const [options, message] of [
    [undefined, /^connect needs url, an http or https address: undefined$/],
    [{}, /^connect needs url, an http or https address: undefined$/],
    [
      { url: 'cabinet.example', appKey: 'ak', token },
      /^connect needs url, an http or https address: cabinet\.example$/,
    ],
    [{ url, token }, /^connect needs appKey$/],
    [{ url, appKey: '', token }, /^connect needs appKey$/],
    [{ url, appKey: 'ak' }, /^connect needs token, such as applicationToken/],
    [{ url, appKey: 'ak', token: 'ey…' }, /^connect needs token/],
  ] as const) {
    assert.throws(() => untyped(options), { name: 'TypeError', message });
  }
  assert.throws(() => applicationToken({} as { secret: string }), /applicationToken needs secret/);
  assert.throws(() => personToken({} as { refreshToken: string }), /personToken needs refreshToken/);
});
