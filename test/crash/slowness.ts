// Clients that take their time: a thousand uploads that trickle in at once, and readers that do not read. Others are served,
// memory stays flat, and what trickles in is whole in the end.

import { hash } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { download, identity, listFolder, saveFile } from '../interface/client.ts';
import { countDescriptors, eventually, listIncoming, readMemoryBytes } from '../service/service.ts';
import type { Scene } from './aborts.ts';
import { Bystander } from './bystander.ts';

const uploadBytes = 100_000;
const pieces = 10;
const restMs = 300;
const patienceMs = 60_000;
/** For each slow upload, beside what the process needs anyway. */
const mostEachBytes = 256 * 1024;
const mostBesideBytes = 128 * 1024 * 1024;
const readBytes = 8 * 1024 * 1024;
const holdMs = 3000;
const sampled = 20;

export async function uploadSlowly(scene: Scene, count: number): Promise<void> {
  const { report, ground, service, caller, random } = scene;
  const pid = service.process.pid as number;
  const before = { descriptors: countDescriptors(pid), memory: readMemoryBytes(pid, 'VmRSS') };
  const bytes = random.bytes(uploadBytes);
  const bystander = new Bystander(report, caller);
  const uploads = Array.from({ length: count }, (_, index) => uploadOne(scene, `slow-${index}`, bytes));
  const answers = await Promise.all(uploads);
  const growth = readMemoryBytes(pid, 'VmRSS') - before.memory;
  await bystander.leave('during slow uploads');
  const bad = answers.filter((answer) => !answer.startsWith('HTTP/1.1 200 '));
  if (bad.length > 0) report.wrong(`${bad.length} slow uploads were not saved: ${bad[0]?.slice(0, 300)}`);
  report.count('slow uploads', count);
  report.count('memory of them MiB', Math.round(growth / 1024 / 1024));
  if (growth > count * mostEachBytes + mostBesideBytes) report.wrong(`slow uploads take ${growth} bytes of memory`);
  const stored = (await listFolder(caller, '-root-')).filter(({ Name }) => Name.startsWith('slow-'));
  if (stored.length !== count) report.wrong(`${stored.length} of ${count} slow uploads are there`);
  for (const { Id, Name } of stored.slice(0, sampled)) {
    const saved = await download(caller, Id);
    if (hash('sha256', saved) !== hash('sha256', bytes)) report.wrong(`${Name} has other bytes`);
  }
  await eventually('no half file is left', () => listIncoming(ground.dataFolder).length === 0, patienceMs);
  await eventually('descriptors come back', () => countDescriptors(pid) <= before.descriptors + 8, patienceMs);
}

/** Resolves to the answer, or to what it has of it when the connection ends. */
async function uploadOne({ caller }: Scene, name: string, bytes: Buffer): Promise<string> {
  const socket = open(caller.base);
  let answer = '';
  socket.on('data', (text: Buffer) => {
    answer += text.toString('latin1');
  });
  const ended = new Promise((resolve) => socket.once('close', resolve));
  const headers = { ...identity(caller), FileName: name, 'Content-Length': bytes.length, Prefer: 'return=minimal' };
  socket.write(toHead('POST /v1/contentmanagement/files', { ...headers, Connection: 'close' }));
  for (let piece = 0; piece < pieces && !socket.destroyed; piece += 1) {
    await sleep(restMs);
    socket.write(bytes.subarray((piece * bytes.length) / pieces, ((piece + 1) * bytes.length) / pieces));
  }
  await ended;
  return answer;
}

function open(base: string): Socket {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  return socket;
}

function toHead(line: string, headers: Record<string, unknown>): string {
  const lines = Object.entries({ Host: 'x', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${line} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

/** They ask for a large file and take in nothing of it. */
export async function readSlowly(scene: Scene, count: number): Promise<void> {
  const { report, service, caller, random } = scene;
  const pid = service.process.pid as number;
  const bytes = random.bytes(readBytes);
  const { File } = await saveFile(caller, { FolderId: '', FileName: 'read slowly' }, bytes);
  const before = { descriptors: countDescriptors(pid), memory: readMemoryBytes(pid, 'VmRSS') };
  const bystander = new Bystander(report, caller);
  const sockets = Array.from({ length: count }, () => open(caller.base));
  for (const socket of sockets) {
    socket.pause();
    socket.write(toHead(`GET /v1/contentmanagement/files/${File.Id}/content`, identity(caller)));
  }
  await sleep(holdMs);
  const growth = readMemoryBytes(pid, 'VmRSS') - before.memory;
  await bystander.leave('during slow reads');
  report.count('slow readers', count);
  report.count('memory of those MiB', Math.round(growth / 1024 / 1024));
  // Two chunks of a MiB each are on their way to a reader, and what the kernel has taken is not ours.
  if (growth > count * 3 * 1024 * 1024 + mostBesideBytes) report.wrong(`slow readers take ${growth} bytes of memory`);
  const closed = sockets.map((socket) => (socket.closed ? null : once(socket, 'close')));
  for (const socket of sockets) socket.resetAndDestroy();
  await Promise.all(closed);
  await eventually('descriptors come back', () => countDescriptors(pid) <= before.descriptors + 8, patienceMs);
}
