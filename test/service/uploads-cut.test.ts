// Uploads that end before they are whole, cut at every stage in every form: nothing becomes visible, nothing is left.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import type { Entry } from '../interface/assertions.ts';
import { assertEmptyFolder, type Caller, identity, makeFolder, saveFile } from '../interface/client.ts';
import {
  addCaller,
  countDescriptors,
  eventually,
  listIncoming,
  makeDataFolder,
  removeDataFolder,
  type Started,
  startService,
} from './service.ts';

const dataFolder = makeDataFolder();
let service: Started;
let caller: Caller;

before(async () => {
  service = await startService(dataFolder);
  caller = await addCaller(dataFolder, service.production, 'cutter');
});
after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

const boundary = 'x-cut-x';
const content = randomBytes(300_000);

function toPart(bytes: Buffer): Buffer {
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="filename"; filename="a.bin"\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]);
}

function toChunked(bytes: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 50_000) {
    const piece = bytes.subarray(at, at + 50_000);
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'));
  }
  return Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')]);
}

const small = Buffer.from('small enough for the catalog');
const json = Buffer.from(JSON.stringify({ filename: content.toString('base64') }));
const multipart = `multipart/form-data; boundary=${boundary}`;

/** Every way in which bytes travel, whole, with its framing. */
const forms: Record<string, { type: string; framing: string; bytes: Buffer }> = {
  'raw, small': { type: 'text/plain', framing: `Content-Length: ${small.length}`, bytes: small },
  'raw, large': { type: 'application/octet-stream', framing: `Content-Length: ${content.length}`, bytes: content },
  'raw, chunked': {
    type: 'application/octet-stream',
    framing: 'Transfer-Encoding: chunked',
    bytes: toChunked(content),
  },
  multipart: { type: multipart, framing: `Content-Length: ${toPart(content).length}`, bytes: toPart(content) },
  'multipart, chunked': { type: multipart, framing: 'Transfer-Encoding: chunked', bytes: toChunked(toPart(content)) },
  'base64 in JSON': { type: 'application/json', framing: `Content-Length: ${json.length}`, bytes: json },
};

async function sendCut(
  folder: Entry,
  form: (typeof forms)[string],
  atByte: number,
  how: 'end' | 'reset',
): Promise<void> {
  const { hostname, port } = new URL(caller.base);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  const { Authorization, AppKey } = identity(caller);
  socket.write(
    `POST /v1/contentmanagement/files HTTP/1.1\r\nHost: x\r\nAuthorization: ${Authorization}\r\nAppKey: ${AppKey}\r\n` +
      `FolderId: ${folder.Id}\r\nFileName: cut\r\nContent-Type: ${form.type}\r\n${form.framing}\r\n\r\n`,
  );
  await new Promise<void>((resolve) => socket.write(form.bytes.subarray(0, atByte), () => resolve()));
  await new Promise((resolve) => setTimeout(resolve, 3));
  const closed = once(socket, 'close');
  if (how === 'reset') socket.resetAndDestroy();
  else {
    socket.end();
    socket.resume();
  }
  await closed;
}

for (const [name, form] of Object.entries(forms)) {
  test(`an upload cut at any byte leaves nothing: ${name}`, async () => {
    const folder = await makeFolder(caller);
    const pid = service.process.pid as number;
    const descriptors = countDescriptors(pid);
    const last = form.bytes.length - 1;
    const places = [0, 1, 40, 100, 65_536, 131_000, last - 40, last - 2, last].filter((at) => at >= 0 && at <= last);
    const random = Array.from({ length: 15 }, () => Math.floor(Math.random() * last));
    const cuts = [...places, ...random].flatMap((at) => [
      sendCut(folder, form, at, 'end'),
      sendCut(folder, form, at, 'reset'),
    ]);
    await Promise.all(cuts);
    await eventually('no file is left half written', () => listIncoming(dataFolder).length === 0);
    await eventually('descriptors are given back', () => countDescriptors(pid) <= descriptors + 2);
    await assertEmptyFolder(caller, folder);
    await saveFile(caller, { FolderId: folder.Id, FileName: 'cut' }, content);
  });
}

test('while an upload is on its way, it is not visible', async () => {
  const folder = await makeFolder(caller);
  const { hostname, port } = new URL(caller.base);
  const socket = connect(Number(port), hostname);
  const { Authorization, AppKey } = identity(caller);
  socket.write(
    `POST /v1/contentmanagement/files HTTP/1.1\r\nHost: x\r\nAuthorization: ${Authorization}\r\nAppKey: ${AppKey}\r\n` +
      `FolderId: ${folder.Id}\r\nFileName: slow\r\nContent-Length: ${content.length}\r\nConnection: close\r\n\r\n`,
  );
  socket.write(content.subarray(0, 200_000));
  await eventually('the bytes arrive', () => listIncoming(dataFolder).length === 1);
  await assertEmptyFolder(caller, folder);
  socket.write(content.subarray(200_000));
  const [answer] = (await once(socket, 'data')) as [Buffer];
  assert.match(answer.toString(), /^HTTP\/1\.1 200 /);
  socket.destroy();
});
