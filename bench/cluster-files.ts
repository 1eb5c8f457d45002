// Large files through a node into S3, beside the bare SDK's upload of the same file.

import { createReadStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { Postgres } from '../test/cluster/postgres.ts';
import { type Swift, startSwift } from '../test/cluster/swift.ts';
import type { Children } from './children.ts';
import { toNodeOptions, toWord } from './cluster.ts';
import type { Options } from './options.ts';
import { say } from './scenario.ts';
import { type Service, startService } from './service.ts';
import { layOut, median, show } from './table.ts';

/** "S3 large-file throughput ≥ 0.8× of the bare SDK's upload of the same file" */
const leastOfSdk = 0.8;

type Figures = { sdk: number[]; node: number[] };

export async function largeFiles(
  children: Children,
  options: Options,
  postgres: Postgres,
): Promise<{ markdown: string; isHeld: boolean; figures: Figures | null }> {
  const swift = await startSwift();
  if (swift === null) return { markdown: 'S3: SKIPPED, Swift cannot be had here.', isHeld: true, figures: null };
  const sizeMib = options.size ?? 0;
  const path = join(children.folder, 'large');
  try {
    await makeFile(path, sizeMib);
    const service = await startService(
      children,
      toNodeOptions(options, await postgres.newDatabase(), 's3', toSetting(swift)),
    );
    const figures: Figures = { sdk: [], node: [] };
    for (let round = 0; round < options.rounds; round++) {
      await touch(path, round);
      figures.sdk.push(sizeMib / (await time(() => uploadBare(swift, path, round))));
      figures.node.push(sizeMib / (await time(() => save(service, path, sizeMib, round))));
      say(
        `round ${round + 1}: SDK ${show(figures.sdk.at(-1) ?? 0, 0)} MiB/s, node ${show(figures.node.at(-1) ?? 0, 0)} MiB/s`,
      );
    }
    await children.end([service.pid]);
    return { ...toReport(figures, sizeMib), figures };
  } finally {
    await rm(path, { force: true });
    await swift.stop();
  }
}

function toSetting({ bucket, endpoint, region, accessKey, secretKey }: Swift): string {
  const user = `${encodeURIComponent(accessKey)}:${encodeURIComponent(secretKey)}`;
  return `s3://${user}@${bucket}?endpoint=${encodeURIComponent(endpoint)}&region=${region}&pathStyle=yes`;
}

async function makeFile(path: string, sizeMib: number): Promise<void> {
  const file = await open(path, 'w');
  const block = Buffer.alloc(1024 * 1024, 'x');
  for (let index = 0; index < sizeMib; index++) {
    block.writeUInt32LE(index);
    await file.write(block);
  }
  await file.close();
}

/** Other bytes than before: the same ones are kept once. */
async function touch(path: string, round: number): Promise<void> {
  const file = await open(path, 'r+');
  await file.write(Buffer.from(`round ${round} ${Date.now()}`), 0, undefined, 0);
  await file.close();
}

async function time(work: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  await work();
  return (performance.now() - startMs) / 1000;
}

async function uploadBare(
  { endpoint, region, accessKey, secretKey, bucket }: Swift,
  path: string,
  round: number,
): Promise<void> {
  const client = new S3Client({
    endpoint,
    region,
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  const Body = createReadStream(path, { highWaterMark: 1024 * 1024 });
  await new Upload({ client, params: { Bucket: bucket, Key: `bare-${round}`, Body } }).done();
  client.destroy();
}

async function save({ base, headers }: Service, path: string, sizeMib: number, round: number): Promise<void> {
  const answered = Promise.withResolvers<number>();
  const sent = request(`${base}/v1/contentmanagement/files`, {
    method: 'POST',
    headers: {
      ...headers,
      FileName: `large-${round}`,
      'Content-Type': 'application/octet-stream',
      'Content-Length': sizeMib * 1024 * 1024,
      Prefer: 'return=minimal',
    },
  });
  sent.on('response', (response) => {
    response.resume();
    response.on('end', () => answered.resolve(response.statusCode ?? 0));
  });
  sent.on('error', answered.reject);
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), sent);
  const status = await answered.promise;
  if (status !== 200) throw new Error(`the save of a large file was answered ${status}`);
}

function toReport({ sdk, node }: Figures, sizeMib: number): { markdown: string; isHeld: boolean } {
  const ratio = median(node) / median(sdk);
  const isHeld = ratio >= leastOfSdk;
  const rows = [
    ['the SDK alone', show(median(sdk), 0)],
    ['a save through a node', show(median(node), 0)],
  ];
  const bar = `A file of ${sizeMib} MiB reaches S3 at ${show(ratio, 2)} of the bare SDK's speed (≥ ${leastOfSdk}: ${toWord(isHeld)}).`;
  return { markdown: `${layOut(['', 'MiB/s'], rows)}\n\n${bar}`, isHeld };
}
