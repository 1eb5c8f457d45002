// Removes blobs whose records are gone.

import type { Blobs } from '../blobs/blobs.ts';

/** Best effort: the sweeper removes what cannot be removed now. */
export async function discardBlobs(blobs: Blobs, names: readonly string[]): Promise<void> {
  for (const name of names) await blobs.discard(name).catch(() => undefined);
}
