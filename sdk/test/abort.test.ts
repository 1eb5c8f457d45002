// Ending a call in the middle: it fails with the signal's own reason, at once, and leaves nothing behind.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { eventually } from '../../test/service/service.ts';
import { followChanges } from '../src/changes.ts';
import { connect } from '../src/connect.ts';
import { openFile, readFile } from '../src/downloads.ts';
import { saveFile } from '../src/files.ts';
import { listChildren, showFolder } from '../src/folders.ts';
import { gather, makeFolder, standOnService } from './ground.ts';

const ground = await standOnService();

test('a save that is aborted in the middle leaves no file', async () => {
  const cabinet = ground.connect();
  const folder = await makeFolder(cabinet);
  const controller = new AbortController();
  const content = randomBytes(6_000_000);
  const onProgress = (bytes: number) => {
    if (bytes > 1_000_000) controller.abort(new Error('changed my mind'));
  };
  const { signal } = controller;
  await assert.rejects(saveFile(cabinet, { folder, name: 'a', content, onProgress, signal }), /changed my mind/);
  assert.deepEqual(await gather(listChildren(cabinet, folder)), []);
});

test('a save of a stream that is aborted cancels the stream', async () => {
  const cabinet = ground.connect();
  const folder = await makeFolder(cabinet);
  const controller = new AbortController();
  let isCancelled = false;
  let pulled = 0;
  const content = new ReadableStream<Uint8Array>({
    pull(stream) {
      stream.enqueue(randomBytes(10_000));
      pulled += 1;
      if (pulled === 100) controller.abort(new Error('enough'));
    },
    cancel() {
      isCancelled = true;
    },
  });
  await assert.rejects(saveFile(cabinet, { folder, name: 'a', content }, { signal: controller.signal }), /enough/);
  assert.ok(isCancelled);
});

test('a stream that fails is the reason why the save fails', async () => {
  const cabinet = ground.connect();
  const folder = await makeFolder(cabinet);
  const content = (async function* () {
    yield randomBytes(100_000);
    throw new Error('the disk is broken');
  })();
  await assert.rejects(saveFile(cabinet, { folder, name: 'a', content }), /the disk is broken/);
  assert.deepEqual(await gather(listChildren(cabinet, folder)), []);
});

test('a download that is aborted in the middle fails with the reason; one that is left is closed', async () => {
  const cabinet = ground.connect();
  const folder = await makeFolder(cabinet);
  const saved = await saveFile(cabinet, { folder, name: 'a', content: randomBytes(8_000_000) });
  const id = saved.Id;
  const controller = new AbortController();
  const onProgress = () => controller.abort(new Error('seen enough'));
  await assert.rejects(readFile(cabinet, id, { signal: controller.signal, onProgress }), /seen enough/);
  const { stream } = await openFile(cabinet, id);
  for await (const _ of stream) break;
  assert.equal(stream.locked, false);
});

test('waiting for changes is aborted at once', async () => {
  const cabinet = ground.connect();
  const controller = new AbortController();
  const pages = followChanges(cabinet, { from: 'now', signal: controller.signal });
  await pages.next();
  const waiting = pages.next();
  waiting.catch(() => undefined);
  await eventually('it waits', async () => {
    const metrics = await (await fetch(`${ground.service.production}/metrics`)).text();
    return /^cabinet_requests_in_progress\{[^}]*\} 2$/m.test(metrics);
  });
  controller.abort(new Error('home time'));
  await assert.rejects(waiting, /home time/);
});

test('a pause between two attempts is aborted, too', async () => {
  const controller = new AbortController();
  let attempts = 0;
  const fails: typeof fetch = async () => {
    attempts += 1;
    // By the next turn it pauses.
    setImmediate(() => controller.abort(new DOMException('too late', 'TimeoutError')));
    throw new TypeError('fetch failed');
  };
  const gone = connect({ url: 'http://127.0.0.1:9', appKey: 'a', token: async () => 't', retries: 50, fetch: fails });
  await assert.rejects(showFolder(gone, '-root-', { signal: controller.signal }), { name: 'TimeoutError' });
  assert.equal(attempts, 1);
});

test('one caller who gives up does not take the token from the others', async () => {
  const cabinet = ground.connect();
  const signal = AbortSignal.abort(new Error('never mind'));
  const later = new AbortController();
  const [first, second] = await Promise.allSettled([
    showFolder(cabinet, '-root-', { signal }),
    (async () => {
      const shown = showFolder(cabinet, '-root-');
      later.abort();
      return shown;
    })(),
  ]);
  assert.equal(first.status, 'rejected');
  assert.equal(second.status, 'fulfilled');
});
