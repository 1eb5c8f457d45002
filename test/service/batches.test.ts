// Batches are held in memory until they are complete, so the number of large ones is limited; interrupted ones leave nothing.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefusal } from '../interface/assertions.ts';
import { postBatch, toResults } from '../interface/batch.ts';
import { assertEmptyFolder, type Caller, makeFolder } from '../interface/client.ts';
import { filePart, MULTIPART, multipart } from '../interface/multipart.ts';
import { contentHead, openWire, type Wire } from '../interface/wire.ts';
import { addCaller, eventually, listIncoming, makeDataFolder, removeDataFolder } from './service.ts';
import { type StartedHere, startServiceHere } from './service-here.ts';

const dataFolder = makeDataFolder();
let service: StartedHere;
let caller: Caller;

before(async () => {
  service = await startServiceHere(dataFolder);
  caller = await addCaller(dataFolder, service.production, 'batches');
});
after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

const atOnce = 8;
const small = 'x'.repeat(60_000);
const files = Array.from({ length: 30 }, (_, n) => ({ name: `${n}.txt`, content: small }));
const body = multipart(files.map(({ name, content }) => filePart(content, { fileName: name })));

/** A batch of which all but the last bytes were sent. */
async function begin(folderId: string): Promise<Wire> {
  const wire = await openWire(caller.base);
  const headers = { FolderId: folderId, 'Content-Type': MULTIPART, 'Content-Length': String(body.length) };
  wire.write(contentHead(caller, 'POST', '/files/batch', headers));
  await wire.writeBeforeReading(body.subarray(0, -10));
  return wire;
}

test('Eight large batches are read at a time; small ones are always accepted, and slots are released', async () => {
  const folder = await makeFolder(caller);
  const wires = await Promise.all(Array.from({ length: atOnce + 3 }, () => begin(folder.Id)));
  // Those that found a place wait for their last bytes; the others are answered.
  const isRefused = (wire: Wire) => wire.hasReceived();
  await eventually('three are refused', () => wires.filter(isRefused).length >= 3, 20_000);
  const refused = wires.filter(isRefused);
  assert.equal(refused.length, 3);
  for (const wire of refused) {
    const answer = await wire.answer();
    assertRefusal(answer, 403, 'TooManyUploads');
    assert.equal(answer.headers['retry-after'], '1');
  }
  const one = [{ name: 'a', content: 'x' }];
  assert.equal(toResults(await postBatch(caller, one, { headers: { FolderId: folder.Id } })).length, 1);
  const waiting = wires.find((wire) => !refused.includes(wire)) as Wire;
  waiting.write(body.subarray(-10));
  assert.equal(toResults(await waiting.answer()).length, files.length);
  const next = await begin(folder.Id);
  next.write(body.subarray(-10));
  assert.equal(toResults(await next.answer()).length, files.length);
  for (const wire of [...wires, next]) wire.close();
});

test('An interrupted batch leaves nothing, nor do large files in it', async () => {
  const folder = await makeFolder(caller);
  const large = multipart(['a', 'b'].map((name) => filePart('y'.repeat(300_000), { fileName: name })));
  for (const bytes of [200_000, 400_000, large.length - 3]) {
    using wire = await openWire(caller.base);
    const headers = { FolderId: folder.Id, 'Content-Type': MULTIPART, 'Content-Length': String(large.length) };
    wire.write(contentHead(caller, 'POST', '/files/batch', headers));
    await wire.writeBeforeReading(large.subarray(0, bytes));
  }
  await eventually('nothing is arriving', async () => listIncoming(dataFolder).length === 0);
  await assertEmptyFolder(caller, folder);
});
