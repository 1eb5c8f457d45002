// Connections that request more than they read, or send very few bytes at a time.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { type Caller, download, identity, listFolder, saveFile, send } from '../interface/client.ts';
import { sized } from '../size.ts';
import {
  addCaller,
  eventually,
  makeDataFolder,
  readMemoryBytes,
  removeDataFolder,
  type Started,
  startService,
} from './service.ts';

const isSkipped = { skip: process.platform !== 'linux' };
const mib = 1024 * 1024;
const dataFolder = makeDataFolder();
let service: Started;
let caller: Caller;

before(async () => {
  service = await startService(dataFolder);
  caller = await addCaller(dataFolder, service.production, 'app');
});
after(async () => {
  await service.stop('SIGKILL');
  removeDataFolder(dataFolder);
});

async function open(): Promise<Socket> {
  const { hostname, port } = new URL(service.production);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

function toHead(method: string, path: string, more: Record<string, string> = {}): string {
  const { Authorization, AppKey } = identity(caller);
  const headers = Object.entries({ Host: 'x', Authorization, AppKey, ...more });
  return `${method} /v1/contentmanagement${path} HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}

/** How many blobs the service has open. */
function countOpenBlobs(): number {
  const folder = `/proc/${service.process.pid}/fd`;
  const targets = readdirSync(folder).map((name) => {
    try {
      return readlinkSync(`${folder}/${name}`);
    } catch {
      return '';
    }
  });
  return targets.filter((target) => target.includes('/blobs/')).length;
}

test('pipelined downloads of one connection are opened one at a time, and all are answered', isSkipped, async () => {
  const count = sized(16, 40);
  const bytes = randomBytes(3 * mib);
  const { File } = await saveFile(caller, { FolderId: '', FileName: 'large' }, bytes);
  const socket = await open();
  socket.pause();
  socket.write(toHead('GET', `/files/${File.Id}/content`).repeat(count));
  await eventually('one is opened', () => countOpenBlobs() > 0);
  for (let look = 0; look < 50; look += 1) {
    assert.ok(countOpenBlobs() <= 1, `${countOpenBlobs()} are open`);
    assert.equal((await send(service.production, '/health/live')).status, 200);
  }
  let received = 0;
  socket.on('data', (chunk: Buffer) => {
    received += chunk.length;
  });
  socket.resume();
  await eventually('all are answered', () => received > count * bytes.length, 20_000);
  socket.destroy();
  await eventually('none is open', () => countOpenBlobs() === 0);
});

test('a connection that closes, or pipelines too many requests, leaves nothing behind', isSkipped, async () => {
  const { File } = await saveFile(caller, { FolderId: '', FileName: 'left' }, randomBytes(3 * mib));
  for (const count of [50, 500]) {
    const socket = await open();
    socket.pause();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(toHead('GET', `/files/${File.Id}/content`).repeat(count));
    if (count === 50) {
      await eventually('one is opened', () => countOpenBlobs() > 0);
      socket.resetAndDestroy();
    } else socket.resume();
    await closed;
    await eventually('none is open', () => countOpenBlobs() === 0);
  }
  await eventually('only the one that asks is under way', async () => {
    const { body } = await send(service.production, '/metrics');
    return /^cabinet_requests_in_progress\{[^}]*\} 1$/m.test(body.toString());
  });
});

test('bytes in chunks of one do not use a hundred times their size', isSkipped, async () => {
  const connections = sized(2, 4);
  const sizeBytes = mib / 2;
  for (let index = 0; index < 20; index += 1)
    await saveFile(caller, { FolderId: '', FileName: `warm-${index}` }, randomBytes(200_000));
  const pid = service.process.pid as number;
  const idleBytes = readMemoryBytes(pid, 'VmRSS');
  let peakBytes = 0;
  const watch = setInterval(() => {
    peakBytes = Math.max(peakBytes, readMemoryBytes(pid, 'VmRSS'));
  }, 10);
  const body = Buffer.from('1\r\nx\r\n'.repeat(sizeBytes));
  const sockets = await Promise.all(
    Array.from({ length: connections }, async (_, index) => {
      const socket = await open();
      socket.write(toHead('POST', '/files', { FileName: `tiny-${index}`, 'Transfer-Encoding': 'chunked' }));
      socket.write(body);
      return socket;
    }),
  );
  const answers = sockets.map((socket) => once(socket, 'data'));
  for (const socket of sockets) socket.write('0\r\n\r\n');
  for (const [answer] of (await Promise.all(answers)) as [Buffer][])
    assert.match(answer.toString(), /^HTTP\/1\.1 200 /);
  clearInterval(watch);
  for (const socket of sockets) socket.destroy();
  const saved = (await listFolder(caller, '-root-')).filter(({ Name }) => Name.startsWith('tiny-'));
  assert.equal(saved.length, connections);
  assert.ok((await download(caller, saved[0]?.Id ?? '')).equals(Buffer.alloc(sizeBytes, 'x')));
  const grown = peakBytes - idleBytes;
  console.log(`${connections} bodies of ${sizeBytes} chunks: ${Math.round(grown / mib)} MiB more than idle`);
  assert.ok(grown < 64 * mib, `${Math.round(grown / mib)} MiB more than idle`);
});
