// Downloads one file into a `.part` file beside its target, which is renamed when it is complete and its checksum matches. A part of an
// earlier run is resumed if the file has not changed since.

import { createHash, type Hash } from 'node:crypto';
import { constants, createReadStream, lstatSync, renameSync, rmSync } from 'node:fs';
import { type FileHandle, open, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CabinetError, type Entry, hasCode, openFile, showEntry } from '@cabinet/client';
import { LocalError } from './exit-codes.ts';
import { toSha256 } from './local-files.ts';
import type { Transfers } from './transfers.ts';

export interface FileDownload {
  entry: Entry;
  /** The current version if undefined. */
  version?: number | undefined;
  /** The local target, and the remote path for messages. */
  to: string;
  path: string;
}

/** The longest file name that file systems allow. */
const maxNameBytes = 255;

/** Resolves to false if the target already has the same bytes. */
export async function fetchFile(transfers: Transfers, download: FileDownload): Promise<boolean> {
  const { progress } = transfers;
  progress.begin(download.path);
  if (await isUpToDate(transfers, download)) {
    progress.addBytes(download.entry.Size);
    return false;
  }
  const part = toPartPath(download);
  try {
    await fetchInto(transfers, download, part);
  } catch (error) {
    // The part of an earlier run may have other bytes: start over once.
    if (!hasCode(error, 'DigestMismatch') || transfers.signal.aborted) throw error;
    rmSync(part, { force: true });
    await fetchInto(transfers, download, part);
  }
  const modified = new Date(download.entry.ModifiedAt);
  if (download.version === undefined) await utimes(part, modified, modified);
  renameSync(part, download.to);
  return true;
}

export async function isUpToDate(
  { cabinet, signal }: Transfers,
  { entry, version, to }: FileDownload,
): Promise<boolean> {
  const stats = lstatSync(to, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  if (stats.isDirectory()) throw new LocalError('IsAFolder', 'A folder has this name here.');
  if (version !== undefined || !stats.isFile() || stats.size !== entry.Size) return false;
  const { Sha256 } = await showEntry(cabinet, entry.Id, { signal });
  return Sha256 === (await toSha256(to, signal));
}

/** Equal for the same state of the same file. */
function toPartPath({ entry, version, to }: FileDownload): string {
  const state = `${entry.Id} ${version ?? entry.ModifiedAt} ${entry.Size}`;
  const key = createHash('sha256').update(state).digest('hex').slice(0, 8);
  const name = `${basename(to)}.${key}.part`;
  return join(dirname(to), Buffer.byteLength(name) <= maxNameBytes ? name : `cabinet.${key}.part`);
}

async function fetchInto(transfers: Transfers, download: FileDownload, part: string): Promise<void> {
  // A link in the part's place is not followed.
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW;
  const file = await open(part, flags, 0o666);
  try {
    await fetchRest(transfers, download, file);
  } catch (error) {
    if (hasCode(error, 'DigestMismatch')) await file.truncate(0);
    throw error;
  } finally {
    await file.close();
    removeIfEmpty(part, download.entry.Size);
  }
}

/** An empty part is not worth keeping. */
function removeIfEmpty(part: string, sizeBytes: number): void {
  if (sizeBytes > 0 && lstatSync(part).size === 0) rmSync(part);
}

async function fetchRest(
  { cabinet, signal, progress }: Transfers,
  download: FileDownload,
  file: FileHandle,
): Promise<void> {
  const { entry, version } = download;
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
