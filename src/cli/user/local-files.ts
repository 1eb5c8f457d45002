// Local files and folders. Uploads do not follow links. Downloads cannot leave their target folder: names with separators and links in
// place of folders are rejected.

import { createHash } from 'node:crypto';
import { createReadStream, lstatSync, mkdirSync, readdirSync, type Stats, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { LocalError } from './exit-codes.ts';
import type { Filter } from './filter.ts';
import { type Failure, toFailure } from './perform.ts';

export interface LocalFile {
  name: string;
  path: string;
  sizeBytes: number;
  modifiedMs: number;
}

export interface LocalFolder {
  name: string;
  path: string;
  folders: LocalFolder[];
  files: LocalFile[];
  /** Names that are skipped: links, pipes, unreadable files. */
  leftOut: string[];
}

/** Incomplete downloads. */
export const partPattern = /\.[0-9a-f]{8}\.part$/;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A path from the command line. A link is followed here: naming it means its target. */
export function readLocal(path: string): LocalFile | LocalFolder {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new LocalError('NotFound', `${path} does not exist on this machine.`);
  return toLocal(basename(path), path, stats);
}

export function isFolder(local: LocalFile | LocalFolder): local is LocalFolder {
  return 'folders' in local;
}

function toLocal(name: string, path: string, stats: Stats): LocalFile | LocalFolder {
  if (stats.isFile()) return { name, path, sizeBytes: stats.size, modifiedMs: stats.mtimeMs };
  if (stats.isDirectory()) return { name, path, folders: [], files: [], leftOut: [] };
  const what = stats.isSymbolicLink() ? 'a symbolic link' : 'neither a file nor a folder';
  throw new LocalError('NotAFile', `Skipped: it is ${what}.`);
}

export interface Filling {
  failed: Failure[];
  filter: Filter;
}

/** Reads everything beneath a folder and records what is skipped. Synchronous, because that is ten times faster. `at`: its path beneath
 *  the folder that is transferred. */
export function fillFolder(folder: LocalFolder, filling: Filling, at = ''): void {
  const { failed, filter } = filling;
  let names: Buffer[];
  try {
    names = readdirSync(folder.path, { encoding: 'buffer' });
  } catch (error) {
    failed.push(toFailure(folder.path, toReadable(error)));
    return;
  }
  for (const bytes of names) fillIn(folder, bytes, { filling, at });
  for (const inner of folder.folders) fillFolder(inner, filling, `${at}${inner.name}/`);
  if (filter.isSelecting)
    folder.folders = folder.folders.filter((inner) => inner.files.length + inner.folders.length > 0);
}

function fillIn(folder: LocalFolder, bytes: Buffer, { filling, at }: { filling: Filling; at: string }): void {
  const { failed, filter } = filling;
  const shown = bytes.toString();
  if (partPattern.test(shown)) return;
  try {
    const name = toName(bytes);
    const path = join(folder.path, name);
    const local = toLocal(name, path, lstatSync(path));
    if (isFolder(local)) {
      if (filter.allowsFolder(`${at}${name}`)) folder.folders.push(local);
    } else if (filter.allowsFile(`${at}${name}`)) folder.files.push(local);
  } catch (error) {
    folder.leftOut.push(shown);
    failed.push(toFailure(join(folder.path, shown), toReadable(error)));
  }
}

function toName(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new LocalError('InvalidName', 'The name is not valid UTF-8.');
  }
}

/** A system error as a sentence; anything else unchanged. */
export function toReadable(error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return error;
  if (code === 'EACCES' || code === 'EPERM') return new LocalError(code, 'Permission denied.');
  if (code === 'ENOENT') return new LocalError(code, 'It does not exist any more.');
  if (code === 'ENOSPC') return new LocalError(code, 'The disk is full.');
  return new LocalError(code, `${code} (${syscall}).`);
}

export async function toSha256(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path, { highWaterMark: 1024 * 1024, signal }))
    hash.update(piece as Buffer);
  return hash.digest('hex');
}

/** A remote name, checked to be a plain file name here. */
export function checkLocalName(name: string): string {
  const isPlain = name !== '' && name !== '.' && name !== '..' && !/[/\\\p{Cc}\p{Cs}]/u.test(name);
  if (isPlain) return name;
  throw new LocalError('InvalidName', 'This name is not allowed on this machine.');
}

/** Creates a folder for downloads if it is missing. A link in its place is rejected. */
export function makeLocalFolder(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) mkdirSync(path);
  else if (stats.isSymbolicLink())
    throw new LocalError('SymbolicLink', 'A symbolic link has this name here. It may point elsewhere.');
  else if (!stats.isDirectory()) throw new LocalError('NotAFolder', 'A file has this name here.');
}
