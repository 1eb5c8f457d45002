// Third-party clients, each of which uploads a file and retries for as long as it takes: tus-js-client by tus and by
// both drafts, tuspy, and curl by hand, by the headers of the draft.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { Upload, type UploadOptions } from 'tus-js-client';
import type { Random } from './cutter.ts';

const patienceMs = 300_000;
const mostTries = 20;
const retryDelaysMs = Array.from({ length: 2000 }, () => 100);

export interface Job {
  name: string;
  /** Where its bytes are. */
  path: string;
  sizeBytes: number;
  /** Of the service, through whatever is in between. */
  base: string;
  headers: Record<string, string>;
  random: Random;
}

export type Judge = (job: Job) => Promise<void>;

const content = '/v1/contentmanagement';

function pick<Choice>(random: Random, choices: readonly Choice[]): Choice {
  return choices[Math.floor(random() * choices.length)] as Choice;
}

/** In pieces or at once; the file's bytes with the creation or not; `PATCH` as it is or in disguise; in parallel. */
export function tusJs(protocol: 'tus-v1' | 'ietf-draft-03' | 'ietf-draft-05'): Judge {
  return async ({ name, path, base, headers, random, sizeBytes }) => {
    const isTus = protocol === 'tus-v1';
    const parallelUploads = isTus && sizeBytes > 100_000 && random() < 0.3 ? 3 : 1;
    const bytes = await readFile(path);
    const options = {
      endpoint: `${base}${content}/${isTus ? 'uploads' : 'files'}`,
      protocol,
      metadata: { filename: name, filetype: 'application/x-judged' },
      headers: isTus ? headers : { ...headers, FileName: encodeURIComponent(name) },
      chunkSize: pick(random, [Number.POSITIVE_INFINITY, 64 * 1024, 300_000]),
      uploadDataDuringCreation: parallelUploads === 1 && random() < 0.4,
      overridePatchMethod: random() < 0.2,
      parallelUploads,
      storeFingerprintForResuming: false,
      retryDelays: retryDelaysMs,
    } as UploadOptions;
    // It does not try again the request that joins what went up in parallel: then all of it begins anew.
    for (let tries = parallelUploads === 1 ? 1 : mostTries; ; tries -= 1) {
      try {
        return await send(bytes, options);
      } catch (error) {
        if (tries === 1) throw error;
      }
    }
  };
}

async function send(bytes: Buffer, options: UploadOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  new Upload(bytes, { ...options, onSuccess: () => resolve(), onError: reject }).start();
  const timer = setTimeout(() => reject(new Error('tus-js-client took too long')), patienceMs);
  await promise.finally(() => clearTimeout(timer));
}

interface CurlAnswer {
  status: number;
  headers: Record<string, string>;
}

/** Headers of interim answers too: the address of an upload may come in one of those. Null: no answer came. */
async function curl(
  words: string[],
  bytes: { path: string; start: number; end: number } | null,
): Promise<CurlAnswer | null> {
  const child = spawn('curl', ['-sS', '-m', '20', '-D', '-', '-o', '/dev/null', ...words], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.on('error', () => undefined);
  if (bytes === null || bytes.start === bytes.end) child.stdin.end();
  else createReadStream(bytes.path, { start: bytes.start, end: bytes.end - 1 }).pipe(child.stdin);
  let text = '';
  child.stdout.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
  });
  await once(child, 'close');
  const headers: Record<string, string> = {};
  let status = 0;
  for (const line of text.split('\r\n')) {
    const [, code] = /^HTTP\/1\.1 (\d{3})/.exec(line) ?? [];
    const [, header, value = ''] = /^([\w-]+): (.*)$/.exec(line) ?? [];
    if (code !== undefined) status = Number(code);
    if (header !== undefined) headers[header.toLowerCase()] = value;
  }
  return status === 0 ? null : { status, headers };
}

/** By plain headers, as docs/api/uploads.md shows it. `version` 3 says it the other way round. */
export function byCurl(version: 3 | 6): Judge {
  return async (job) => {
    const { name, path, base, random, sizeBytes } = job;
    const isWhole = (value: boolean) =>
      version === 3 ? `Upload-Incomplete: ${value ? '?0' : '?1'}` : `Upload-Complete: ${value ? '?1' : '?0'}`;
    const words = (headers: string[]) => [
      ...Object.entries(job.headers).flatMap(([header, value]) => ['-H', `${header}: ${value}`]),
      ...[`Upload-Draft-Interop-Version: ${version}`, 'Expect:', ...headers].flatMap((header) => ['-H', header]),
    ];
    const isAtOnce = random() < 0.5;
    const body = ['--data-binary', '@-'];
    const create = [`FileName: ${encodeURIComponent(name)}`, isWhole(isAtOnce), 'Content-Type: application/x-judged'];
    const until = Date.now() + patienceMs;
    let address: string | null = null;
    while (Date.now() < until) {
      if (address === null) {
        const end = isAtOnce ? sizeBytes : 0;
        const made = await curl([...words(create), ...body, `${base}${content}/files`], { path, start: 0, end });
        address = made?.headers.location ?? null;
        if (made?.status === 200) return;
      } else {
        const shown = await curl([...words([]), '-I', `${base}${address}`], null);
        const state = shown?.headers[version === 3 ? 'upload-incomplete' : 'upload-complete'];
        if (state === (version === 3 ? '?0' : '?1')) return;
        if (shown !== null && shown.status >= 400 && shown.status < 500) throw new Error(`HEAD: ${shown.status}`);
        if (shown === null || shown.status >= 400) {
          await pause(50);
          continue;
        }
        const start = Number(shown.headers['upload-offset']);
        const end = random() < 0.3 ? Math.min(sizeBytes, start + 200_000) : sizeBytes;
        const patch = [
          `Upload-Offset: ${start}`,
          isWhole(end === sizeBytes),
          'Content-Type: application/partial-upload',
        ];
        const sent = await curl([...words(patch), '-X', 'PATCH', ...body, `${base}${address}`], { path, start, end });
        if (sent?.status === 200) return;
      }
      await pause(20);
    }
    throw new Error('curl took too long');
  };
}

/** One process for all of its jobs: starting Python takes longer than an upload. */
export class Tuspy {
  readonly #jobs = new Map<string, { resolve: () => void; reject: (error: Error) => void }>();
  readonly #planned: object[] = [];
  #child: ChildProcess | null = null;

  readonly plan: Judge = ({ name, path, base, headers, random }) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#jobs.set(name, { resolve, reject });
    const chunkBytes = pick(random, [50_000, 400_000, 10_000_000]);
    this.#planned.push({
      name,
      path,
      endpoint: `${base}${content}/uploads`,
      headers,
      chunkBytes,
      isChecked: random() < 0.5,
    });
    return promise;
  };

  start(): void {
    if (this.#planned.length === 0) return;
    const child = spawn('/usr/bin/python3', [join(import.meta.dirname, 'tuspy.py')], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#child = child;
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { name, problem } = JSON.parse(line) as { name: string; problem: string | null };
      const job = this.#jobs.get(name);
      this.#jobs.delete(name);
      if (problem === null) job?.resolve();
      else job?.reject(new Error(problem));
    });
    child.once('close', () => {
      for (const { reject } of this.#jobs.values()) reject(new Error('tuspy ended before its uploads did'));
    });
    child.stdin.end(JSON.stringify(this.#planned));
  }

  stop(): void {
    this.#child?.kill();
  }
}
