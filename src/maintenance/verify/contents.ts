// Contents: each by its SHA-256, small ones from their rows and large ones from the blob store; and blobs that nothing
// points to.

import { createHash, hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import * as checks from '../../catalog/verbs/checks.ts';
import type { Problems } from './problems.ts';
import { lastOf } from './records.ts';
import { walk } from './slices.ts';
import type { Subject, VerifyOptions } from './subject.ts';

const sliceRows = 64;
const pageOfBlobs = 500;

export interface ContentCounts {
  contents: number;
  blobs: number;
  /** Bytes that were read, of small and large contents. */
  bytes: number;
  /** Blobs that no record points to: of uploads under way, or left by a crash. The sweeper removes them. */
  orphans: number;
}

export async function verifyContents(
  subject: Subject,
  problems: Problems,
  options: VerifyOptions,
): Promise<ContentCounts> {
  const { tables } = subject;
  const counts: ContentCounts = { contents: 0, blobs: 0, bytes: 0, orphans: 0 };
  const last = await lastOf(tables.read(checks.findLastOf('contents')), problems, 'contents');
  const report = async (what: string, problem: string, numbers: { first: number; last: number }) => {
    const affected = await tables.read(checks.findUses(numbers.first, numbers.last)).catch(() => []);
    problems.add(what, problem, affected);
  };
  const walked = {
    tables,
    last,
    list: checks.listCheckedContents,
    numberOf: ({ content }: checks.CheckedContent) => content,
    onLost: (lost: { first: number; last: number }, error: unknown) =>
      report(`contents, rows ${lost.first} to ${lost.last}`, `cannot be read: ${(error as Error).message}`, lost),
  };
  for await (const rows of walk(walked, sliceRows)) {
    for (const row of rows) {
      options.signal.throwIfAborted();
      options.onProgress({ step: 'contents', done: row.content, of: last });
      const problem = row.blob === null ? findSmallProblem(row) : await findLargeProblem(subject, row, options);
      counts.contents += 1;
      counts.bytes += row.size;
      if (row.blob !== null) counts.blobs += 1;
      else await options.throttle(row.size);
      if (problem === null) continue;
      const what = row.blob === null ? `contents, row ${row.content}` : `blob ${row.blob}`;
      await report(what, problem, { first: row.content, last: row.content });
    }
  }
  counts.orphans = await countOrphanBlobs(subject, problems);
  return counts;
}

function findSmallProblem({ sha256, size, bytes }: checks.CheckedContent): string | null {
  if (bytes === null) return 'it has neither bytes nor a blob';
  if (bytes.byteLength !== size) return `it has ${bytes.byteLength} bytes instead of ${size}`;
  return hash('sha256', bytes, 'buffer').equals(sha256) ? null : 'the bytes are not those that were saved';
}

/** Also null when it was removed while it was read. */
async function findLargeProblem(
  subject: Subject,
  row: checks.CheckedContent,
  options: VerifyOptions,
): Promise<string | null> {
  const problem = await readBlob(subject, row, options);
  if (problem === null) return null;
  return (await subject.tables.read(checks.isStill(row)).catch(() => true)) ? problem : null;
}

async function readBlob(
  { blobs }: Subject,
  row: checks.CheckedContent,
  options: VerifyOptions,
): Promise<string | null> {
  const { blob, size, sha256, checksums } = row;
  const whole = createHash('sha256');
  const expected = Buffer.from(checksums ?? []);
  let [index, isSummed] = [0, true];
  try {
    for await (const chunk of blobs.open(blob as string, 0, size)) {
      whole.update(chunk);
      isSummed &&= expected.length >= (index + 1) * 4 && crc32(chunk) === expected.readUInt32LE(index * 4);
      index += 1;
      options.signal.throwIfAborted();
      await options.throttle(chunk.length);
    }
    if (await hasMore(blobs, blob as string, size)) return `it is longer than ${size} bytes`;
  } catch (error) {
    options.signal.throwIfAborted();
    return toWords(error as NodeJS.ErrnoException);
  }
  if (!whole.digest().equals(sha256)) return 'the bytes are not those that were saved';
  return isSummed && expected.length === index * 4 ? null : 'its checksums are not those of its bytes';
}

async function hasMore(blobs: Subject['blobs'], blob: string, size: number): Promise<boolean> {
  try {
    for await (const _ of blobs.open(blob, size, size + 1));
    return true;
  } catch {
    return false;
  }
}

function toWords({ code, message }: NodeJS.ErrnoException): string {
  return code === 'ENOENT' ? 'it is missing' : `it cannot be read: ${message}`;
}

async function countOrphanBlobs({ tables, blobs }: Subject, problems: Problems): Promise<number> {
  let count = 0;
  let page: string[] = [];
  const look = async () => {
    const ids = page;
    page = [];
    count += (await tables.read(checks.findOrphanBlobs(ids)).catch(() => [])).length;
  };
  try {
    for await (const { id } of blobs.list()) {
      page.push(id);
      if (page.length >= pageOfBlobs) await look();
    }
    await look();
  } catch (error) {
    problems.add('blobs', `cannot be listed: ${(error as Error).message}`);
  }
  return count;
}
