// What only Node can do: the mutual-TLS address, and files on disk.

import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { addIssued, readOwnCa } from '../../test/security/server-applications.ts';
import { connect } from '../src/connect.ts';
import { openFile, readText } from '../src/downloads.ts';
import { saveFile } from '../src/files.ts';
import { createFolder, showFolder } from '../src/folders.ts';
import { downloadTo, fileContent, mutualTls } from '../src/node.ts';
import { applicationToken, certificateToken } from '../src/tokens.ts';
import { makeFolder, standOnService } from './ground.ts';

const ground = await standOnService({ CABINET_MTLS_PORT: '0' });
const { dataFolder, service } = ground;
const url = service.mutualTls ?? '';
const files = join(dataFolder, '..');
const application = await addIssued(dataFolder, 'over-tls');
const certificate = readFileSync(application.Certificate, 'utf8');
const key = readFileSync(application.Key, 'utf8');
const ca = readOwnCa(dataFolder);

function connectOverTls() {
  const fetch = mutualTls({ certificate, key, ca });
  return connect({ url, appKey: application.AppKey, token: certificateToken(), fetch });
}

test('a server-based application saves and reads over mutual TLS, with a token that its certificate gets', async () => {
  const cabinet = connectOverTls();
  const created = await createFolder(cabinet, { name: 'Over TLS' });
  const content = randomBytes(3_000_000);
  const told: number[] = [];
  const onProgress = (bytes: number) => told.push(bytes);
  const saved = await saveFile(cabinet, { folder: created.Id, name: 'blob', content, onProgress });
  assert.ok(told.length > 3);
  const { stream, sha256 } = await openFile(cabinet, saved.Id);
  const hash = createHash('sha256');
  for await (const piece of stream) hash.update(piece);
  assert.equal(hash.digest('hex'), sha256);
  assert.equal(createHash('sha256').update(content).digest('hex'), sha256);
});

test('every kind of content goes over mutual TLS', async () => {
  const cabinet = connectOverTls();
  const iterable = (async function* () {
    yield new TextEncoder().encode('iterated');
  })();
  const contents = { string: 'string', blob: new Blob(['blob']), stream: new Blob(['stream']).stream(), iterable };
  for (const [name, content] of Object.entries(contents)) {
    const saved = await saveFile(cabinet, { name: `kind ${name}`, content, properties: { Kind: name } });
    assert.equal(await readText(cabinet, saved.Id), name === 'iterable' ? 'iterated' : name);
  }
});

test('without its certificate, or with a service that is not trusted, there is no way in', async () => {
  const untrusting = connect({
    url,
    appKey: application.AppKey,
    token: certificateToken(),
    fetch: mutualTls({ certificate, key }),
    retries: 0,
  });
  await assert.rejects(showFolder(untrusting, '-root-'), { code: 'Unreachable', message: /CERT|SELF_SIGNED|VERIFY/ });
  const other = await addIssued(dataFolder, 'another');
  const fetch = mutualTls({ certificate: readFileSync(other.Certificate), key: readFileSync(other.Key), ca });
  const mistaken = connect({ url, appKey: application.AppKey, token: certificateToken(), fetch });
  await assert.rejects(showFolder(mistaken, '-root-'), { code: 'TokenRefused', status: 401 });
});

test('a call over mutual TLS is aborted, in its body and in its answer', async () => {
  const cabinet = connectOverTls();
  const controller = new AbortController();
  const endless = (async function* () {
    for (let sent = 0; ; sent += 1) {
      if (sent === 40) controller.abort(new Error('enough'));
      yield randomBytes(65536);
    }
  })();
  const { signal } = controller;
  await assert.rejects(saveFile(cabinet, { name: 'endless', content: endless, signal }), /enough/);
  await assert.rejects(showFolder(cabinet, '-root-', { signal }), /enough/);
});

test('a client application is told that it came to the wrong address', async () => {
  const { AppKey: appKey, Secret: secret } = ground.application;
  const token = applicationToken({ secret });
  const cabinet = connect({ url, appKey, token, fetch: mutualTls({ certificate, key, ca }) });
  await assert.rejects(showFolder(cabinet, '-root-'), { code: 'TokenRefused' });
});

test('a file on disk is saved and read back to disk, and nothing half is left', async () => {
  const cabinet = ground.connect();
  const folder = await makeFolder(cabinet);
  const content = randomBytes(5_000_000);
  const [from, to] = [join(files, 'from.bin'), join(files, 'to.bin')];
  writeFileSync(from, content);
  const saved = await saveFile(cabinet, { folder, name: 'f', content: await fileContent(from) });
  const id = saved.Id;
  await downloadTo(cabinet, { id, path: to });
  assert.deepEqual(readFileSync(to), content);
  const never = join(files, 'never.bin');
  const signal = AbortSignal.abort(new Error('stopped'));
  await assert.rejects(downloadTo(cabinet, { id, path: never }, { signal }), /stopped/);
  assert.ok(!existsSync(never));
  assert.deepEqual(
    readdirSync(files).filter((name) => name.endsWith('.part')),
    [],
  );
});
