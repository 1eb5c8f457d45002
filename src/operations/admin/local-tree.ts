// Reads a directory of the machine for an import: its entries and the bytes of its files. Never follows links, and rejects files that
// change while they are read.

import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { EntryTimes } from '../../domain/entry.ts';

const readBytes = 1024 * 1024;
/** The end of the range of our timestamps, 1970 to 9999. */
const latestMs = 253_402_300_799_999;

export interface LocalEntry {
  name: string;
  path: string;
  stats: Stats;
}

/** An entry that cannot be imported. */
interface Unreadable {
  /** As far as it can be displayed. */
  name: string;
  problem: string;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** In no order. Invalid names and entries that cannot be examined are yielded as unreadable. */
export async function* listLocal(directory: string): AsyncGenerator<LocalEntry | Unreadable> {
  const listed = await opendir(directory, { encoding: 'buffer' as BufferEncoding });
  for await (const dirent of listed) {
    const bytes = dirent.name as unknown as Buffer;
    const name = toText(bytes);
    if (name === null) yield { name: bytes.toString(), problem: 'The name is not valid UTF-8.' };
    else yield await examine(join(directory, name), name);
  }
}

function toText(bytes: Buffer): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

async function examine(path: string, name: string): Promise<LocalEntry | Unreadable> {
  try {
    return { name, path, stats: await lstat(path) };
  } catch (error) {
    return { name, problem: toProblem(error) };
  }
}

/** Describes an error of the file system, without the path. Rethrows other errors. */
export function toProblem(error: unknown): string {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) throw error;
  if (code === 'EACCES' || code === 'EPERM') return 'It may not be read.';
  if (code === 'ENOENT') return 'It is gone.';
  return `It cannot be read (${code}).`;
}

/** Null when it can be imported. */
export function toKindProblem(stats: Stats): string | null {
  if (stats.isFile() || stats.isDirectory()) return null;
  return stats.isSymbolicLink() ? 'It is a symbolic link.' : 'It is neither a file nor a directory.';
}

/** An unknown birth time, or one after the last change (a copy), is replaced by the time of the change. */
export function toTimes({ mtimeMs, birthtimeMs }: Stats): EntryTimes {
  const within = (ms: number) => Math.min(Math.max(Math.floor(ms), 0), latestMs);
  const modifiedAt = within(mtimeMs);
  return { createdAt: birthtimeMs > 0 ? Math.min(within(birthtimeMs), modifiedAt) : modifiedAt, modifiedAt };
}

export class ChangedMeanwhile extends Error {}

/** Neither blocks on a pipe nor follows a link that has replaced the file meanwhile. */
export function openLocal(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
}

/** All bytes of the file as of `stats`; throws `ChangedMeanwhile` if it has changed by the end. */
export async function* readLocal(handle: FileHandle, stats: Stats, signal: AbortSignal): AsyncGenerator<Buffer> {
  for (let position = 0; position < stats.size; ) {
    signal.throwIfAborted();
    // A new buffer for each chunk: the consumer may still be writing the last one.
    const buffer = Buffer.allocUnsafeSlow(Math.min(readBytes, stats.size - position));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) throw new ChangedMeanwhile();
    position += bytesRead;
    yield bytesRead === buffer.length ? buffer : buffer.subarray(0, bytesRead);
  }
  const now = await handle.stat();
  if (now.size !== stats.size || now.mtimeMs !== stats.mtimeMs) throw new ChangedMeanwhile();
}
