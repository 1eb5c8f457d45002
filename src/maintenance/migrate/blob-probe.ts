// What can be learned of a blob through the contract of blob stores.

import type { Blobs } from '../../blobs/blobs.ts';
import { Fault } from '../../domain/fault.ts';

export async function hasByteAt(blobs: Pick<Blobs, 'open'>, id: string, at: number): Promise<boolean> {
  try {
    for await (const chunk of blobs.open(id, at, at + 1)) return chunk.length === 1;
    return false;
  } catch (error) {
    if (isPassing(error)) throw error;
    return false;
  }
}

/** It says nothing of the blob: the store cannot be reached, or has failed as a whole. */
export function isPassing(error: unknown): boolean {
  return error instanceof Fault && error.kind !== 'other';
}
