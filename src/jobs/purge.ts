// Deletes, in the background, what was removed for good, and frees its space: rows first, a slice at a time with
// pauses in which saves go on, then the blobs that nothing points to any more. Triggered by removals; what a failure or a
// stop leaves is continued at the next trigger, at the latest by the next sweep.

import { randomUUID } from 'node:crypto';
import type { HiddenTree } from '../catalog/verbs/purge.ts';
import type { Cabinet } from '../operations/cabinet.ts';
import { discardBlobs } from '../operations/discard-blobs.ts';
import { runSlice } from '../runtime/pacing.ts';
import type { Job } from './job.ts';

/** Nobody waits for a purge, so it rests longer than it works. */
const restsPerSlice = 3;

export const purgeJob: Job = {
  name: 'purge',
  intervalMs: null,
  isExclusive: false,
  async run({ cabinet }, signal) {
    const find = () => (signal.aborted ? [] : cabinet.catalog.findHiddenTrees({}));
    for (let tops = await find(); tops.length > 0; tops = await find()) {
      for (const tree of tops) await purgeTree(cabinet, tree, signal);
    }
  },
};

async function purgeTree({ catalog, blobs, clock }: Cabinet, tree: HiddenTree, signal: AbortSignal): Promise<void> {
  const request = randomUUID();
  for (let isDone = false; !isDone && !signal.aborted; ) {
    const slice = await runSlice(() => catalog.purgeSlice({ ...tree, at: clock.now(), request }), restsPerSlice);
    await discardBlobs(blobs, slice.freedBlobs);
    isDone = slice.isDone;
  }
}
