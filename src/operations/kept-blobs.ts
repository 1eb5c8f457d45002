// Whether a stored blob still has the bytes that it should have, for saves of bytes that are stored already. It is read completely, once in
// a while: a blob that was found whole a moment ago and was not touched since, as the file system says, is not read again.

import { crc32 } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { Blobs } from '../blobs/blobs.ts';
import type { StoredBlob } from '../catalog/verbs/contents.ts';
import type { StoredContent } from '../catalog/verbs/stored-content.ts';
import { atMost } from '../runtime/cache-size.ts';
import type { Cabinet } from './cabinet.ts';

/** What the disk damages meanwhile is noticed as late as in any blob that was saved a moment ago: when it is read. */
const trustedMs = 60_000;
const mostTrusted = 10_000;

type Trusted = LRUCache<string, { stamp: string; atMs: number }>;

const trustedOf = new WeakMap<Blobs, Trusted>();

/** Compares with the checksums just computed; the checksums of the record, which later reads use, must be the same. */
export async function isKept(
  { blobs, clock }: Cabinet,
  kept: StoredBlob,
  { sizeBytes, checksums }: StoredContent,
): Promise<boolean> {
  const expected = Buffer.from(checksums ?? []);
  if (kept.checksums === null || !expected.equals(kept.checksums)) return false;
  const trusted = requireTrusted(blobs);
  // Taken before reading: a change meanwhile makes another one.
  const stamp = (await blobs.stamp?.(kept.blob)) ?? null;
  const known = trusted.get(kept.blob);
  if (stamp !== null && known?.stamp === stamp && clock.monotonic() - known.atMs < trustedMs) return true;
  if (!(await isIntact(blobs, kept.blob, { sizeBytes, expected }))) return false;
  if (stamp !== null) trusted.set(kept.blob, { stamp, atMs: clock.monotonic() });
  return true;
}

function requireTrusted(blobs: Blobs): Trusted {
  let trusted = trustedOf.get(blobs);
  if (trusted === undefined) {
    trusted = new LRUCache(atMost(mostTrusted));
    trustedOf.set(blobs, trusted);
  }
  return trusted;
}

async function isIntact(
  blobs: Blobs,
  id: string,
  { sizeBytes, expected }: { sizeBytes: number; expected: Buffer },
): Promise<boolean> {
  let index = 0;
  const chunks = blobs.open(id, 0, sizeBytes);
  try {
    for await (const chunk of chunks) {
      if (crc32(chunk) !== expected.readUInt32LE(index * 4)) return false;
      index += 1;
    }
    return true;
  } catch {
    return false;
  } finally {
    chunks.release?.();
  }
}
