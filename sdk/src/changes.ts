// The change feed: every change in a space, in order, without gaps or repeats. A reader that keeps the cursor of its last page can
// stop and continue at any time.

import type { Cabinet, CallOptions } from './connect.ts';
import type { ChangesPage } from './description.ts';
import { hasCode } from './errors.ts';
import { call } from './request.ts';
import { pause } from './retry.ts';

export type { ChangesPage };
export type Change = ChangesPage['Changes'][number];

export interface ChangesOptions extends CallOptions {
  /** The `Cursor` of the last page that was dealt with. */
  cursor?: string | undefined;
  /** Where to begin without a cursor: at the oldest change that is kept (by default); `now`: only what comes; `snapshot`:
   *  first everything as it is (with the action `present`), then the changes since. */
  from?: 'now' | 'snapshot' | undefined;
  /** How many changes a page has at most, up to 1000. */
  limit?: number | undefined;
}

export interface ChangesPageOptions extends ChangesOptions {
  /** How many seconds to wait while there is nothing new, up to 60. */
  wait?: number | undefined;
}

/** One page of changes. */
export function changesPage(cabinet: Cabinet, { signal, ...query }: ChangesPageOptions = {}): Promise<ChangesPage> {
  return call(cabinet, 'GET /changes', { query, signal });
}

/** The changes up to now, page by page. */
export async function* listChanges(
  cabinet: Cabinet,
  { cursor, from, ...options }: ChangesOptions = {},
): AsyncGenerator<ChangesPage, void, undefined> {
  let position: ChangesOptions = cursor === undefined ? { from } : { cursor };
  while (true) {
    const page = await changesPage(cabinet, { ...options, ...position });
    yield page;
    if (page.Changes.length === 0) return;
    position = { cursor: page.Cursor };
  }
}

export interface FollowOptions extends ChangesOptions {
  /** Called when the service cannot be reached. Following continues by itself. */
  onInterrupted?: ((error: unknown) => void) | undefined;
}

const waitSeconds = 30;
const interruptedMs = 5000;

/** The changes as they happen, page by page, until the signal ends it or the loop is left. The first page comes at once, even
 *  if nothing has changed, so that there is a cursor to keep. A cursor older than what is kept: `CursorExpired`. */
export async function* followChanges(
  cabinet: Cabinet,
  { cursor, from, onInterrupted, ...options }: FollowOptions = {},
): AsyncGenerator<ChangesPage, void, undefined> {
  let position: ChangesPageOptions = cursor === undefined ? { from } : { cursor };
  let isFirst = true;
  while (true) {
    const page = await changesPage(cabinet, { ...options, ...position }).catch((error: unknown) => {
      if (isFirst || !hasCode(error, 'Unreachable', 'StorageUnavailable', 'ShuttingDown')) throw error;
      onInterrupted?.(error);
    });
    if (page === undefined) {
      await pause(interruptedMs, options.signal);
      continue;
    }
    if (isFirst || page.Changes.length > 0) yield page;
    isFirst = false;
    position = { cursor: page.Cursor, wait: waitSeconds };
  }
}
