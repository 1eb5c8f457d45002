// The packages of a release, as somebody installs them: made by `npm run package`, installed by npm into empty folders, and run from
// there. The service starts, the command line saves and reads a file, and the example of the client compiles and runs.

import assert from 'node:assert/strict';
import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { packAll } from '../../packaging/pack.ts';
import { root } from '../../packaging/stage.ts';
import { findFreePort } from '../free-ports.ts';
import { skipWithout } from '../service/programs.ts';
import { eventually } from '../service/service.ts';

const skip = skipWithout('npm');
const home = mkdtempSync(join(tmpdir(), 'cabinet-packages-'));
const archives = skip === false ? packAll(join(home, 'archives')) : [];

/** Nothing of the repository but the Node that runs the tests. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(CABINET_|npm_|NODE_COMPILE_CACHE)/.test(name)),
);
environment.PATH = `${dirname(process.execPath)}:${environment.PATH}`;
const personal = { CABINET_PROFILES: join(home, 'profiles.json') };

/** An empty project with nothing but this package, from the cache of npm where it has what is needed. */
function install(prefix: RegExp): string {
  const folder = join(home, `project-${readdirSync(home).length}`);
  mkdirSync(folder);
  const archive = archives.find((path) => prefix.test(path)) ?? '';
  const options = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', ['install', ...options, archive], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  return folder;
}

let server = '';
let service: ChildProcessByStdio<null, Readable, null> | null = null;
let first = { url: '', appKey: '', secret: '' };

before(async () => {
  if (skip !== false) return;
  server = install(/cabinet-\d[^/]*$/);
  const settings = {
    CABINET_PORT: String(await findFreePort()),
    CABINET_TEST_PORT: 'off',
    CABINET_MTLS_PORT: 'off',
    CABINET_ALLOW_ANY_DISK: 'yes',
    CABINET_LOG_LEVEL: 'error',
  };
  service = spawn('node_modules/.bin/cabinet', ['serve', '--json'], {
    cwd: server,
    env: { ...environment, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const signal = AbortSignal.timeout(120_000);
  const [line] = await once(createInterface({ input: service.stdout }), 'line', { signal });
  const { Production, FirstStart } = JSON.parse(line) as { Production: string; FirstStart: string };
  const [{ Application }] = (JSON.parse(readFileSync(FirstStart, 'utf8')) as FirstAccounts).Environments;
  first = { url: Production, appKey: Application.AppKey, secret: Application.Secret };
});

after(async () => {
  if (service !== null) {
    const exited = once(service, 'exit');
    service.kill();
    assert.deepEqual(await exited, [0, null]);
  }
  rmSync(home, { recursive: true, force: true });
});

interface FirstAccounts {
  Environments: [{ Application: { AppKey: string; Secret: string } }];
}

function run(folder: string, program: string, words: string[], input = ''): string {
  const options = { cwd: folder, env: { ...environment, ...personal }, input, encoding: 'utf8' } as const;
  return execFileSync(join(folder, 'node_modules/.bin', program), words, options);
}

interface Result {
  Entry: { Id: string; Name: string };
}

async function request(path: string, token: string): Promise<Response> {
  const headers = { Authorization: `Bearer ${token}`, AppKey: first.appKey };
  return await fetch(`${first.url}${path}`, { headers });
}

test('the service starts from its package, with the console and the page of the API', { skip }, async () => {
  const console = await fetch(first.url);
  assert.equal(console.status, 200);
  const [, script = ''] = /src="(\/assets\/[^"]+)"/.exec(await console.text()) ?? [];
  assert.equal((await fetch(`${first.url}${script}`)).status, 200);
  assert.equal((await fetch(`${first.url}/docs`)).status, 200);
});

test('the package of the service is JavaScript alone', { skip }, () => {
  const files = readdirSync(join(server, 'node_modules/cabinet'), { recursive: true, encoding: 'utf8' });
  const sources = files.filter((name) => /(?<!\.d)\.tsx?$/.test(name) || /\.test\.|-for-tests/.test(name));
  assert.deepEqual(sources, []);
});

test('the command line saves and reads files, without what the service needs', { skip }, () => {
  const folder = install(/cabinet-cli-[^/]*$/);
  const installed = readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'));
  assert.deepEqual(installed.sort(), ['@cabinet', 'commander']);
  const words = ['login', first.url, '--app-key', first.appKey, '--secret-file', '-'];
  run(folder, 'cabinet', words, `${first.secret}\n`);
  writeFileSync(join(folder, 'a.html'), '<p>Zw&ouml;lf Bleistifte');
  writeFileSync(join(folder, 'dot.gif'), Buffer.from('R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=', 'base64'));
  run(folder, 'cabinet', ['put', 'a.html', 'dot.gif', '/']);
  run(folder, 'cabinet', ['get', '/a.html', 'copy.html']);
  assert.equal(readFileSync(join(folder, 'copy.html'), 'utf8'), '<p>Zw&ouml;lf Bleistifte');
});

test('the service extracts text and draws thumbnails in processes of its package', { skip }, async () => {
  const words = ['token', '--app-key', first.appKey, '--secret-file', '-'];
  const token = run(server, 'cabinet', words, `${first.secret}\n`).trim();
  const content = '/v1/contentmanagement';
  const search = async (word: string) => {
    const found = (await (await request(`${content}/search?q=${word}`, token)).json()) as { Results: Result[] };
    return found.Results.map(({ Entry }) => Entry);
  };
  await eventually('the text of a.html is found', async () => (await search('zwölf'))[0]?.Name === 'a.html');
  await eventually('dot.gif is found', async () => (await search('dot'))[0]?.Name === 'dot.gif');
  const [{ Id }] = (await search('dot')) as [Result['Entry']];
  const thumbnail = await request(`${content}/files/${Id}/thumbnail?size=64`, token);
  assert.equal(thumbnail.headers.get('content-type'), 'image/webp');
});

const example = `
import { applicationToken, connect, createFolder, type Entry, listChildren, readText, saveFile } from '@cabinet/client';

const { SERVICE_URL: url = '', APP_KEY: appKey = '', APP_SECRET: secret = '' } = process.env;
const cabinet = connect({ url, appKey, token: applicationToken({ secret }) });
const folder = await createFolder(cabinet, { name: 'Invoices', conflict: 'Existing' });
const file = await saveFile(cabinet, { folder: folder.Id, name: 'January.txt', content: 'Twelve pencils' });
const all: Entry[] = [];
for await (const entry of listChildren(cabinet, folder.Id)) all.push(entry);
console.log(all.length, await readText(cabinet, file.Id));
`;

test('a program that uses the client library compiles and runs', { skip }, () => {
  const folder = install(/cabinet-client-[^/]*$/);
  writeFileSync(join(folder, 'example.mts'), example);
  const options = ['--strict', '--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023,dom,dom.iterable'];
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
  const compiler = join(root, 'node_modules/.bin/tsc');
  execFileSync(compiler, ['--ignoreConfig', ...options, ...types, 'example.mts'], { cwd: folder, stdio: 'inherit' });
  const credentials = { SERVICE_URL: first.url, APP_KEY: first.appKey, APP_SECRET: first.secret };
  const env = { ...environment, ...credentials };
  const output = execFileSync(process.execPath, ['example.mjs'], { cwd: folder, env, encoding: 'utf8' });
  assert.equal(output, '1 Twelve pencils\n');
});
