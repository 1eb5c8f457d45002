// Writes blocks into a file of the local disk, and appends to a file: opened at its stored size, written to, and synced
// from time to time, each time before its new size is reported as durable.

import { type FileHandle, open } from 'node:fs/promises';
import { Fault } from '../../domain/fault.ts';
import { syncFile } from '../../runtime/durable-file.ts';
import type { SyncGuard } from '../../runtime/sync-guard.ts';
import type { Append, AppendState } from '../blobs.ts';

/** What a crash loses at most, beside what is being written. */
const keepEveryBytes = 64 * 1024 * 1024;
const keepEveryMs = 10_000;

/** The file must exist. */
export async function appendTo(
  path: string,
  { from, blocks, keep }: Append,
  syncGuard: SyncGuard,
): Promise<AppendState> {
  const handle = await open(path, 'r+');
  try {
    const { size } = await handle.stat();
    if (size < from.sizeBytes) throw new Fault('other', `an incomplete blob has ${size} of ${from.sizeBytes} bytes`);
    if (size > from.sizeBytes) await handle.truncate(from.sizeBytes);
    const sizeBytes = await writeOn(handle, { from, blocks, keep }, syncGuard);
    syncGuard.check();
    await syncFile(handle);
    return { sizeBytes, state: '' };
  } finally {
    await handle.close();
  }
}

async function writeOn(handle: FileHandle, { from, blocks, keep }: Append, syncGuard: SyncGuard): Promise<number> {
  let position = from.sizeBytes;
  let kept = { sizeBytes: position, at: performance.now() };
  let writing: Promise<void> = Promise.resolve();
  try {
    for await (const block of blocks) {
      await writing;
      if (position - kept.sizeBytes >= keepEveryBytes || performance.now() - kept.at >= keepEveryMs) {
        syncGuard.check();
        await syncFile(handle);
        await keep({ sizeBytes: position, state: '' });
        kept = { sizeBytes: position, at: performance.now() };
      }
      // Not awaited here: the next block is gathered, and this one hashed, while it is written.
      writing = writeBlock(handle, block, position);
      writing.catch(() => undefined);
      position += sizeOf(block);
    }
  } finally {
    // The caller closes the file, so nothing may still be writing to it.
    await writing;
  }
  return position;
}

/** A write may be short: then the rest is written by another one. */
export async function writeBlock(handle: FileHandle, block: readonly Uint8Array[], position: number): Promise<void> {
  let left = block;
  let at = position;
  while (left.length > 0) {
    const { bytesWritten } = await handle.writev(left, at);
    at += bytesWritten;
    left = dropBytes(left, bytesWritten);
  }
}

function dropBytes(buffers: readonly Uint8Array[], count: number): Uint8Array[] {
  let drop = count;
  const left: Uint8Array[] = [];
  for (const buffer of buffers) {
    if (drop >= buffer.byteLength) drop -= buffer.byteLength;
    else {
      left.push(buffer.subarray(drop));
      drop = 0;
    }
  }
  return left;
}

export function sizeOf(block: readonly Uint8Array[]): number {
  return block.reduce((sum, { byteLength }) => sum + byteLength, 0);
}
