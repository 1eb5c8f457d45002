// Blobs as files on the local disk. Layout below the given folder:
//   incoming/<id>.part     being written; removed at the start, if a crash left one
//   blobs/<ab>/<id>        complete and durable; <ab> are the first two digits of the id. One that is appended to is here from the
//                          start; bytes beyond its stored state are cut off by the next append.
// The order of a durable write is: write all, fdatasync, close, rename, fsync of the folder that now holds the name.

import { mkdirSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Fault } from '../../domain/fault.ts';
import { syncFile, syncFolder } from '../../runtime/durable-file.ts';
import { SyncGuard } from '../../runtime/sync-guard.ts';
import type { Append, AppendState, BlobChunks, BlobInfo, Blobs } from '../blobs.ts';
import { appendTo, sizeOf, writeBlock } from './append.ts';
import { BufferPool } from './buffer-pool.ts';
import { LocalReader } from './reader.ts';

/** Syncing while bytes arrive keeps the disk busy, the last sync short, and the dirty memory bounded. */
const syncEveryBytes = 32 * 1024 * 1024;

interface LocalBlobsOptions {
  folder: string;
  /** Called when a sync failed: what was written may not be on the disk. */
  onFatal: (fault: Fault) => void;
  /** Shared with everything else of the environment that syncs. */
  syncGuard?: SyncGuard;
}

export async function openLocalBlobs({ folder, onFatal, syncGuard }: LocalBlobsOptions): Promise<Blobs> {
  const incoming = join(folder, 'incoming');
  const blobs = join(folder, 'blobs');
  await mkdir(incoming, { recursive: true, mode: 0o700 });
  await mkdir(blobs, { recursive: true, mode: 0o700 });
  for (const name of await readdir(incoming)) {
    if (name.endsWith('.part')) await unlink(join(incoming, name));
  }
  const present = new Set(await readdir(blobs));
  for (let shard = 0; shard < 256; shard += 1) {
    const name = shard.toString(16).padStart(2, '0');
    if (!present.has(name)) mkdirSync(join(blobs, name), { mode: 0o700 });
  }
  await syncFolder(blobs);
  await syncFolder(folder);
  return new LocalBlobs(incoming, blobs, { onFatal, syncGuard: syncGuard ?? new SyncGuard() });
}

/** In another thread than the one that opened the store. */
export function attachLocalBlobs({ folder, onFatal, syncGuard }: Required<LocalBlobsOptions>): Blobs {
  return new LocalBlobs(join(folder, 'incoming'), join(folder, 'blobs'), { onFatal, syncGuard });
}

/** Reads a folder that another process may be using: nothing is removed, and nothing can be written. */
export function readLocalBlobs(folder: string): Pick<Blobs, 'open' | 'list'> {
  const events = { onFatal: () => undefined, syncGuard: new SyncGuard() };
  return new LocalBlobs(join(folder, 'incoming'), join(folder, 'blobs'), events);
}

class LocalBlobs implements Blobs {
  readonly #incoming: string;
  readonly #blobs: string;
  readonly #onFatal: (fault: Fault) => void;
  readonly #syncGuard: SyncGuard;
  readonly #reported = new WeakSet<Fault>();
  readonly #background: BackgroundSync;
  readonly #buffers = new BufferPool();

  constructor(
    incoming: string,
    blobs: string,
    { onFatal, syncGuard }: { onFatal(fault: Fault): void; syncGuard: SyncGuard },
  ) {
    this.#incoming = incoming;
    this.#blobs = blobs;
    this.#onFatal = onFatal;
    this.#syncGuard = syncGuard;
    this.#background = { syncGuard, isBusy: false, onFailed: (error) => this.#reportFatal(error) };
  }

  async put(id: string, blocks: AsyncIterable<readonly Uint8Array[]>): Promise<void> {
    await this.#write(id, blocks).catch((error) => this.#throwFatal(error));
  }

