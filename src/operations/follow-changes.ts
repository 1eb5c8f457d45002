// The change feed of a space: the changes after a cursor, or a snapshot of the tree followed by the changes since. A caller who
// has seen everything can wait for more (long polling).

import { setImmediate } from 'node:timers/promises';
import type { ChangesPage, PresentPage } from '../catalog/verbs/changes.ts';
import { type Caller, type SpaceAccess, selectSpace } from '../domain/caller.ts';
import { authorize } from '../domain/permission.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Cabinet } from './cabinet.ts';

interface FollowRequest {
  /** Null starts at the oldest change that is kept. */
  after: number | null;
  limit: number;
  waitMs: number;
  /** The client is gone, or the service is shutting down. */
  isOver: () => boolean;
}

/** Poll interval while waiting: the client may be gone, and not every change is announced in this process. */
const pollMs = 1000;

export async function followChanges(cabinet: Cabinet, caller: Caller, request: FollowRequest): Promise<ChangesPage> {
  const { space } = admit(caller);
  const { limit, isOver } = request;
  const until = performance.now() + request.waitMs;
  let seen = cabinet.commits.seen(space);
  let page = await cabinet.catalog.listChanges({ space, after: request.after, limit });
  if (request.after !== null && request.after < page.keptAfter) throw cursorExpired();
  while (page.changes.length === 0 && !isOver()) {
    const leftMs = until - performance.now();
    // With more rows to scan, yield to other requests; with none, wait for a commit.
    if (page.hasMore) await setImmediate();
    else if (leftMs > 0) await cabinet.commits.wait(space, seen, Math.min(leftMs, pollMs));
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

/** The tree as it is now, a page at a time. */
export async function showSnapshot(
  { catalog }: Cabinet,
  caller: Caller,
  request: { after: number; limit: number },
): Promise<PresentPage> {
  const { space } = admit(caller);
  return await catalog.listPresent({ space, ...request });
}

function admit(caller: Caller): SpaceAccess {
  const access = selectSpace(caller);
  authorize(caller, 'read', access);
  return access;
}
