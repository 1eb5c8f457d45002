// A directory of the machine as it is taken in: what lies in it, and the bytes of its files. Links are never followed;
// what changes while it is read is not taken.

import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { EntryTimes } from '../../domain/entry.ts';

const readBytes = 1024 * 1024;
/** As far as our way of writing times goes: from 1970 to 9999. */
const latestMs = 253_402_300_799_999;

export interface LocalEntry {
  name: string;
  path: string;
  stats: Stats;
}

/** Why something was left where it is. */
export interface Unreadable {
  /** As far as it can be shown. */
  name: string;
  problem: string;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** In no order. Names that are no text come as unreadable, and so does what cannot be looked at. */
export async function* listLocal(directory: string): AsyncGenerator<LocalEntry | Unreadable> {
  const listed = await opendir(directory, { encoding: 'buffer' as BufferEncoding });
  for await (const dirent of listed) {
    const bytes = dirent.name as unknown as Buffer;
    const name = toText(bytes);
    if (name === null) yield { name: bytes.toString(), problem: 'The name is not valid UTF-8.' };
    else yield await look(join(directory, name), name);
  }
}

function toText(bytes: Buffer): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

async function look(path: string, name: string): Promise<LocalEntry | Unreadable> {
  try {
    return { name, path, stats: await lstat(path) };
  } catch (error) {
    return { name, problem: toProblem(error) };
  }
}

/** What the system says, without the path. Throws what is no fault of the system's files. */
export function toProblem(error: unknown): string {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) throw error;
  if (code === 'EACCES' || code === 'EPERM') return 'It may not be read.';
  if (code === 'ENOENT') return 'It is gone.';
  return `It cannot be read (${code}).`;
}

/** Null: it can be taken in. */
export function toKindProblem(stats: Stats): string | null {
  if (stats.isFile() || stats.isDirectory()) return null;
  return stats.isSymbolicLink() ? 'It is a symbolic link.' : 'It is neither a file nor a directory.';
}

/** Of a birth that is unknown, or later than the last change (a copy), the change is all that is known. */
export function toTimes({ mtimeMs, birthtimeMs }: Stats): EntryTimes {
  const within = (ms: number) => Math.min(Math.max(Math.floor(ms), 0), latestMs);
  const modifiedAt = within(mtimeMs);
  return { createdAt: birthtimeMs > 0 ? Math.min(within(birthtimeMs), modifiedAt) : modifiedAt, modifiedAt };
}

export class ChangedMeanwhile extends Error {}

/** Without waiting for whoever writes to a pipe that took the file's place meanwhile, and without following a link. */
export function openLocal(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
}

/** All bytes of the file as it was when `stats` were taken; throws `ChangedMeanwhile` if it is another one by the end. */
export async function* readLocal(handle: FileHandle, stats: Stats, signal: AbortSignal): AsyncGenerator<Buffer> {
  for (let position = 0; position < stats.size; ) {
    signal.throwIfAborted();
    // New memory for each piece: whoever takes it may still be writing it.
    const buffer = Buffer.allocUnsafeSlow(Math.min(readBytes, stats.size - position));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) throw new ChangedMeanwhile();
    position += bytesRead;
    yield bytesRead === buffer.length ? buffer : buffer.subarray(0, bytesRead);
  }
  const now = await handle.stat();
  if (now.size !== stats.size || now.mtimeMs !== stats.mtimeMs) throw new ChangedMeanwhile();
}
