// A blob store whose discards can be deferred while somebody holds it. A backup needs that: every blob that its catalog
// references must still exist when it is copied.

import type { Blobs } from './blobs.ts';

export interface HeldBlobs extends Blobs {
  /** Until the returned function is called. After a crash the sweeper removes what was deferred. */
  hold(): () => Promise<void>;
}

export function toHeldBlobs(blobs: Blobs): HeldBlobs {
  const waiting = new Set<string>();
  let holders = 0;
  const discard = async (id: string) => {
    if (holders > 0) waiting.add(id);
    else await blobs.discard(id);
  };
  return {
    ...withDiscard(blobs, discard),
    hold() {
      holders += 1;
      let isHeld = true;
      return async () => {
        if (!isHeld) return;
        isHeld = false;
        holders -= 1;
        if (holders > 0) return;
        for (const id of waiting) {
          waiting.delete(id);
          await blobs.discard(id).catch(() => undefined);
        }
      };
    },
  };
}

/** The same store with another `discard`. */
export function withDiscard(blobs: Blobs, discard: Blobs['discard']): Blobs {
  const { tidy, stamp } = blobs;
  return {
    put: (id, blocks) => blobs.put(id, blocks),
    append: (id, append) => blobs.append(id, append),
    complete: (id, grown) => blobs.complete(id, grown),
    abandon: (id, grown) => blobs.abandon(id, grown),
    open: (id, start, end) => blobs.open(id, start, end),
    list: () => blobs.list(),
    close: () => blobs.close(),
    ...(stamp !== undefined && { stamp: (id) => stamp.call(blobs, id) }),
    ...(tidy !== undefined && { tidy: (before, choose) => tidy.call(blobs, before, choose) }),
    discard,
  };
}
