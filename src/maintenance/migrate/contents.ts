// Large contents: copied from one blob store to another, and compared. A blob never changes, so that one that is there need
// not be copied again; the bytes are hashed as they pass, and what the record does not agree with is not kept.

import { createHash } from 'node:crypto';
import type { Blobs } from '../../blobs/blobs.ts';
import {
  countLargeContents,
  findFileOf,
  isLargeContent,
  type LargeContent,
  listLargeContents,
} from '../../catalog/tables.ts';
import { hasByteAt, isPassing } from './blob-probe.ts';
import type { BlobMove, Differences, Migration, Side } from './side.ts';

const pageOfContents = 500;
/** At a time: most of it is waiting for the other side. */
const width = 4;
const isMissing = 'is not there';

export interface ContentCounts {
  blobs: number;
  bytes: number;
  /** How many of them were not there before. */
  copied: number;
}

/** A migration that has blobs to move. */
interface ContentMigration extends Migration {
  blobs: BlobMove;
}

/** `isFresh`: nothing was copied before. */
export async function copyContents(
  migration: ContentMigration,
  differences: Differences,
  isFresh: boolean,
): Promise<ContentCounts> {
  const { source, blobs } = migration;
  const counts: ContentCounts = { blobs: 0, bytes: 0, copied: 0 };
  await forEachLarge(migration, 'copying large contents', async (large) => {
    if (isFresh || !(await hasByteAt(blobs.to, large.blob, large.size - 1))) {
      const problem = await copyOne(migration, large);
      if (problem === 'gone') return;
      if (problem !== null) return differences.add(await nameContent(source, large), problem);
      counts.copied += 1;
    }
    counts.blobs += 1;
    counts.bytes += large.size;
  });
  return counts;
}

export async function compareContents(migration: ContentMigration, differences: Differences): Promise<void> {
  const { source, blobs, verify, isContentsOnly } = migration;
  await forEachLarge(migration, 'comparing large contents', async (large) => {
    const problem = await findProblem(blobs.to, large, verify);
    // The source is in use: this one came later.
    if (problem === null || (problem === isMissing && isContentsOnly)) return;
    // What is wrong is copied anew the next time.
    await blobs.to.discard(large.blob);
    differences.add(await nameContent(source, large), `${problem} in ${blobs.toName}`);
  });
}

async function forEachLarge(
  { source, onProgress }: Migration,
  step: string,
  work: (large: LargeContent) => Promise<void>,
): Promise<void> {
  const { bytes: of } = await source.tables.read(countLargeContents());
  let done = 0;
  for (let after = ''; ; ) {
    const page = await source.tables.read(listLargeContents(after, pageOfContents));
    if (page.length === 0) return;
    const left = page.values();
    const takeOne = async () => {
      for (const large of left) {
        await work(large);
        done += large.size;
        onProgress({ step, done, of });
      }
    };
    await Promise.all(Array.from({ length: width }, takeOne));
    after = page.at(-1)?.blob ?? after;
  }
}

/** Null: it is there now. `gone`: nothing points to it any more. */
async function copyOne(migration: ContentMigration, large: LargeContent): Promise<string | null> {
  const { source, blobs, isContentsOnly } = migration;
  const read = new Reading(blobs.from, large);
  try {
    await blobs.to.put(large.blob, read.blocks());
    return null;
  } catch (error) {
    if (read.problem === null) throw error;
    if (isContentsOnly && !(await source.tables.read(isLargeContent(large.blob)))) return 'gone';
    return `${read.problem} in ${blobs.fromName}`;
  }
}

/** Reads a content from where it is, and knows whether it was what its record says. */
class Reading {
  problem: string | null = null;
  readonly #blobs: Pick<Blobs, 'open'>;
  readonly #large: LargeContent;

  constructor(blobs: Pick<Blobs, 'open'>, large: LargeContent) {
    this.#blobs = blobs;
    this.#large = large;
  }

  async *blocks(): AsyncIterable<readonly Uint8Array[]> {
    const { blob, size, sha256 } = this.#large;
    const hash = createHash('sha256');
    const chunks = this.#blobs.open(blob, 0, size)[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { value, done } = await chunks.next().catch((error) => this.#fail(error));
        if (done === true) break;
        hash.update(value);
        yield [value];
      }
    } finally {
      await chunks.return?.();
    }
    if (!hash.digest().equals(sha256)) {
      this.problem = 'does not have the bytes that its record says';
      throw new Error(this.problem);
    }
  }

  #fail(error: unknown): never {
    if (!isPassing(error)) this.problem = 'cannot be read';
    throw error;
  }
}

async function findProblem(blobs: Blobs, large: LargeContent, how: Migration['verify']): Promise<string | null> {
  const { blob, size } = large;
  if (how === 'full') {
    const read = new Reading(blobs, large);
    try {
      for await (const _ of read.blocks());
    } catch (error) {
      if (read.problem === null) throw error;
      return (await hasByteAt(blobs, blob, 0)) ? read.problem : isMissing;
    }
  } else if (!(await hasByteAt(blobs, blob, size - 1))) {
    return (await hasByteAt(blobs, blob, 0)) ? 'is too short' : isMissing;
  }
  return (await hasByteAt(blobs, blob, size)) ? 'is too long' : null;
}

async function nameContent({ tables }: Side, { content, blob }: LargeContent): Promise<string> {
  const file = await tables.read(findFileOf(content));
  const of = file === null ? '' : ` (version ${file.version} of the file ${file.id}, ${JSON.stringify(file.name)})`;
  return `contents: content ${content}, blob ${blob}${of}`;
}
