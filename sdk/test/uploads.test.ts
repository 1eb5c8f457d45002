// Uploads that never start over: cut in the middle, at the end, and gone on with by another connection.

import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import { eventually } from '../../test/service/service.ts';
import { connect } from '../src/connect.ts';
import { readText } from '../src/downloads.ts';
import { showEntry } from '../src/entries.ts';
import type { SaveFileOptions } from '../src/files.ts';
import { saveFile, saveFileWithFolder } from '../src/files.ts';
import { listChildren } from '../src/folders.ts';
import { removeUpload, showUpload } from '../src/uploads.ts';
import { listVersions } from '../src/versions.ts';
import { gather, makeFolder, standOnService } from './ground.ts';
import { type Step, startProxy } from './proxy.ts';

const ground = await standOnService();
const proxy = await startProxy(ground.service.production);
after(() => proxy.close());
const cabinet = ground.connect({ url: proxy.url });
const content = randomBytes(1_200_000);
/** So large that it can be broken off while some of it is on its way. */
const longContent = randomBytes(5_000_000);
const resumableFrom = 1_000_000;

/** Saves over a proxy with these faults; all requests are told. */
async function save(steps: Step[], more: SaveFileOptions & { content?: ReadableStream<Uint8Array> } = {}) {
  const folder = await makeFolder(cabinet);
  proxy.seen.length = 0;
  proxy.plan(...steps);
  const asked = { folder, name: 'large.bin', content, resumableFrom, conflict: 'Rename' as const, ...more };
  const envelope = await saveFileWithFolder(cabinet, asked).finally(() => proxy.plan());
  return { folder, envelope, seen: proxy.seen.map(({ method, status }) => `${method} ${status}`) };
}

async function assertSaved(
  { folder, envelope }: Pick<Awaited<ReturnType<typeof save>>, 'folder' | 'envelope'>,
  sent = content,
): Promise<void> {
  const children = await gather(listChildren(cabinet, folder));
  assert.deepEqual(
    children.map(({ Id, Name, Size }) => [Id, Name, Size]),
    [[envelope.Children[0]?.Id, 'large.bin', sent.byteLength]],
  );
  assert.equal(envelope.Folder.Id, folder);
  const id = children[0]?.Id ?? '';
  assert.equal((await showEntry(cabinet, id)).Sha256, createHash('sha256').update(sent).digest('hex'));
  assert.equal((await gather(listVersions(cabinet, id))).length, 1);
}

test('a large file is begun, sent, and is there', async () => {
  const saved = await save([]);
  assert.deepEqual(saved.seen, ['POST 201', 'PATCH 200']);
  await assertSaved(saved);
});

test('from its size on, not before', async () => {
  const saved = await save([], { resumableFrom: content.byteLength + 1 });
  assert.deepEqual(saved.seen, ['POST 200']);
  await assertSaved(saved);
});

const cuts: Record<string, Step[]> = {
  'at its beginning': ['cut after', 'cut before'],
  'in the middle': ['pass', 'cut body'],
  'in the middle, again and again': [
    'pass',
    'cut body',
    'pass',
    'cut body',
    'pass',
    'cut body',
    'cut before',
    'cut after',
  ],
  'when the answer to the last bytes comes': ['pass', 'cut after'],
  'within the answer to the last bytes': ['pass', 'cut within'],
  'after all has been said, too': ['pass', 'cut after', 'cut after', 'cut before'],
};

for (const [when, steps] of Object.entries(cuts)) {
  test(`a large file is saved once though the connection is lost ${when}`, async () => {
    await assertSaved(await save(steps));
  });

  test(`so is a stream of unknown length, lost ${when}`, async () => {
    await assertSaved(await save(steps, { content: new Blob([content]).stream() }));
  });
}

