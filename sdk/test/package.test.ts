// The package as it is published: it installs into an empty project and works there, under another Node, for the compiler, in a
// Vite build and in a browser; and a bundle holds what is used of it.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { build } from 'vite';
import { openBrowser, withoutBrowser } from '../../test/browser/browser.ts';
import { recordSkipped, skipWithout } from '../../test/service/programs.ts';
import { standOnService } from './ground.ts';
import { findOtherNode, makeProject, root, run } from './package.ts';

const pages = await servePages();
const ground = await standOnService({ CABINET_CORS_ORIGINS: pages.origin });
const skip = skipWithout('npm');
const project = skip === false ? makeProject() : '';
const environment = {
  ...process.env,
  SERVICE_URL: ground.service.production,
  APP_KEY: ground.application.AppKey,
  APP_SECRET: ground.application.Secret,
};

const program = `
import { applicationToken, CabinetError, connect, createFolder, listChildren, readText, saveFile } from '@cabinet/client';

export async function run({ url, appKey, secret }, name) {
  const cabinet = connect({ url, appKey, token: applicationToken({ secret }) });
  const folder = await createFolder(cabinet, { name });
  const large = new Blob([new Uint8Array(3_000_000)]);
  const told = [];
  const content = name === 'browser' ? large : large.stream();
  await saveFile(cabinet, { folder: folder.Id, name: 'large', content, resumableFrom: 1_000_000, onProgress: (sent) => told.push(sent) });
  const file = await saveFile(cabinet, { folder: folder.Id, name: 'ü.txt', content: 'Grüße', properties: { A: 'ä' } });
  const text = await readText(cabinet, file.Id);
  const sizes = [];
  for await (const { Size } of listChildren(cabinet, folder.Id)) sizes.push(Size);
  const refused = await createFolder(cabinet, { name }).catch((error) => error);
  return { text, sizes, code: refused instanceof CabinetError && refused.code, last: told.at(-1) };
}
`;
const expected = { text: 'Grüße', sizes: [3_000_000, 7], code: 'NameAlreadyExists', last: 3_000_000 };

test('nothing else is installed with it', { skip }, () => {
  const installed = readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'));
  assert.deepEqual(installed, ['@cabinet']);
  const { dependencies } = JSON.parse(readFileSync(join(root, 'sdk/package.json'), 'utf8')) as {
    dependencies?: object;
  };
  assert.equal(dependencies, undefined);
});

const otherNode = findOtherNode();
if (otherNode === null) {
  recordSkipped({
    program: 'another Node',
    packages: ['nodejs'],
    skipped: 'the client under a Node of version 20 or later',
  });
}

for (const [which, node] of [
  ['the pinned Node', process.execPath],
  ['a Node of its own', otherNode],
] as const) {
  test(`it works under ${which}`, { skip: skip || (node === null && 'needs another Node') }, async () => {
    writeFileSync(join(project, 'program.mjs'), program);
    const main = `import { run } from './program.mjs';
      const { SERVICE_URL: url, APP_KEY: appKey, APP_SECRET: secret } = process.env;
      console.log(JSON.stringify(await run({ url, appKey, secret }, process.version)));`;
    writeFileSync(join(project, 'main.mjs'), main);
    const ran = await run(node ?? '', ['main.mjs'], { cwd: project, env: environment });
    assert.equal(ran.status, 0, ran.stderr);
    assert.deepEqual(JSON.parse(ran.stdout), expected);
  });
}

test('its types are there, for browsers and for Node', { skip }, () => {
  writeFileSync(
    join(project, 'typed.ts'),
    `import { type Cabinet, connect, createFolder, type Entry, hasCode, listChildren, saveFile } from '@cabinet/client';
     export const given = connect({ url: 'https://cabinet.example', appKey: 'a', token: async () => 't', fetch });
     export async function use(cabinet: Cabinet): Promise<Entry[]> {
       const folder = await createFolder(cabinet, { name: 'a', conflict: 'Existing' });
       await saveFile(cabinet, { folder: folder.Id, name: 'b', content: new Blob([]), onProgress: (sent: number) => sent });
       // @ts-expect-error: there is no such behavior
       await createFolder(cabinet, { name: 'a', conflict: 'Overwrite' }).catch((error) => hasCode(error, 'TooDeep'));
       const all: Entry[] = [];
       for await (const entry of listChildren(cabinet, folder.Id)) all.push(entry);
       return all;
     }`,
  );
  for (const libraries of ['es2023,dom,dom.iterable', 'es2023,dom,dom.iterable,dom.asynciterable']) {
    const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--types', '', '--lib', libraries];
    const more = ['--skipDefaultLibCheck', '--module', 'nodenext', '--target', 'es2023', 'typed.ts'];
    const compiler = join(root, 'node_modules/.bin/tsc');
    const { status, stdout } = spawnSync(compiler, ['--ignoreConfig', ...options, ...more], {
      cwd: project,
      encoding: 'utf8',
    });
    assert.equal(status, 0, stdout);
  }
});

/** Builds for browsers, and gives the code. */
async function bundle(name: string, code: string): Promise<string> {
  const entry = join(project, `${name}.js`);
  writeFileSync(entry, code);
  const outDir = join(project, `dist-${name}`);
  await build({
    root: project,
    configFile: false,
    logLevel: 'warn',
    build: { outDir, emptyOutDir: false, minify: true, lib: { entry, formats: ['es'], fileName: name } },
  });
  const [file = ''] = readdirSync(outDir).filter((one) => /\.m?js$/.test(one));
  return readFileSync(join(outDir, file), 'utf8');
}

test('a bundle that only lists is much smaller than the whole', { skip }, async () => {
  const whole = await bundle('whole', "export * from '@cabinet/client';");
  const listing = await bundle('listing', "export { applicationToken, connect, listChildren } from '@cabinet/client';");
  const sizes = `${listing.length} of ${whole.length} characters`;
  assert.ok(listing.length < whole.length / 2.5, sizes);
  assert.ok(listing.length < 11_000, sizes);
  assert.ok(!listing.includes('Upload-Offset') && whole.includes('Upload-Offset'), sizes);
  assert.ok(!whole.includes('node:https'), 'nothing of Node in it');
});

test('a Vite build of it works in a browser', { skip: skip || withoutBrowser }, async () => {
  pages.files.set('/program.js', await bundle('program', program));
  pages.files.set(
    '/',
    '<!doctype html><title>Client</title><script type="module">import { run } from "./program.js"; globalThis.run = run;</script>',
  );
  const { context, close } = await openBrowser();
  try {
    const page = await context.newPage();
    await page.goto(pages.origin);
    await page.waitForFunction('globalThis.run !== undefined');
    const { SERVICE_URL: url, APP_KEY: appKey, APP_SECRET: secret } = environment;
    const result = await page.evaluate(`run(${JSON.stringify({ url, appKey, secret })}, 'browser')`);
    assert.deepEqual(result, expected);
  } finally {
    await close();
  }
});

interface Pages {
  origin: string;
  files: Map<string, string>;
}

/** A web server of the page's own, with another origin than the service. */
async function servePages(): Promise<Pages> {
  const files = new Map<string, string>();
  const server: Server = createServer((request, response) => {
    const text = files.get(request.url ?? '');
    const type = request.url?.endsWith('.js') === true ? 'text/javascript' : 'text/html';
    response.writeHead(text === undefined ? 404 : 200, { 'Content-Type': `${type}; charset=utf-8` }).end(text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, files };
}
