// Actions on entries. Each announces its result and offers undo where possible. A failure of one entry does not stop the others.

import {
  type Cabinet,
  CabinetError,
  changeEntries,
  changeEntry,
  createFolder,
  type EntriesChange,
  type Entry,
} from '@cabinet/client';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { showError } from '../parts/error-text.ts';
import { notify } from '../parts/notices.tsx';
import { useSession } from '../session/session-context.tsx';
import type { Words } from '../words/en.ts';
import { useWords } from '../words/words.tsx';
import type { Ancestor } from './ancestors.ts';
import { updateListings } from './listing.ts';
import type { EntryUpdate } from './stretches.ts';

/** Entries of one request: large enough to be fast, small enough to show progress. */
const atOnce = 500;

interface Context {
  cabinet: Cabinet;
  queries: QueryClient;
  words: Words;
}

export interface Actions {
  createFolder(parent: string, name: string): Promise<Entry>;
  /** Rejects, so that the name can be edited further. */
  rename(entry: Entry, name: string, parent: string): Promise<void>;
  /** `from`: their folder, for undo. */
  move(entries: readonly Entry[], to: Ancestor, from: Ancestor): Promise<void>;
  copy(entries: readonly Entry[], to: Ancestor): Promise<void>;
  remove(entries: readonly Entry[], from: string): Promise<void>;
  change(entry: Entry, change: { properties?: Record<string, string | null>; objectType?: string }): Promise<Entry>;
}

export function useActions(): Actions {
  const { cabinet } = useSession();
  const queries = useQueryClient();
  const words = useWords();
  return useMemo(() => toActions({ cabinet, queries, words }), [cabinet, queries, words]);
}

function toActions(context: Context): Actions {
  const { cabinet, queries, words } = context;
  return {
    async createFolder(parent, name) {
      const folder = await createFolder(cabinet, { parent, name });
      updateListings(queries, [{ id: folder.Id, entry: folder, parent }]);
      void queries.invalidateQueries({ queryKey: ['tree', parent] });
      const undo = toUndo(context, () => trash(context, [folder]));
      notify({ text: words.files.created(name), action: undo });
      return folder;
    },
    async rename(entry, name, parent) {
      await rename(context, entry, name, parent);
      const back = () => rename(context, entry, entry.Name, parent);
      notify({ text: words.files.renamed(name), action: toUndo(context, back) });
    },
    move: (entries, to, from) => move(context, entries, { to, from, isUndoable: true }),
    async copy(entries, to) {
      const change = { action: 'copy', parent: to.id, conflict: 'Rename' } as const;
      const copies: Entry[] = [];
      const copied = await changeAll(context, entries, change, (copy) => {
        copies.push(copy);
        return { id: copy.Id, entry: copy, parent: to.id };
      });
      if (copied === 0) return;
      const undo = toUndo(context, () => trash(context, copies));
      notify({ key: 'progress', text: words.files.copied(copied, to.name), action: undo });
    },
    remove: (entries, from) => remove(context, entries, from),
    async change(entry, change) {
      const { Entry: changed } = await changeEntry(cabinet, { id: entry.Id, ...change });
      void queries.invalidateQueries({ queryKey: ['entry', entry.Id] });
      notify({ text: words.details.saved });
      return changed;
    },
  };
}

/** Says that it was undone, or why not. */
function toUndo({ words }: Context, back: () => Promise<unknown>) {
  const run = async () => {
    try {
      await back();
      notify({ text: words.files.undone });
    } catch (error) {
      showError(error, words);
    }
  };
  return { label: words.files.undo, run: () => void run() };
}

async function rename({ cabinet, queries }: Context, { Id }: Entry, name: string, parent: string): Promise<void> {
  const { Entry: changed } = await changeEntry(cabinet, { id: Id, name });
  updateListings(queries, [{ id: Id, entry: changed, parent }]);
  refreshAround(queries, Id);
}

function trash(context: Context, entries: readonly Entry[]): Promise<number> {
  return changeAll(context, entries, { action: 'trash' }, ({ Id }) => ({ id: Id, entry: null, parent: null }));
}

async function move(
  context: Context,
  entries: readonly Entry[],
  { to, from, isUndoable }: { to: Ancestor; from: Ancestor; isUndoable: boolean },
): Promise<void> {
  const { words } = context;
  const moving = entries.filter(({ Id }) => Id !== to.id);
  const change = { action: 'move', parent: to.id } as const;
  const moved = await changeAll(context, moving, change, (entry) => ({ id: entry.Id, entry, parent: to.id }));
  if (moved === 0) return;
  const undo = {
    label: words.files.undo,
    run: () => void move(context, moving, { to: from, from: to, isUndoable: false }),
  };
  notify({ key: 'progress', text: words.files.moved(moved, to.name), ...(isUndoable && { action: undo }) });
}

async function remove(context: Context, entries: readonly Entry[], from: string): Promise<void> {
  const { words } = context;
  const removed = await trash(context, entries);
  if (removed === 0) return;
  const undo = async () => {
    const place = (entry: Entry) => ({ id: entry.Id, entry, parent: from });
    const back = await changeAll(context, entries, { action: 'restore' }, place);
    if (back > 0) notify({ text: words.files.undone });
  };
  notify({
    key: 'progress',
    text: words.files.deleted(removed),
    action: { label: words.files.undo, run: () => void undo() },
  });
}

/** Returns the number of successes. Only the first error is shown: the others are mostly the same. */
async function changeAll(
  { cabinet, queries, words }: Context,
  entries: readonly Entry[],
  change: Omit<EntriesChange, 'ids'>,
  toUpdate: (changed: Entry) => EntryUpdate,
): Promise<number> {
  const placed: EntryUpdate[] = [];
  const errors: unknown[] = [];
  let [next, done] = [0, 0];
  const work = async () => {
    while (next < entries.length) {
      const ids = entries.slice(next, next + atOnce).map(({ Id }) => Id);
      next += ids.length;
      for (const result of await changeEntries(cabinet, { ...change, ids })) {
        if (result instanceof CabinetError) errors.push(result);
        else placed.push(toUpdate(result));
      }
      done += ids.length;
      if (done < entries.length) notify({ key: 'progress', text: words.files.progress(done, entries.length) });
    }
  };
  try {
    // While the page takes in one answer, the service works on the next one.
    await Promise.all([work(), work()]);
  } catch (error) {
    // The request failed as a whole, and so would the next ones.
    next = entries.length;
    errors.push(error);
  }
  updateListings(queries, placed);
  if (placed.length <= atOnce) for (const { id } of placed) refreshAround(queries, id, false);
  else void queries.invalidateQueries({ queryKey: ['entry'] });
  if (entries.some(({ Type }) => Type === 'folder')) void queries.invalidateQueries({ queryKey: ['tree'] });
  void queries.invalidateQueries({ queryKey: ['trash'] });
  if (errors.length > 0) showError(errors[0], words);
  return placed.length;
}

function refreshAround(queries: QueryClient, id: string, isTreeToo = true): void {
  void queries.invalidateQueries({ queryKey: ['entry', id] });
  void queries.invalidateQueries({ queryKey: ['chain'] });
  if (isTreeToo) void queries.invalidateQueries({ queryKey: ['tree'] });
}
