// Incomplete uploads, cut at every stage in every form: nothing becomes visible, nothing is left.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import type { Entry } from '../interface/assertions.ts';
import { assertEmptyFolder, type Caller, identity, makeFolder, saveFile } from '../interface/client.ts';
import { type Form, sendCut, toForms } from './cut-uploads.ts';
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

const content = randomBytes(300_000);

function cut(folder: Entry, form: Form, atByte: number, how: 'end' | 'reset'): Promise<void> {
  const target = { line: 'POST /v1/contentmanagement/files', headers: { FolderId: folder.Id, FileName: 'cut' } };
  return sendCut(caller, { form, atByte, how, restMs: 3, target });
}

for (const [name, form] of Object.entries(toForms(content))) {
  test(`an upload cut at any byte leaves nothing: ${name}`, async () => {
    const folder = await makeFolder(caller);
    const pid = service.process.pid as number;
    const descriptors = countDescriptors(pid);
    const last = form.bytes.length - 1;
    const places = [0, 1, 40, 100, 65_536, 131_000, last - 40, last - 2, last].filter((at) => at >= 0 && at <= last);
    const random = Array.from({ length: 15 }, () => Math.floor(Math.random() * last));
    const cuts = [...places, ...random].flatMap((at) => [cut(folder, form, at, 'end'), cut(folder, form, at, 'reset')]);
    await Promise.all(cuts);
    await eventually('no file is left half written', () => listIncoming(dataFolder).length === 0);
    await eventually('descriptors are given back', () => countDescriptors(pid) <= descriptors + 2);
    await assertEmptyFolder(caller, folder);
    await saveFile(caller, { FolderId: folder.Id, FileName: 'cut' }, content);
  });
}

test('an upload is not visible before it is complete', async () => {
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
