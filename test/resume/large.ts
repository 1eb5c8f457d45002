// One upload of many GiB, by the draft: cut five times, once more by a kill of the service, and gone on with each time from where it
// was. Its bytes come from a cipher, so that neither end has to keep them; both must get along with little memory.

import { createCipheriv, createHash } from 'node:crypto';
import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { findFreePort } from '../free-ports.ts';
import { type Caller, CONTENT, call, identity } from '../interface/client.ts';
import {
  addCaller,
  makeDataFolder,
  readMemoryBytes,
  removeDataFolder,
  type Started,
  startService,
} from '../service/service.ts';
import { Cutter, toRandom } from './cutter.ts';

const mib = 1024 * 1024;
const zeros = Buffer.alloc(mib);
const mostOverIdleBytes = 96 * mib;
const lookEveryMs = 100;

/** The MiB of that number: the same each time. */
function toBlock(index: number): Buffer {
  const counter = Buffer.alloc(16);
  counter.writeBigUInt64BE(BigInt((index * mib) / 16), 8);
  return createCipheriv('aes-128-ctr', Buffer.alloc(16, 7), counter).update(zeros);
}

export async function runLarge(gib: number): Promise<void> {
  const begun = performance.now();
  const sizeBytes = gib * 1024 * mib;
  const dataFolder = makeDataFolder();
  // The same port after each start: tokens are of one address.
  const environment = { CABINET_PORT: String(await findFreePort()) };
  let service = await startService(dataFolder, { environment, readyWithinMs: 180_000 });
  const caller = await addCaller(dataFolder, service.production, 'large');
  const cutter = await Cutter.open({ random: toRandom(1), share: 0, withinBytes: 0 });
  cutter.target = Number(new URL(service.production).port);
  const idle = { service: readMemoryBytes(pidOf(service), 'VmRSS'), client: process.memoryUsage.rss() };
  const peak = { service: 0, client: 0 };
  const looking = setInterval(() => {
    const isRunning = service.process.exitCode === null && service.process.signalCode === null;
    // One that is just being ended has no memory to tell of.
    const now = isRunning ? readMemoryBytes(pidOf(service), 'VmRSS') : Number.NaN;
    if (Number.isFinite(now)) peak.service = Math.max(peak.service, now - idle.service);
    peak.client = Math.max(peak.client, process.memoryUsage.rss() - idle.client);
  }, lookEveryMs);
  const address = await begin(caller, sizeBytes);
  // At these shares of the whole: five cuts, and between them a kill.
  const ends = [0.1, 0.25, 0.4, 'kill', 0.7, 0.85, 1] as const;
  let cuts = 0;
  for (const end of ends) {
    const offset = await findOffset(caller, address);
    const until = end === 'kill' ? 0.55 : end;
    console.log(
      `from ${((offset / sizeBytes) * 100).toFixed(1)} % to ${end === 'kill' ? 'a kill' : `${until * 100} %`}`,
    );
    await send(caller, {
      base: cutter.url,
      address,
      offset,
      sizeBytes,
      stopAt: until === 1 ? null : Math.floor(until * sizeBytes),
      onStop: () => cutter.cutAll(),
    });
    if (end === 'kill') {
      await service.stop('SIGKILL');
      service = await startService(dataFolder, { environment, readyWithinMs: 180_000 });
    } else if (end !== 1) cuts += 1;
  }
  const entry = await findEntry(caller, address);
  clearInterval(looking);
  const hash = createHash('sha256');
  for (let index = 0; index < sizeBytes / mib; index += 1) hash.update(toBlock(index));
  const shown = JSON.parse(String((await call(caller, `/entries/${entry}`)).body)) as {
    Sha256: string;
    Version: number;
  };
  const isRight = shown.Sha256 === hash.digest('hex');
  const isFlat = peak.service < mostOverIdleBytes && peak.client < mostOverIdleBytes;
  await service.stop();
  await cutter.close();
  const seconds = Math.round((performance.now() - begun) / 1000);
  const memory = `service +${Math.round(peak.service / mib)} MiB, client +${Math.round(peak.client / mib)} MiB over idle`;
  console.log(
    `${gib} GiB in ${seconds} s, ${cuts} cuts, 1 restart by kill -9: digest ${isRight ? 'right' : 'WRONG'}, ${memory}${isFlat ? '' : ': TOO MUCH'}`,
  );
  removeDataFolder(dataFolder);
  process.exitCode = isRight && isFlat ? 0 : 1;
}

function pidOf(service: Started): number {
  return service.process.pid as number;
}

async function begin(caller: Caller, sizeBytes: number): Promise<string> {
  const headers = { FileName: 'large.bin', 'Upload-Complete': '?0', 'Upload-Length': String(sizeBytes) };
  return String((await call(caller, '/files', { method: 'POST', headers })).headers.location);
}

async function head(caller: Caller, address: string) {
  return await call(caller, address.slice(CONTENT.length), { method: 'HEAD' });
}

async function findOffset(caller: Caller, address: string): Promise<number> {
  return Number((await head(caller, address)).headers['upload-offset']);
}

async function findEntry(caller: Caller, address: string): Promise<string> {
  return String((await head(caller, address)).headers.entryid);
}

interface Sending {
  base: string;
  address: string;
  offset: number;
  sizeBytes: number;
  /** Null: to the end. */
  stopAt: number | null;
  onStop(): void;
}

async function send(caller: Caller, { base, address, offset, sizeBytes, stopAt, onStop }: Sending): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const outgoing = request(new URL(address, base), {
    method: 'PATCH',
    headers: {
      ...(identity(caller) as Record<string, string>),
      'Content-Type': 'application/partial-upload',
      'Content-Length': sizeBytes - offset,
      'Upload-Offset': String(offset),
      'Upload-Complete': '?1',
    },
  });
  outgoing.on('response', (incoming) => {
    incoming.resume();
    if (incoming.statusCode === 200) resolve();
    else reject(new Error(`PATCH: ${incoming.statusCode}`));
  });
  outgoing.on('error', (error) => (stopAt === null ? reject(error) : resolve()));
  for (let at = offset; at < (stopAt ?? sizeBytes) && !outgoing.destroyed; ) {
    const index = Math.floor(at / mib);
    const block = toBlock(index).subarray(at - index * mib, Math.min(mib, sizeBytes - index * mib));
    at += block.length;
    if (!outgoing.write(block)) await Promise.race([new Promise((done) => outgoing.once('drain', done)), promise]);
  }
  if (stopAt === null) outgoing.end();
  else onStop();
  await promise;
  await pause(50);
}
