// The change feed of a space: the changes after a cursor, or a snapshot of the tree followed by the changes since. A caller who
// has seen everything can wait for more (long polling).

import { setImmediate } from 'node:timers/promises';
import type { ChangesPage, PresentPage } from '../catalog/verbs/changes.ts';
import type { Caller, SpaceAccess } from '../domain/caller.ts';
import { Refusal } from '../domain/refusal.ts';
import { requireView } from './access.ts';
import type { Cabinet } from './cabinet.ts';

interface FollowRequest {
  /** Null starts at the oldest change that is kept. */
  after: number | null;
  limit: number;
  waitMs: number;
  /** The client is gone, or the service is shutting down. */
  isOver: () => boolean;
  /** The caller with the rights of this moment, for long waits. */
  renewCaller?: () => Promise<Caller>;
}

/** Poll interval while waiting: the client may be gone, and not every change is announced in this process. */
const pollMs = 1000;

export async function followChanges(cabinet: Cabinet, caller: Caller, request: FollowRequest): Promise<ChangesPage> {
  let access = requireView(caller);
  const { space } = access;
  const { limit, isOver, renewCaller } = request;
  const list = (after: number | null) => listPage(cabinet, caller, access, { after, limit });
  const until = performance.now() + request.waitMs;
  let seen = cabinet.commits.seen(space);
  let page = await list(request.after);
  if (request.after !== null && request.after < page.keptAfter) throw cursorExpired();
  while (page.changes.length === 0 && !isOver()) {
    const leftMs = until - performance.now();
    // With more rows to scan, yield to other requests; with none, wait for a commit.
    if (page.hasMore) await setImmediate();
    else if (leftMs > 0) await cabinet.commits.wait(space, seen, Math.min(leftMs, pollMs));
    else break;
    if (renewCaller !== undefined) access = requireView(await renewCaller());
    if (access.space !== space) break;
    seen = cabinet.commits.seen(space);
    page = await list(page.upTo);
  }
  return page;
}

function cursorExpired(): Refusal {
  return new Refusal('CursorExpired', 'The changes after this cursor are no longer kept.', {
    target: 'cursor',
    hint: 'Start again with from=snapshot, which lists the tree as it is, and then the changes.',
  });
}

/** The tree as it is now, a page at a time. Only the last page can be empty: entries that are being purged take no page for
 *  themselves, so that nobody takes it for the end. */
export async function showSnapshot(
  { catalog }: Cabinet,
  caller: Caller,
  { after, limit }: { after: number; limit: number },
): Promise<PresentPage> {
  const { space, view } = requireView(caller);
  const list = (from: number) =>
    view === undefined
      ? catalog.listPresent({ space, after: from, limit })
      : catalog.listSharedPresent({ space, user: caller.person, principals: view.principals, after: from, limit });
  let page = await list(after);
  while (page.entries.length === 0 && page.next !== null) {
    await setImmediate();
    page = await list(page.next);
  }
  return page;
}

/** Someone without a role gets only the changes of what grants show. Their pages are filled, so that a short one does not tell that
 *  something else has changed. */
async function listPage(
  { catalog }: Cabinet,
  caller: Caller,
  { space, view }: SpaceAccess,
  { after, limit }: { after: number | null; limit: number },
): Promise<ChangesPage> {
  if (view === undefined) return await catalog.listChanges({ space, after, limit });
  const viewer = { space, user: caller.person, principals: view.principals };
  let page = await catalog.listSharedChanges({ ...viewer, after, limit });
  const changes = [...page.changes];
  while (page.hasMore && changes.length < limit) {
    await setImmediate();
    page = await catalog.listSharedChanges({ ...viewer, after: page.upTo, limit: limit - changes.length });
    changes.push(...page.changes);
  }
  return { ...page, changes };
}
