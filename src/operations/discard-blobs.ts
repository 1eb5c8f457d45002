// Removes blobs whose records are gone.

import type { Blobs } from '../blobs/blobs.ts';

/** Lets go of blobs whose records are gone. What cannot be removed now is removed by the sweeper. */
export async function discardBlobs(blobs: Blobs, names: readonly string[]): Promise<void> {
  for (const name of names) await blobs.discard(name).catch(() => undefined);
}
