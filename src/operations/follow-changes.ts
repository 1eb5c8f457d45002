// Follows what changes in a space: the changes after a place, or the tree as it is and then the changes since. Who has seen
// everything may wait for more.

import { setImmediate } from 'node:timers/promises';
import type { ChangesPage, PresentPage } from '../catalog/verbs/changes.ts';
import { type Caller, selectSpace } from '../domain/caller.ts';
import { authorize } from '../domain/permission.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Cabinet } from './cabinet.ts';

export interface FollowRequest {
  /** Null: from the oldest that is kept. */
  after: number | null;
  limit: number;
  waitMs: number;
  /** Nobody waits for the answer any more, or the service is about to stop. */
  isOver: () => boolean;
}

/** While waiting we look around this often: whoever waits may be gone, and not every change is announced here. */
const lookAgainMs = 1000;

export async function followChanges(cabinet: Cabinet, caller: Caller, request: FollowRequest): Promise<ChangesPage> {
  const { space } = admit(caller);
  const { limit, isOver } = request;
  const until = performance.now() + request.waitMs;
  let seen = cabinet.commits.seen(space);
  let page = await cabinet.catalog.listChanges({ space, after: request.after, limit });
  if (request.after !== null && request.after < page.keptAfter) throw cursorExpired();
  while (page.changes.length === 0 && !isOver()) {
    const leftMs = until - performance.now();
    // Where there is more to look at, others have their turn; where there is nothing, we wait for something.
    if (page.hasMore) await setImmediate();
    else if (leftMs > 0) await cabinet.commits.wait(space, seen, Math.min(leftMs, lookAgainMs));
    else break;
    seen = cabinet.commits.seen(space);
    page = await cabinet.catalog.listChanges({ space, after: page.upTo, limit });
  }
  return page;
}

function cursorExpired(): Refusal {
  return new Refusal('CursorExpired', 'The changes after this cursor are no longer kept.', {
    target: 'cursor',
    hint: 'Begin anew with from=snapshot, which tells the tree as it is and then what changes.',
  });
}

/** Everything as it is, a page at a time. */
export async function showSnapshot(
  { catalog }: Cabinet,
  caller: Caller,
  request: { after: number; limit: number },
): Promise<PresentPage> {
  const { space } = admit(caller);
  return await catalog.listPresent({ space, ...request });
}

function admit(caller: Caller) {
  const access = selectSpace(caller);
  authorize(caller, 'read', access);
  return access;
}