test('what has arrived is not sent again', async () => {
  let mostSent = 0;
  const saved = await save(['pass', 'cut body'], {
    onProgress: (bytes) => {
      mostSent = Math.max(mostSent, bytes);
    },
  });
  await assertSaved(saved);
  assert.deepEqual(saved.seen, ['POST 201', 'PATCH null', 'GET 200', 'PATCH 200']);
  assert.equal(mostSent, content.byteLength);
});

test('name, type, properties, object type and comment of a large file are those that were given', async () => {
  const folder = await makeFolder(cabinet);
  const properties = { Größe: '№ 7 "€"' };
  const file = await saveFile(cabinet, {
    folder,
    name: 'Übersicht.json',
    content: new Blob(['{"a":', 'x'.repeat(100), '}']),
    contentType: 'application/json',
    properties,
    objectType: 'acme:table',
    comment: 'größer',
    resumableFrom: 10,
  });
  assert.equal(file?.Name, 'Übersicht.json');
  assert.deepEqual(file.Properties, properties);
  assert.equal(file.ContentType, 'application/json');
  assert.equal(file.ObjectType, 'acme:table');
  const [version] = await gather(listVersions(cabinet, file.Id));
  assert.equal(version?.Comment, 'größer');
  assert.match(await readText(cabinet, file.Id), /^\{"a":x/);
});

test('more properties than headers can carry go with the file in one request', async () => {
  const folder = await makeFolder(cabinet);
  const properties = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`key ${i}`, 'v'.repeat(1000)]));
  for (const one of [new Blob([content]), new Blob([content]).stream()]) {
    const saved = await saveFile(cabinet, { folder, name: 'p', content: one, properties, resumableFrom });
    assert.deepEqual(saved.Properties, properties);
    assert.equal(saved.Size, content.byteLength);
  }
});

/** Breaks it off on the way, and returns the id of the upload. */
async function interrupt(...[client, asked]: Parameters<typeof saveFile>): Promise<string> {
  const controller = new AbortController();
  let id = '';
  const interrupted = saveFile(client, {
    ...asked,
    signal: controller.signal,
    onUpload: (begun) => {
      id = begun;
    },
    onProgress: (bytes) => {
      if (bytes > 2_000_000) controller.abort(new Error('Ctrl-C'));
    },
  });
  await assert.rejects(interrupted, /Ctrl-C/);
  return id;
}

test('an upload that was interrupted goes on later, where it was, under another connection', async () => {
  const folder = await makeFolder(cabinet);
  const asked = { folder, name: 'large.bin', content: new Blob([longContent]), resumableFrom };
  let id = await interrupt(ground.connect(), asked);
  // What is told as sent may lie in buffers on the way, all of it.
  for (let tries = 0; (await showUpload(cabinet, id)).Offset === 0 && tries < 20; tries += 1) {
    id = await interrupt(ground.connect(), asked);
  }
  const { Offset, EntryId, Length } = await showUpload(cabinet, id);
  assert.ok(Offset > 0 && Offset < longContent.byteLength, `it came to ${Offset}`);
  assert.deepEqual([EntryId, Length], [null, longContent.byteLength]);
  const told: number[] = [];
  const envelope = await saveFileWithFolder(cabinet, { ...asked, resume: id, onProgress: (bytes) => told.push(bytes) });
  assert.equal(told[0], Offset);
  await assertSaved({ folder, envelope }, longContent);
  const again = await saveFileWithFolder(cabinet, { ...asked, resume: id });
  assert.equal(again.Children[0]?.Id, envelope.Children[0]?.Id);
});

test('a stream goes on with an upload that was interrupted, behind what had arrived', async () => {
  const folder = await makeFolder(cabinet);
  const stream = () => new Blob([longContent]).stream();
  const id = await interrupt(cabinet, { folder, name: 'large.bin', content: stream(), resumableFrom });
  const asked = { folder, name: 'large.bin', content: stream(), resumableFrom: 100_000, resume: id };
  await assertSaved({ folder, envelope: await saveFileWithFolder(cabinet, asked) }, longContent);
});

