// Fetching one file: into a `.part` beside where it goes, which takes its name when all of it is there and its digest is right. A part
// that an earlier command left is gone on with, if the file has not changed since.

import { createHash, type Hash } from 'node:crypto';
import { constants, createReadStream, lstatSync, renameSync, rmSync } from 'node:fs';
import { type FileHandle, open, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CabinetError, type Entry, hasCode, openFile, showEntry } from '@cabinet/client';
import { LocalProblem } from './exit-codes.ts';
import { toSha256 } from './local-files.ts';
import type { Transfers } from './transfers.ts';

export interface Fetching {
  entry: Entry;
  /** Undefined: the current one. */
  version?: number | undefined;
  /** Where it goes, and what it is called in what is told. */
  to: string;
  path: string;
}

/** The longest name that file systems take. */
const mostNameBytes = 255;

/** Resolves to false if the same bytes are there already. */
export async function fetchFile(transfers: Transfers, fetching: Fetching): Promise<boolean> {
  const { progress } = transfers;
  progress.begin(fetching.path);
  if (await isThere(transfers, fetching)) {
    progress.addBytes(fetching.entry.Size);
    return false;
  }
  const part = toPartPath(fetching);
  try {
    await fetchInto(transfers, fetching, part);
  } catch (error) {
    // What an earlier command left may be of other bytes: once more, from the beginning.
    if (!hasCode(error, 'DigestMismatch') || transfers.signal.aborted) throw error;
    rmSync(part, { force: true });
    await fetchInto(transfers, fetching, part);
  }
  const modified = new Date(fetching.entry.ModifiedAt);
  if (fetching.version === undefined) await utimes(part, modified, modified);
  renameSync(part, fetching.to);
  return true;
}

export async function isThere({ cabinet, signal }: Transfers, { entry, version, to }: Fetching): Promise<boolean> {
  const stats = lstatSync(to, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  if (stats.isDirectory()) throw new LocalProblem('IsAFolder', 'A folder has this name here.');
  if (version !== undefined || !stats.isFile() || stats.size !== entry.Size) return false;
  const { Sha256 } = await showEntry(cabinet, entry.Id, { signal });
  return Sha256 === (await toSha256(to, signal));
}

/** The same for the same state of the same file. */
function toPartPath({ entry, version, to }: Fetching): string {
  const state = `${entry.Id} ${version ?? entry.ModifiedAt} ${entry.Size}`;
  const key = createHash('sha256').update(state).digest('hex').slice(0, 8);
  const name = `${basename(to)}.${key}.part`;
  return join(dirname(to), Buffer.byteLength(name) <= mostNameBytes ? name : `cabinet.${key}.part`);
}

async function fetchInto(transfers: Transfers, fetching: Fetching, part: string): Promise<void> {
  // A link in the part's place is not followed.
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW;
  const file = await open(part, flags, 0o666);
  try {
    await fetchRest(transfers, fetching, file);
  } catch (error) {
    if (hasCode(error, 'DigestMismatch')) await file.truncate(0);
    throw error;
  } finally {
    await file.close();
    removeIfEmpty(part, fetching.entry.Size);
  }
}

/** What holds nothing yet is not worth keeping. */
function removeIfEmpty(part: string, sizeBytes: number): void {
  if (sizeBytes > 0 && lstatSync(part).size === 0) rmSync(part);
}

async function fetchRest(
  { cabinet, signal, progress }: Transfers,
  fetching: Fetching,
  file: FileHandle,
): Promise<void> {
  const { entry, version } = fetching;
  const hash = createHash('sha256');
  const there = (await file.stat()).size;
  // A version may have another size than the entry has now.
  const start = version === undefined && there > entry.Size ? 0 : there;
  if (start < there) await file.truncate(0);
  await hashBeginning(hash, file, start);
  progress.addBytes(start);
  let at = start;
  try {
    if (start > 0 && start === entry.Size && version === undefined) {
      const { Sha256 } = await showEntry(cabinet, entry.Id, { signal });
      checkDigest(hash, Sha256 ?? '');
      return;
    }
    const { stream, sha256 } = await openFile(cabinet, entry.Id, { version, start, signal });
    for await (const piece of stream) {
      hash.update(piece);
      await file.writev([piece], at);
      at += piece.byteLength;
      progress.addBytes(piece.byteLength);
    }
    checkDigest(hash, sha256);
  } catch (error) {
    progress.addBytes(-at);
    throw error;
  }
}

async function hashBeginning(hash: Hash, file: FileHandle, bytes: number): Promise<void> {
  if (bytes === 0) return;
  const beginning = createReadStream('', {
    fd: file,
    autoClose: false,
    start: 0,
    end: bytes - 1,
    highWaterMark: 1024 * 1024,
  });
  for await (const piece of beginning) hash.update(piece as Buffer);
}

function checkDigest(hash: Hash, sha256: string): void {
  if (hash.digest('hex') === sha256) return;
  throw new CabinetError('DigestMismatch', 'The checksum of the download does not match.');
}
