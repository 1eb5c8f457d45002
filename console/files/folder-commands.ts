// The commands of a folder page, by keyboard and by the toolbar, and the clipboard that they share.

import type { Entry } from '@cabinet/client';
import { useEffect } from 'react';
import { showError } from '../parts/error-text.ts';
import { announce } from '../parts/notices.tsx';
import { go, setParams } from '../routing/router.ts';
import { useSession, useSpaceParams } from '../session/session-context.tsx';
import { openViewer } from '../viewer/address.ts';
import { useWords } from '../words/words.tsx';
import type { Actions } from './actions.ts';
import { type Ancestor, parentOf } from './ancestors.ts';
import { downloadEntry, downloadSelection } from './download.ts';
import type { Action, OpenMenu } from './folder-action.ts';
import type { KeyCommands } from './keys.ts';
import { toRowId } from './list-shared.ts';
import type { Listing, Order } from './listing.ts';
import type { Selection } from './selection.ts';
import { useStar } from './starred.ts';

export type OpenDialog =
  | { kind: 'newFolder' }
  | { kind: 'move' | 'copy'; entries: readonly Entry[] }
  | { kind: 'share' | 'edit' | 'requestFiles'; entry: Entry };

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
  setMenu(menu: OpenMenu): void;
  starred: ReadonlySet<string>;
}

/** Entries that were cut or copied. */
let clipboard: { entries: readonly Entry[]; from: Ancestor; isCopy: boolean } | null = null;

/** Keyboard users keep the focus in the next folder. */
let isWalking = false;

export function useFolderCommands(folder: FolderState): KeyCommands {
  const words = useWords();
  const { canWrite } = useSession();
  const space = useSpaceParams();
  const star = useStar();
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
      else openViewer(entry.Id);
    },
    rename: (entry) => canWrite && setRenaming(entry.Id),
    remove() {
      const entries = pointed();
      if (entries.length === 0 || !canWrite) return;
      selection.leave(entries);
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
    menu() {
      const [first] = pointed();
      const row = document.getElementById(toRowId(first) ?? '')?.getBoundingClientRect();
      if (first === undefined || row === undefined) return;
      if (selection.chosen.length === 0) selection.onlyEntry(first);
      folder.setMenu({ at: { x: row.left + 48, y: row.bottom - 8 }, isOfFolder: false });
    },
    star() {
      const ids = pointed().map(({ Id }) => Id);
      if (ids.length > 0) void star(ids, !ids.every((id) => folder.starred.has(id)));
    },
    newFolder: () => canWrite && setDialog({ kind: 'newFolder' }),
    selectAll: () => void listing.loadAll().then((all) => all !== null && selection.all(all)),
    end(isRange) {
      if (isRange) void listing.loadAll().then((all) => all !== null && selection.extendTo(all, all.at(-1)));
      else void listing.loadEnd().then((last) => last !== null && selection.onlyEntry(last));
    },
    find(text, isNext) {
      const from = isNext ? listing.entries.findIndex(({ Id }) => Id === selection.cursorId) + 1 : 0;
      const found = findName(listing.entries, text, from);
      if (found !== undefined) selection.onlyEntry(found);
    },
  };
}

/** By what they begin with, without case and accents; from an entry on, then from the first. */
function findName(entries: readonly Entry[], text: string, from: number): Entry | undefined {
  const wanted = toPlain(text);
  const begins = ({ Name }: Entry) => toPlain(Name).startsWith(wanted);
  return entries.slice(from).find(begins) ?? entries.find(begins);
}

function toPlain(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

/** The selection, or else the entry at the cursor. */
function toPointed({ selection: { chosen, cursor }, listing }: FolderState): readonly Entry[] {
  if (chosen.length > 0) return chosen;
  const pointed = listing.at(cursor);
  return pointed === undefined ? [] : [pointed];
}

/** The actions of the toolbar. */
export function useToolbarActions(folder: FolderState, commands: KeyCommands): (action: Action) => void {
  const words = useWords();
  const { cabinet } = useSession();
  const { listing, selection, setDialog } = folder;
  const { chosen } = selection;
  const download = (entries: readonly Entry[]) => {
    const [first] = entries;
    const downloading =
      entries.length === 1 && first !== undefined
        ? downloadEntry(cabinet, first)
        : downloadSelection(cabinet, entries, `${folder.current.name}.zip`, words);
    downloading.catch((error) => showError(error, words));
  };
  return (action) => {
    const [first] = chosen;
    if (action === 'move' || action === 'copy') setDialog({ kind: action, entries: chosen });
    else if (action === 'share' || action === 'edit' || action === 'requestFiles')
      first !== undefined && setDialog({ kind: action, entry: first });
    else if (action === 'requestFilesHere')
      listing.folder !== null && setDialog({ kind: 'requestFiles', entry: listing.folder });
    else if (action === 'facts' || action === 'versions')
      first !== undefined && setParams({ look: first.Id, tab: action === 'facts' ? 'details' : 'versions' });
    else if (action === 'download') download(chosen);
    else if (action === 'downloadFolder') listing.folder !== null && download([listing.folder]);
    else if (action === 'upload') document.querySelector<HTMLInputElement>('[data-files]')?.click();
    else if (action === 'unstar') commands.star();
    else if (action === 'rename' || action === 'open') first !== undefined && commands[action](first);
    else commands[action]();
  };
}

/** The default order is not in the address. */
export function toOrderParam(order: Order): string {
  return order === 'natural' ? '' : order;
}

const typing = 'input, textarea, select, [contenteditable], [role=dialog], [role=alertdialog], [role=menu]';

/** After loading, or after a click beside the list, nothing has the focus: keys go to the list, or to the empty folder. */
export function useKeysOfPage(isEmpty: boolean, commands: KeyCommands): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.defaultPrevented || target.closest(typing) !== null) return;
      if (isEmpty) return onKeyOfEmpty(event, commands);
      const list = document.querySelector<HTMLElement>('[data-entries]');
      const isNowhere = target === document.body || target.id === 'content';
      if (list === null || !isNowhere || ['Tab', 'Shift', 'Control', 'Alt', 'Meta'].includes(event.key)) return;
      list.focus({ preventScroll: true });
      const { key, code, ctrlKey, metaKey, shiftKey, altKey } = event;
      const passed = { key, code, ctrlKey, metaKey, shiftKey, altKey, bubbles: true, cancelable: true };
      if (!list.dispatchEvent(new KeyboardEvent('keydown', passed))) event.preventDefault();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [isEmpty, commands]);
}

function onKeyOfEmpty(event: KeyboardEvent, commands: KeyCommands): void {
  const isCommand = event.ctrlKey || event.metaKey;
  if (event.key.toLowerCase() === 'v' && isCommand) commands.paste();
  else if (event.key === 'Backspace') commands.up();
  else if (event.key === 'n' && !isCommand) {
    event.preventDefault();
    commands.newFolder();
  }
}

export function useFocusAfterWalk(hasEntries: boolean): void {
  useEffect(() => {
    if (!hasEntries || !isWalking) return;
    isWalking = false;
    if (document.activeElement === document.body) document.querySelector<HTMLElement>('[data-entries]')?.focus();
  }, [hasEntries]);
}