test('an upload that is gone begins anew', async () => {
  await assertSaved(await save([], { resume: 'f'.repeat(32) }));
});

test('an upload that nobody knows of is removed when it is given up', async () => {
  const controller = new AbortController();
  proxy.seen.length = 0;
  const onProgress = (bytes: number) => {
    if (bytes > 2_000_000) controller.abort(new Error('never mind'));
  };
  const folder = await makeFolder(cabinet);
  const asked = { folder, name: 'a', content: longContent, resumableFrom, onProgress, signal: controller.signal };
  await assert.rejects(saveFile(cabinet, asked), /never mind/);
  const findRemoval = () => proxy.seen.findLast(({ method, status }) => method === 'DELETE' && status === 204);
  await eventually('it is removed', () => findRemoval() !== undefined, 20_000);
  const id = findRemoval()?.path.split('/').at(-1) ?? '';
  await assert.rejects(showUpload(cabinet, id), { code: 'UploadNotFound' });
  await assert.rejects(removeUpload(cabinet, id), { code: 'UploadNotFound' });
});

test('what the file is refused for is told, after all bytes have come', async () => {
  const folder = await makeFolder(cabinet);
  const asked = { folder, name: 'taken', content, resumableFrom, conflict: 'Fail' as const };
  await saveFile(cabinet, asked);
  await assert.rejects(saveFile(cabinet, { ...asked, content: randomBytes(2_000_000) }), {
    code: 'NameAlreadyExists',
  });
});

/** A service that has begun an upload and answers everything else with these. */
function answering(toAnswer: (method: string) => Response) {
  const location = 'http://127.0.0.1:9/v1/contentmanagement/uploads/1';
  const begun = () => new Response(null, { status: 201, headers: { location } });
  let pieces = 0;
  const cabinet = connect({
    url: 'http://127.0.0.1:9',
    appKey: 'a',
    token: async () => 't',
    retries: 2,
    fetch: async (_, { method }) => {
      if (method === 'PATCH') pieces += 1;
      return method === 'POST' ? begun() : toAnswer(method);
    },
  });
  return { cabinet, countPieces: () => pieces };
}

test('a service that confirms pieces without a growing offset is an unexpected answer, not an endless upload', async () => {
  for (const headers of [{}, { 'upload-offset': '0' }] as Record<string, string>[]) {
    const { cabinet, countPieces } = answering(() => new Response(null, { status: 201, headers }));
    const saving = saveFile(cabinet, { folder: 'f', name: 'a', content, resumableFrom });
    await assert.rejects(saving, { code: 'UnexpectedAnswer' });
    assert.equal(countPieces(), 1);
  }
});

test('an upload whose offset is refused again and again ends after its retries, wherever the service says it is', async () => {
  const refusal = { Error: { Code: 'UploadOffsetMismatch', Message: 'The upload is elsewhere.' } };
  const offsets = [10, 5, 10, 5, 10, 5, 10];
  const { cabinet, countPieces } = answering((method) => {
    const state = { Id: '1', Offset: offsets.shift() ?? 0, EntryId: null };
    return method === 'PATCH' ? Response.json(refusal, { status: 409 }) : Response.json(state);
  });
  const saving = saveFile(cabinet, { folder: 'f', name: 'a', content: new Blob([content]), resumableFrom });
  await assert.rejects(saving, { code: 'UploadOffsetMismatch' });
  assert.equal(countPieces(), 4, 'the first offset is new, then two retries');
});

test('a stream that breaks is the reason, and nothing is saved', async () => {
  const folder = await makeFolder(cabinet);
  const broken = (async function* () {
    for (let i = 0; i < 30; i++) yield randomBytes(100_000);
    throw new Error('the tape is torn');
  })();
  await assert.rejects(saveFile(cabinet, { folder, name: 'a', content: broken, resumableFrom }), /the tape is torn/);
  assert.deepEqual(await gather(listChildren(cabinet, folder)), []);
});
