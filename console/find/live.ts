// Follows the change feed of the open space, so that lists update by themselves.

import type { Cabinet, Operations } from '@cabinet/client';
import { call } from '@cabinet/client/requests';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { updateListings } from '../files/listing.ts';
import type { EntryUpdate } from '../files/stretches.ts';
import { useSession } from '../session/session-context.tsx';

export type Change = Operations['GET /changes']['answer']['Changes'][number];

const waitSeconds = 30;
const pauseMs = 5_000;
const maxKept = 500;
const listeners = new Set<() => void>();

interface LiveChanges {
  isLive: boolean;
  /** Newest first, since the page was opened. */
  changes: readonly Change[];
}

let state: LiveChanges = { isLive: false, changes: [] };

function set(next: LiveChanges): void {
  state = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useLiveChanges(): LiveChanges {
  return useSyncExternalStore(subscribe, () => state);
}

/** Follows the open space while the page is open. */
export function useLiveUpdates(): void {
  const { cabinet } = useSession();
  const queries = useQueryClient();
  useEffect(() => {
    const abort = new AbortController();
    set({ isLive: false, changes: [] });
    void follow(cabinet, abort.signal, (changes) => {
      updateListings(queries, changes.map(toEntryUpdate));
      void queries.invalidateQueries({ queryKey: ['trash'] });
      // Removed entries are not refetched: that would only return 404.
      for (const id of listExisting(changes)) void queries.invalidateQueries({ queryKey: ['entry', id] });
      if (changes.some(({ Action }) => Action === 'entry.locked' || Action === 'entry.unlocked'))
        void queries.invalidateQueries({ queryKey: ['locks'] });
      const hasFolders = changes.some(({ Entry }) => Entry === undefined || Entry.Type === 'folder');
      if (hasFolders) void queries.invalidateQueries({ queryKey: ['tree'] });
    });
    return () => abort.abort();
  }, [cabinet, queries]);
}

async function follow(cabinet: Cabinet, signal: AbortSignal, onChanges: (changes: Change[]) => void): Promise<void> {
  let cursor: string | undefined;
  while (!signal.aborted) {
    try {
      const query = cursor === undefined ? { from: 'now' as const } : { cursor, wait: waitSeconds };
      const { Changes, Cursor } = await call(cabinet, 'GET /changes', { query, signal });
      cursor = Cursor;
      if (signal.aborted) return;
      set({ isLive: true, changes: [...Changes.toReversed(), ...state.changes].slice(0, maxKept) });
      if (Changes.length > 0) onChanges(Changes);
    } catch {
      if (signal.aborted) return;
      set({ ...state, isLive: false });
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}

/** The entries that changed and are there, each as its last change left it. */
function listExisting(changes: readonly Change[]): string[] {
  const last = new Map(changes.map((change) => [change.EntryId, change]));
  return [...last.values()]
    .filter(({ Entry, Trashed }) => Entry !== undefined && Trashed !== true)
    .map(({ EntryId }) => EntryId);
}

function toEntryUpdate({ EntryId, Entry, ParentFolderId, Trashed }: Change): EntryUpdate {
  const isThere = Entry !== undefined && Trashed !== true;
  return { id: EntryId, entry: isThere ? Entry : null, parent: isThere ? (ParentFolderId ?? null) : null };
}