  #throwFatal(error: unknown): never {
    this.#reportFatal(error);
    throw error;
  }

  /** Each fault is reported once. */
  #reportFatal(error: unknown): void {
    if (!(error instanceof Fault) || error.kind !== 'fatal' || this.#reported.has(error)) return;
    this.#reported.add(error);
    this.#syncGuard.fail();
    this.#onFatal(error);
  }

  async #write(id: string, blocks: AsyncIterable<readonly Uint8Array[]>): Promise<void> {
    const path = this.#path(id);
    const part = join(this.#incoming, `${id}.part`);
    const handle = await open(part, 'wx', 0o600).catch(toFault);
    try {
      try {
        await writeAll(handle, blocks, this.#background);
        this.#syncGuard.check();
        await syncFile(handle);
      } finally {
        await handle.close();
      }
      await rename(part, path);
    } catch (error) {
      await unlink(part).catch(() => undefined);
      return toFault(error);
    }
    this.#syncGuard.check();
    // Without this the rename can be lost in a power cut although the bytes are safe.
    await syncFolder(join(this.#blobs, id.slice(0, 2)));
  }

  async append(id: string, append: Append): Promise<AppendState> {
    const path = this.#path(id);
    try {
      if (append.from.sizeBytes === 0) await this.#create(path);
      return await appendTo(path, append, this.#syncGuard).catch(toFault);
    } catch (error) {
      return this.#throwFatal(error);
    }
  }

  /** The name is durable before any bytes are. */
  async #create(path: string): Promise<void> {
    const handle = await open(path, 'a', 0o600).catch(toFault);
    await handle.close();
    this.#syncGuard.check();
    await syncFolder(dirname(path));
  }

  /** It already has its final name, and is durable. */
  async complete(id: string, { sizeBytes }: AppendState): Promise<void> {
    const { size } = await stat(this.#path(id)).catch(toFault);
    if (size !== sizeBytes) throw new Fault('other', `a blob has ${size} of ${sizeBytes} bytes`);
  }

  async abandon(id: string): Promise<void> {
    await this.discard(id);
  }

  open(id: string, start: number, end: number): BlobChunks {
    return new LocalReader(this.#path(id), this.#buffers, { start, end });
  }

  async stamp(id: string): Promise<string | null> {
    const found = await stat(this.#path(id), { bigint: true }).catch(() => null);
    // Unlike the time of the bytes, that of the inode cannot be set.
    return found === null ? null : `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
  }

  async discard(id: string): Promise<void> {
    await unlink(this.#path(id)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') toFault(error);
    });
  }

  async *list(): AsyncIterable<BlobInfo> {
    for (const shard of await readdir(this.#blobs)) {
      for (const name of await readdir(join(this.#blobs, shard))) {
        if (!isBlobId(name)) continue;
        const found = await stat(join(this.#blobs, shard, name)).catch(() => null);
        if (found !== null) yield { id: name, storedAtMs: found.mtimeMs };
      }
    }
  }

  async close(): Promise<void> {}

  #path(id: string): string {
    if (!isBlobId(id)) throw new Error(`${JSON.stringify(id)} is not the id of a blob`);
    return join(this.#blobs, id.slice(0, 2), id);
  }
}

function isBlobId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}

/** Syncs of files that are still being written. One at a time for all files: each takes one of the few threads that also read and write. */
interface BackgroundSync {
  syncGuard: SyncGuard;
  isBusy: boolean;
  /** Called as soon as one fails. */
  onFailed(error: unknown): void;
}

async function syncInBackground(handle: FileHandle, background: BackgroundSync): Promise<void> {
  background.isBusy = true;
  try {
    await syncFile(handle);
  } catch (error) {
    background.onFailed(error);
    throw error;
  } finally {
    background.isBusy = false;
  }
}

async function writeAll(
  handle: FileHandle,
  blocks: AsyncIterable<readonly Uint8Array[]>,
  background: BackgroundSync,
): Promise<void> {
  let position = 0;
  let syncedTo = 0;
  let writing: Promise<void> = Promise.resolve();
  let syncing: Promise<void> = Promise.resolve();
  try {
    for await (const block of blocks) {
      await writing;
      if (position - syncedTo >= syncEveryBytes && !background.isBusy) {
        background.syncGuard.check();
        syncing = syncInBackground(handle, background);
        syncing.catch(() => undefined);
        syncedTo = position;
      }
      // Neither is awaited here: the next block is gathered, and this one hashed, while it is written.
      writing = writeBlock(handle, block, position);
      writing.catch(() => undefined);
      position += sizeOf(block);
    }
  } finally {
    // The caller closes and removes the file, so nothing may still be writing to it. A failed sync is reported whatever else
    // has happened.
    try {
      await writing;
    } finally {
      await syncing;
    }
  }
}

/** A full disk becomes a fault of its own kind; everything else (a refusal, an aborted upload) passes as it is. */
function toFault(cause: unknown): never {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') throw new Fault('full', 'no space is left for a blob', cause);
  throw cause;
}
