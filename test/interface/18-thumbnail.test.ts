// Thumbnails (docs/contract.md §18.6).

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { makeEncryptedPdf, makePdf } from '../../src/search/extract/documents-for-tests.ts';
import { drawPicture } from '../browser/sample-picture.ts';
import { assertRefusal } from './assertions.ts';
import { type Answer, call, type Headers, makeFolder, saveFile, signIn } from './client.ts';

const main = await signIn('Main');
const folder = await makeFolder(main);
/** Without the optional package nothing has a thumbnail. */
const isInstalled = hasSharp();

function hasSharp(): boolean {
  try {
    createRequire(import.meta.url).resolve('sharp');
    return true;
  } catch {
    return false;
  }
}

async function save(name: string, bytes: Uint8Array | string, type: string): Promise<string> {
  const headers = { FolderId: folder.Id, FileName: name, 'Content-Type': type, ConflictBehavior: 'Rename' };
  return (await saveFile(main, headers, bytes)).File.Id;
}

const ask = (id: string, query = '', headers: Headers = {}) =>
  call(main, `/files/${id}/thumbnail${query}`, { headers });

/** The size of a WebP, from whichever of its three forms it has. */
function readSize(webp: Buffer): [width: number, height: number] {
  assert.equal(webp.toString('latin1', 0, 4) + webp.toString('latin1', 8, 12), 'RIFFWEBP');
  const form = webp.toString('latin1', 12, 16);
  if (form === 'VP8X') return [webp.readUIntLE(24, 3) + 1, webp.readUIntLE(27, 3) + 1];
  if (form === 'VP8 ') return [webp.readUInt16LE(26) & 0x3fff, webp.readUInt16LE(28) & 0x3fff];
  const bits = webp.readUInt32LE(21);
  return [(bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1];
}

function assertThumbnail(answer: Answer): [width: number, height: number] {
  if (!isInstalled) return assertRefusal(answer, 404, 'NoThumbnail') && [0, 0];
  assert.equal(answer.status, 200, answer.body.toString('latin1').slice(0, 300));
  assert.equal(answer.headers['content-type'], 'image/webp');
  assert.match(String(answer.headers['content-security-policy']), /sandbox/);
  return readSize(answer.body);
}

const whereInstalled = <Value>(value: Value) => (isInstalled ? value : [0, 0]);

test('A picture has a WebP of at most the size, never larger than itself', async () => {
  const id = await save('hills.png', drawPicture(), 'image/png');
  assert.deepEqual(assertThumbnail(await ask(id, '?size=64')), whereInstalled([64, 42]));
  assert.deepEqual(assertThumbnail(await ask(id)), whereInstalled([256, 166]));
  assert.deepEqual(assertThumbnail(await ask(id, '?size=1024')), whereInstalled([320, 208]));
  assert.deepEqual(assertThumbnail(await ask(id, '?size=64')), whereInstalled([64, 42]), 'out of the cache');
});

test('A PDF document has one of its first page', async () => {
  const id = await save('a.pdf', makePdf('Hello, Cabinet!'), 'application/pdf');
  const [width, height] = assertThumbnail(await ask(id, '?size=256'));
  assert.equal(Math.max(width, height), isInstalled ? 256 : 0);
});

test('It has an ETag of its own for each size, which changes with the content', async (context) => {
  if (!isInstalled) return context.skip('the optional package sharp is not installed');
  const id = await save('etag.png', drawPicture(), 'image/png');
  const { etag = '', 'cache-control': cache } = (await ask(id)).headers;
  assert.equal(cache, 'private, no-cache');
  const unchanged = await ask(id, '', { 'If-None-Match': etag });
  assert.deepEqual([unchanged.status, unchanged.headers.etag, unchanged.body.length], [304, etag, 0]);
  assert.notEqual((await ask(id, '?size=64')).headers.etag, etag);
  const bytes = Buffer.concat([drawPicture(), Buffer.from('more')]);
  await call(main, `/files/${id}/content`, { method: 'PUT', headers: { 'content-type': 'image/png' }, body: bytes });
  const changed = await ask(id, '', { 'If-None-Match': etag });
  assert.equal(changed.status, 200);
  assert.notEqual(changed.headers.etag, etag);
});

test('Other types, and damaged, empty or protected files have none', async () => {
  const none = [
    await save('a.txt', 'text', 'text/plain'),
    await save('a.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml'),
    await save('damaged.png', drawPicture().subarray(0, 100), 'image/png'),
    await save('text.png', 'no picture', 'image/png'),
    await save('empty.png', '', 'image/png'),
    await save('protected.pdf', makeEncryptedPdf(), 'application/pdf'),
  ];
  for (const id of none) assertRefusal(await ask(id), 404, 'NoThumbnail');
  assertRefusal(await ask('unknown'), 404, 'FileNotFound');
  assertRefusal(await ask(folder.Id), 404, 'FileNotFound');
  const { Target } = assertRefusal(await ask(none[0] ?? '', '?size=100'), 400, 'InvalidField');
  assert.equal(Target, 'size');
});

test('Whoever cannot read the file gets none', async () => {
  const id = await save('secret.png', drawPicture(), 'image/png');
  assertRefusal(await call(await signIn('Stranger'), `/files/${id}/thumbnail`), 404, 'FileNotFound');
  assertThumbnail(await call(await signIn('Reader'), `/files/${id}/thumbnail`));
});
