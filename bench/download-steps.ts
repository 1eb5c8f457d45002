// The ways in which a large file is read back: whole, a range, several ranges, the end of it, several readers at once, and on from
// where a download broke off. Each checks what comes and resolves to how many bytes that was; null: it cannot be tried here.

import { spawn } from 'node:child_process';
import { closeSync, createReadStream, ftruncateSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { hasProgram } from '../test/service/programs.ts';
import type { Client } from './client.ts';
import type { GeneratedFile } from './generated-file.ts';
import type { Service } from './service.ts';

type Stage = { client: Client; service: Service; id: string; file: GeneratedFile; scratch: string };
type Step = () => Promise<number | null>;

/** Of a resumed download, and of each of several ranges. */
const mostTailBytes = 256 * 1024 * 1024;
const severalBytes = 64 * 1024;
const readersAtOnce = 4;

export function toDownloadSteps(stage: Stage): Record<string, Step> {
  const { file } = stage;
  const { sizeBytes } = file;
  const middle = Math.floor(sizeBytes / 3);
  const tailBytes = Math.min(mostTailBytes, Math.floor(sizeBytes / 4));
  const range =
    (start: number, end: number, header: string): Step =>
    () =>
      readRange(stage, { start, end, header });
  return {
    whole: () => readWhole(stage),
    'a range': range(middle, 2 * middle, `bytes=${middle}-${2 * middle - 1}`),
    'open to the end': range(2 * middle, sizeBytes, `bytes=${2 * middle}-`),
    'the last bytes': range(sizeBytes - tailBytes, sizeBytes, `bytes=-${tailBytes}`),
    'several ranges': () => readSeveral(stage),
    [`${readersAtOnce} readers at once`]: async () => {
      const read = await Promise.all(Array.from({ length: readersAtOnce }, () => readWhole(stage)));
      return read.reduce((sum, bytes) => sum + bytes, 0);
    },
    'resumed by curl -C -': () => resume(stage, sizeBytes - tailBytes),
  };
}

async function readWhole({ client, id, file }: Stage): Promise<number> {
  const response = await client.open(`/files/${id}/content`);
  await file.check(response, 0, file.sizeBytes);
  return file.sizeBytes;
}

async function readRange(
  { client, id, file }: Stage,
  { start, end, header }: { start: number; end: number; header: string },
): Promise<number> {
  const response = await client.open(`/files/${id}/content`, { headers: { Range: header }, status: 206 });
  const wanted = `bytes ${start}-${end - 1}/${file.sizeBytes}`;
  if (response.headers['content-range'] !== wanted)
    throw new Error(`Content-Range is ${response.headers['content-range']}, wanted ${wanted}`);
  await file.check(response, start, end);
  return end - start;
}

/** Five of them, over the whole file, as one answer in parts (RFC 9110, 14.6). */
async function readSeveral({ client, id, file }: Stage): Promise<number> {
  const size = Math.min(severalBytes, Math.floor(file.sizeBytes / 10));
  const starts = [0.1, 0.3, 0.5, 0.7, 0.9].map((share) => Math.floor(file.sizeBytes * share));
  const header = `bytes=${starts.map((start) => `${start}-${start + size - 1}`).join(',')}`;
  const response = await client.open(`/files/${id}/content`, { headers: { Range: header }, status: 206 });
  const boundary = /boundary="?([^";]+)/.exec(String(response.headers['content-type']))?.[1];
  if (boundary === undefined) throw new Error(`several ranges came as ${response.headers['content-type']}`);
  const body = await buffer(response);
  for (const start of starts) {
    const end = start + size;
    const wanted = Buffer.from(`bytes ${start}-${end - 1}/${file.sizeBytes}`);
    const headAt = body.indexOf(wanted);
    if (headAt < 0) throw new Error(`no part has ${wanted}`);
    const bodyAt = body.indexOf('\r\n\r\n', headAt) + 4;
    await file.check(toPieces(body.subarray(bodyAt, bodyAt + size)), start, end);
    if (body.toString('latin1', bodyAt + size, bodyAt + size + 4 + boundary.length) !== `\r\n--${boundary}`)
      throw new Error('a part is longer than its range');
  }
  return body.length;
}

async function* toPieces(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** curl sees by the length of what is there how much it has; nothing of it needs to be on the disk. */
async function resume({ service, id, file, scratch }: Stage, start: number): Promise<number | null> {
  const part = join(scratch, 'resumed.bin');
  const descriptor = openSync(part, 'w');
  ftruncateSync(descriptor, start);
  closeSync(descriptor);
  try {
    const headers = Object.entries(service.headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
    const url = `${service.base}/v1/contentmanagement/files/${id}/content`;
    const code = await runCurl(['-sS', '--fail', '-C', '-', '-o', part, ...headers, url]);
    if (code === null) return null;
    if (code !== 0) throw new Error(`curl -C - ended with ${code}`);
    await file.check(createReadStream(part, { start }), start, file.sizeBytes);
    return file.sizeBytes - start;
  } finally {
    rmSync(part, { force: true });
  }
}

/** Null where there is no curl. */
async function runCurl(args: string[]): Promise<number | null> {
  if (!hasProgram('curl')) return null;
  return await new Promise((resolve, reject) => {
    const child = spawn('curl', args, { stdio: ['ignore', 'ignore', 'inherit'] });
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? -1));
  });
}
