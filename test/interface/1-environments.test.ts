// Addresses and environments (docs/contract.md §1.1 and §1.2): both addresses serve the same paths and share nothing;
// addresses in responses come from the configuration, never from the request.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefusal } from './assertions.ts';
import { CONTENT, call, createFolder, download, makeFolder, postFolder, saveFile, send, signIn } from './client.ts';

const main = await signIn('Main');
const tester = await signIn('Tester');
const DISCOVERY = '/.well-known/oauth-authorization-server';

test('The test address serves the same paths as the production address', async () => {
  const folder = await makeFolder(tester);
  const inner = await createFolder(tester, folder.Id, 'inner');
  const { File, Folder } = await saveFile(tester, { FolderId: inner.Id, FileName: 'a.txt' }, 'hello');
  assert.equal(Folder.Id, inner.Id);
  assert.equal(File.CreatedBy, `app:${tester.application.Name}`);
  assert.equal((await download(tester, File.Id)).toString(), 'hello');
});

test('A token of one environment is unknown in the other', async () => {
  const there = await postFolder({ ...tester, base: main.base }, { FolderName: 'x' });
  assertRefusal(there, 401, 'TokenInvalid');
  const here = await postFolder({ ...main, base: tester.base }, { FolderName: 'x' });
  assertRefusal(here, 401, 'TokenInvalid');
});

test('An AppKey of one environment is unknown in the other', async () => {
  const foreign = await postFolder(main, { FolderName: 'x' }, { AppKey: tester.application.AppKey });
  assertRefusal(foreign, 401, 'AppKeyUnknown');
  const reverse = await postFolder(tester, { FolderName: 'x' }, { AppKey: main.application.AppKey });
  assertRefusal(reverse, 401, 'AppKeyUnknown');
});

test('Content of production does not exist in the test environment', async () => {
  const folder = await makeFolder(main);
  const { File } = await saveFile(main, { FolderId: folder.Id, FileName: 'a.txt' }, 'hello');
  const create = await postFolder(tester, { ParentFolderId: folder.Id, FolderName: 'x' });
  assertRefusal(create, 404, 'FolderNotFound');
  assertRefusal(await call(tester, `/folders/${folder.Id}`), 404, 'FolderNotFound');
  assertRefusal(await call(tester, `/files/${File.Id}/content`), 404, /NotFound$/);
});

test('Each environment has its own issuer and signing keys', async () => {
  const [production, trial] = await Promise.all([main.base, tester.base].map(readIssuer));
  assert.notEqual(production?.issuer, trial?.issuer);
  const shared = production?.keys.filter((key) => trial?.keys.includes(key));
  assert.deepEqual(shared, []);
});

test('Addresses in responses never come from the Host header', async () => {
  const headers = { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example', Forwarded: 'host=evil.example' };
  const discovery = await send(main.base, DISCOVERY, { headers });
  assert.doesNotMatch(discovery.body.toString(), /evil\.example/);
  const folder = await makeFolder(main);
  await Promise.all(['a', 'b'].map((name) => createFolder(main, folder.Id, name)));
  const page = await call(main, `/folders/${folder.Id}?limit=1`, { headers });
  assert.doesNotMatch(JSON.stringify(page.headers), /evil\.example/);
});

test('A browser of another origin gets no CORS headers', async () => {
  const headers = { Origin: 'https://stranger.example', 'Access-Control-Request-Method': 'POST' };
  const preflight = await send(main.base, `${CONTENT}/files`, { method: 'OPTIONS', headers });
  assert.equal(preflight.headers['access-control-allow-origin'], undefined);
  const read = await call(main, '/folders/-root-?limit=1', { headers: { Origin: 'https://stranger.example' } });
  assert.equal(read.headers['access-control-allow-origin'], undefined);
});

async function readIssuer(base: string): Promise<{ issuer: string; keys: string[] }> {
  const discovery = await send(base, DISCOVERY);
  const { issuer, jwks_uri } = JSON.parse(discovery.body.toString()) as { issuer: string; jwks_uri: string };
  const jwks = await send(base, new URL(jwks_uri).pathname);
  const { keys } = JSON.parse(jwks.body.toString()) as { keys: { kid: string; x?: string; n?: string }[] };
  assert.ok(keys.length > 0);
  return { issuer, keys: keys.flatMap((key) => [key.x ?? key.n ?? '', key.kid]) };
}
