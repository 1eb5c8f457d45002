// What changes in the space while one looks, told by the service: the lists on the page follow by themselves.

import type { Cabinet, Operations } from '@cabinet/client';
import { call } from '@cabinet/client/requests';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { type Placed, placeEntries } from '../files/listing.ts';
import { useGround } from '../session/ground.tsx';

export type Change = Operations['GET /changes']['answer']['Changes'][number];

const waitSeconds = 30;
const pauseMs = 5_000;
const mostKept = 500;
const listeners = new Set<() => void>();

interface Told {
  isLive: boolean;
  /** Newest first, since the page was opened. */
  changes: readonly Change[];
}

let told: Told = { isLive: false, changes: [] };

function set(next: Told): void {
  told = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useTold(): Told {
  return useSyncExternalStore(subscribe, () => told);
}

/** Follows the open space for as long as the page is open. */
export function useLive(): void {
  const { cabinet } = useGround();
  const queries = useQueryClient();
  useEffect(() => {
    const abort = new AbortController();
    set({ isLive: false, changes: [] });
    void follow(cabinet, abort.signal, (changes) => {
      placeEntries(queries, changes.map(toPlaced));
      void queries.invalidateQueries({ queryKey: ['trash'] });
      // What is gone is not asked for again: the answer could only be that it is.
      for (const id of stillThere(changes)) void queries.invalidateQueries({ queryKey: ['entry', id] });
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
      set({ isLive: true, changes: [...Changes.toReversed(), ...told.changes].slice(0, mostKept) });
      if (Changes.length > 0) onChanges(Changes);
    } catch {
      if (signal.aborted) return;
      set({ ...told, isLive: false });
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}

/** The entries that changed and are there, each as its last change left it. */
function stillThere(changes: readonly Change[]): string[] {
  const last = new Map(changes.map((change) => [change.EntryId, change]));
  return [...last.values()]
    .filter(({ Entry, Trashed }) => Entry !== undefined && Trashed !== true)
    .map(({ EntryId }) => EntryId);
}

function toPlaced({ EntryId, Entry, ParentFolderId, Trashed }: Change): Placed {
  const isThere = Entry !== undefined && Trashed !== true;
  return { id: EntryId, entry: isThere ? Entry : null, parent: isThere ? (ParentFolderId ?? null) : null };
}
