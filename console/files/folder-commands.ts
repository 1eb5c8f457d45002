// The commands of a folder page, by keyboard and by the toolbar, and the clipboard that they share.

import type { Entry } from '@cabinet/client';
import { useEffect } from 'react';
import { showError } from '../parts/error-text.ts';
import { announce } from '../parts/notices.tsx';
import { go, setParams } from '../routing/router.ts';
import { useSession, useSpaceParams } from '../session/session-context.tsx';
import { useWords } from '../words/words.tsx';
import type { Actions } from './actions.ts';
import { type Ancestor, parentOf } from './ancestors.ts';
import { downloadEntry } from './download.ts';
import type { KeyCommands } from './keys.ts';
import type { Listing, Order } from './listing.ts';
import type { Selection } from './selection.ts';
import type { Action } from './toolbar.tsx';

export type OpenDialog =
  | { kind: 'newFolder' }
  | { kind: 'move' | 'copy'; entries: readonly Entry[] }
  | { kind: 'share'; entry: Entry };

/** What the commands of a folder work on. */
export interface FolderState {
  current: Ancestor;
  ancestors: readonly Ancestor[];
  order: Order;
  /** The entry in the details pane. */
  lookId: string | null;
  listing: Listing;
  selection: Selection;
  actions: Actions;
  setRenaming(id: string): void;
  setDialog(dialog: OpenDialog): void;
}

/** Entries that were cut or copied. */
let clipboard: { entries: readonly Entry[]; from: Ancestor; isCopy: boolean } | null = null;

/** Keyboard users keep the focus in the next folder. */
let isWalking = false;

export function useFolderCommands(folder: FolderState): KeyCommands {
  const words = useWords();
  const { canWrite } = useSession();
  const space = useSpaceParams();
  const { current, ancestors, order, lookId, listing, selection, actions, setRenaming, setDialog } = folder;
  const pointed = () => toPointed(folder);
  const keep = (isCopy: boolean) => {
    const entries = pointed();
    if (entries.length === 0 || !canWrite) return;
    clipboard = { entries, from: current, isCopy };
    announce(isCopy ? words.files.copiedToPaste(entries.length) : words.files.cut(entries.length));
  };
  return {
    open(entry) {
      isWalking = true;
      if (entry.Type === 'folder')
        go({ page: 'files', id: entry.Id, params: { ...space, order: toOrderParam(order) } });
      else setParams({ look: entry.Id });
    },
    rename: (entry) => canWrite && setRenaming(entry.Id),
    remove() {
      const entries = pointed();
      if (entries.length === 0 || !canWrite) return;
      selection.clear();
      void actions.remove(entries, current.id);
    },
    up() {
      const above = parentOf(ancestors);
      isWalking = true;
      if (above !== null) go({ page: 'files', id: above.id, params: space });
    },
    cut: () => keep(false),
    copy: () => keep(true),
    paste() {
      if (clipboard === null || !canWrite) return;
      const { entries, from, isCopy } = clipboard;
      if (!isCopy) clipboard = null;
      void (isCopy ? actions.copy(entries, current) : actions.move(entries, current, from));
    },
    details: () => setParams({ look: lookId === null ? (pointed()[0]?.Id ?? current.id) : '' }),
    newFolder: () => canWrite && setDialog({ kind: 'newFolder' }),
    selectAll: () => void listing.loadAll().then((entries) => selection.all(entries)),
  };
}

/** The selection, or else the entry at the cursor. */
function toPointed({ selection: { chosen, cursor }, listing }: FolderState): readonly Entry[] {
  return chosen.length > 0 ? chosen : listing.entries.slice(cursor, cursor + 1);
}

/** The actions of the toolbar. */
export function useToolbarActions(folder: FolderState, commands: KeyCommands): (action: Action) => void {
  const words = useWords();
  const { cabinet } = useSession();
  const { listing, selection, setDialog } = folder;
  const { chosen } = selection;
  const download = (entries: readonly Entry[]) => {
    for (const entry of entries) downloadEntry(cabinet, entry).catch((error) => showError(error, words));
  };
  return (action) => {
    const [first] = chosen;
    if (action === 'move' || action === 'copy') setDialog({ kind: action, entries: chosen });
    else if (action === 'share') first !== undefined && setDialog({ kind: action, entry: first });
    else if (action === 'download') download(chosen);
    else if (action === 'downloadFolder') listing.folder !== null && download([listing.folder]);
    else if (action === 'rename' || action === 'open') first !== undefined && commands[action](first);
    else commands[action]();
  };
}

/** The default order is not in the address. */
export function toOrderParam(order: Order): string {
  return order === 'natural' ? '' : order;
}

/** An empty folder has no list that handles keys. */
export function useKeysOfEmpty(isEmpty: boolean, commands: KeyCommands): void {
  useEffect(() => {
    if (!isEmpty) return;
    const onKey = (event: KeyboardEvent) => {
      if ((event.target as HTMLElement).closest('input, textarea, [role=dialog], [role=menu]') !== null) return;
      if (event.key.toLowerCase() === 'v' && (event.ctrlKey || event.metaKey)) commands.paste();
      else if (event.key === 'Backspace') commands.up();
      else if (event.key === 'n' && !event.ctrlKey && !event.metaKey) {
        event.preventDefault();
        commands.newFolder();
      }
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [isEmpty, commands]);
}

export function useFocusAfterWalk(hasEntries: boolean): void {
  useEffect(() => {
    if (!hasEntries || !isWalking) return;
    isWalking = false;
    if (document.activeElement === document.body) document.querySelector<HTMLElement>('[data-entries]')?.focus();
  }, [hasEntries]);
}
