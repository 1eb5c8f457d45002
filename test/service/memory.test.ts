// A large upload, its download and its archive, at flat memory.

import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { statfsSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { type Caller, identity, saveFile } from '../interface/client.ts';
import { sized } from '../size.ts';
import { addCaller, makeDataFolder, readMemoryBytes, removeDataFolder, startService } from './service.ts';

const mib = 1024 ** 2;
const sizeMib = sized(128, 2048);
const sizeBytes = sizeMib * mib;
const allowedBytes = 64 * 1024 * 1024;

const { bavail, bsize } = statfsSync(tmpdir());
const reason =
  process.platform !== 'linux'
    ? 'memory is read from /proc'
    : bavail * bsize < 2 * sizeBytes
      ? `less than ${2 * sizeMib} MiB are free`
      : null;
if (reason !== null) console.error(`SKIPPED: an upload of ${sizeMib} MiB (${reason})`);

test(`an upload of ${sizeMib} MiB, its download and archive add at most 64 MiB to the idle memory of the process`, {
  skip: reason !== null,
}, async (context) => {
  const dataFolder = makeDataFolder();
  const service = await startService(dataFolder);
  context.after(async () => {
    await service.stop();
    removeDataFolder(dataFolder);
  });
  const caller = await addCaller(dataFolder, service.production, 'app');
  const pid = service.process.pid as number;
  // Idle means: it has served before, so that what every process needs once is there.
  for (let index = 0; index < 20; index += 1)
    await saveFile(caller, { FolderId: '', FileName: `warm-${index}` }, randomBytes(100_000));
  const idleBytes = readMemoryBytes(pid, 'VmRSS');
  let peakBytes = 0;
  const watch = setInterval(() => {
    peakBytes = Math.max(peakBytes, readMemoryBytes(pid, 'VmRSS'));
  }, 20);
  const block = randomBytes(1024 * 1024);
  const sent = createHash('sha256');
  const id = await new Promise<string>((resolve, reject) => {
    const upload = request(`${caller.base}/v1/contentmanagement/files`, {
      method: 'POST',
      headers: { ...(identity(caller) as Record<string, string>), FileName: 'big.bin', 'Content-Length': sizeBytes },
    });
    upload.on('error', reject);
    upload.on('response', (answer) => {
      assert.equal(answer.statusCode, 200);
      answer.resume();
      resolve(String(answer.headers.entryid));
    });
    let left = sizeBytes;
    const push = () => {
      while (left > 0) {
        left -= block.length;
        block.writeUInt32LE(left >>> 20, 0);
        const copy = Buffer.from(block);
        sent.update(copy);
        if (!upload.write(copy)) return;
      }
      upload.end();
    };
    upload.on('drain', push);
    push();
  });
  const upBytes = peakBytes;
  const received = createHash('sha256');
  await read(caller, `/files/${id}/content`, (chunk) => received.update(chunk));
  const downBytes = peakBytes;
  let archivedBytes = 0;
  await read(caller, '/folders/-root-/archive', (chunk) => {
    archivedBytes += chunk.length;
  });
  clearInterval(watch);
  const toMib = (bytes: number) => Math.round(bytes / mib);
  console.log(
    `idle ${toMib(idleBytes)} MiB, upload +${toMib(upBytes - idleBytes)} MiB, download +${toMib(downBytes - idleBytes)} MiB, archive +${toMib(peakBytes - idleBytes)} MiB`,
  );
  assert.equal(received.digest('hex'), sent.digest('hex'));
  assert.ok(upBytes - idleBytes <= allowedBytes, `the upload added ${toMib(upBytes - idleBytes)} MiB`);
  assert.ok(downBytes - idleBytes <= allowedBytes, `the download added ${toMib(downBytes - idleBytes)} MiB`);
  assert.ok(archivedBytes > sizeBytes + 20 * 100_000, 'the archive has less than what was saved');
  assert.ok(peakBytes - idleBytes <= allowedBytes, `the archive added ${toMib(peakBytes - idleBytes)} MiB`);
});

function read(caller: Caller, path: string, take: (chunk: Buffer) => void): Promise<void> {
  const headers = identity(caller) as Record<string, string>;
  return new Promise((resolve, reject) => {
    request(`${caller.base}/v1/contentmanagement${path}`, { headers })
      .on('error', reject)
      .on('response', (answer) => {
        answer.on('data', take);
        answer.on('end', resolve);
        answer.on('error', reject);
      })
      .end();
  });
}
