// A folder: its entries as a list or tiles, their actions, and the details pane.

import type { Entry } from '@cabinet/client';
import { lazy, Suspense, useEffect, useState } from 'react';
import { codeOf, showError } from '../parts/error-text.ts';
import { announce } from '../parts/notices.tsx';
import { ErrorState, Skeleton } from '../parts/states.tsx';
import { go, setParams, useRoute } from '../routing/router.ts';
import { useSession, useSpaceParams } from '../session/session-context.tsx';
import { usePreferences } from '../shell/use-preferences.ts';
import { DropEverywhere } from '../uploads/drop-everywhere.tsx';
import { type DroppedFiles, gatherPasted } from '../uploads/dropped-files.ts';
import { uploads } from '../uploads/queue.ts';
import { useWords } from '../words/words.tsx';
import { useActions } from './actions.ts';
import { type Ancestor, parentOf, useAncestors } from './ancestors.ts';
import { Breadcrumbs } from './breadcrumbs.tsx';
import { downloadEntry } from './download.ts';
import { EmptyFolder } from './empty-folder.tsx';
import { EntryList } from './entry-list.tsx';
import { EntryTiles } from './entry-tiles.tsx';
import { useFolderDrop } from './folder-drop.ts';
import type { KeyCommands } from './keys.ts';
import { type Order, useListing } from './listing.ts';
import { useResolvedFolder } from './resolve-folder.ts';
import { useSelection } from './selection.ts';
import { type Action, Toolbar } from './toolbar.tsx';
import './files-page.css';

const DetailsPane = lazy(async () => ({ default: (await import('../details/details-pane.tsx')).DetailsPane }));
const NewFolderDialog = lazy(async () => ({ default: (await import('./new-folder-dialog.tsx')).NewFolderDialog }));
const TargetDialog = lazy(async () => ({ default: (await import('./target-dialog.tsx')).TargetDialog }));

const orders: readonly Order[] = ['name', '-name', 'modified', '-modified', 'size', '-size'];

/** Keyboard users keep the focus in the next folder. */
let isWalking = false;

/** Entries that were cut or copied. */
let clipboard: { entries: readonly Entry[]; from: Ancestor; isCopy: boolean } | null = null;

export function FilesPage() {
  const { space } = useSession();
  const { id, params } = useRoute();
  const folderId = id ?? space.RootFolderId;
  useResolvedFolder(folderId);
  const order = orders.find((one) => one === params.order) ?? 'name';
  // A selection belongs to its folder.
  return <Folder key={folderId} folderId={folderId} order={order} lookId={params.look ?? null} />;
}

interface FolderProps {
  folderId: string;
  order: Order;
  lookId: string | null;
}

type Asking = { kind: 'newFolder' } | { kind: 'move' | 'copy'; entries: readonly Entry[] };

function Folder({ folderId, order, lookId }: FolderProps) {
  const words = useWords();
  const { cabinet, canWrite } = useSession();
  const space = useSpaceParams();
  const { view } = usePreferences();
  const listing = useListing(folderId, order);
  const selection = useSelection(listing.entries);
  const ancestors = useAncestors(folderId);
  const actions = useActions();
  const [renaming, setRenaming] = useState<string | null>(null);
  const [asking, setAsking] = useState<Asking | null>(null);
  const current = { id: folderId, name: listing.folder?.Name ?? ancestors.at(-1)?.name ?? '' };
  const dropOn = useFolderDrop(current);
  const { chosen } = selection;
  const pointed = () => (chosen.length > 0 ? chosen : listing.entries.slice(selection.cursor, selection.cursor + 1));
  const upload = (given: DroppedFiles) => uploads.add(cabinet, folderId, given);
  usePaste(canWrite, upload);
  useTitle(current.name);

  const open = (entry: Entry) => {
    isWalking = true;
    if (entry.Type === 'folder') go({ page: 'files', id: entry.Id, params: { ...space, order: params(order) } });
    else setParams({ look: entry.Id });
  };
  const keep = (isCopy: boolean) => {
    const entries = pointed();
    if (entries.length === 0 || !canWrite) return;
    clipboard = { entries, from: current, isCopy };
    announce(isCopy ? words.files.copiedToPaste(entries.length) : words.files.cut(entries.length));
  };
  const remove = () => {
    const entries = pointed();
    if (entries.length === 0 || !canWrite) return;
    selection.clear();
    void actions.remove(entries, folderId);
  };
  const commands: KeyCommands = {
    open,
    rename: (entry) => canWrite && setRenaming(entry.Id),
    remove,
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
    details: () => setParams({ look: lookId === null ? (pointed()[0]?.Id ?? folderId) : '' }),
    newFolder: () => canWrite && setAsking({ kind: 'newFolder' }),
    selectAll: () => void listing.loadAll().then((entries) => selection.all(entries)),
  };
  useKeysOfEmpty(listing.isWhole && listing.entries.length === 0, commands);
  useFocusAfterWalk(listing.entries.length > 0);
  const act = (action: Action) => {
    const [first] = chosen;
    if (action === 'move' || action === 'copy') setAsking({ kind: action, entries: chosen });
    else if (action === 'download') download(chosen);
    else if (action === 'downloadFolder') listing.folder !== null && download([listing.folder]);
    else if (action === 'rename' || action === 'open') first !== undefined && commands[action](first);
    else commands[action]();
  };
  const download = (entries: readonly Entry[]) => {
    for (const entry of entries) downloadEntry(cabinet, entry).catch((error) => showError(error, words));
  };
  const shared = {
    listing,
    selection,
    order,
    setOrder: (next: Order) => setParams({ order: params(next) }, { isReplaced: true }),
    commands,
    renaming,
    onRename: (entry: Entry, name: string) => actions.rename(entry, name, folderId),
    onRenameEnd() {
      setRenaming(null);
      document.querySelector<HTMLElement>('[data-entries]')?.focus();
    },
    dropOn: (entry: Entry) => dropOn({ id: entry.Id, name: entry.Name }),
    canWrite,
  };
  const { entries, isWhole } = listing;
  const isLost = codeOf(listing.error) === 'FolderNotFound';
  return (
    <>
      <section className="folder" aria-labelledby="page-title">
        <h1 id="page-title" className="unseen">
          {current.name}
        </h1>
        <div className="folder-tab">
          <Breadcrumbs ancestors={isLost ? ancestors.slice(0, 1) : ancestors} dropOn={dropOn} />
        </div>
        <div className="paper folder-paper">
          <Toolbar
            selection={selection}
            count={isWhole ? words.files.items(entries.length) : words.files.loaded(entries.length)}
            order={order}
            canWrite={canWrite}
            setOrder={shared.setOrder}
            onUpload={upload}
            onAction={act}
          />
          {listing.error !== null && <ErrorState error={listing.error} onRetry={listing.retry} />}
          {entries.length === 0 && listing.isLoading && <Skeleton rows={10} label={words.files.loading} />}
          {entries.length === 0 && isWhole && <EmptyFolder onAction={act} canWrite={canWrite} />}
          {entries.length > 0 && (view === 'grid' ? <EntryTiles {...shared} /> : <EntryList {...shared} />)}
        </div>
      </section>
      {lookId !== null && (
        <Suspense fallback={<Skeleton label={words.files.loading} />}>
          <DetailsPane id={lookId} onClose={() => setParams({ look: '', tab: '' })} />
        </Suspense>
      )}
      <Suspense>
        {asking?.kind === 'newFolder' && (
          <NewFolderDialog onCreate={(name) => actions.createFolder(folderId, name)} onClose={() => setAsking(null)} />
        )}
        {(asking?.kind === 'move' || asking?.kind === 'copy') && (
          <TargetDialog
            entries={asking.entries}
            isCopy={asking.kind === 'copy'}
            startAt={folderId}
            onClose={() => setAsking(null)}
            onChoose={(to) => {
              selection.clear();
              void (asking.kind === 'copy'
                ? actions.copy(asking.entries, to)
                : actions.move(asking.entries, to, current));
            }}
          />
        )}
      </Suspense>
      {canWrite && <DropEverywhere name={current.name} onGiven={upload} />}
    </>
  );
}

/** An empty folder has no list that handles keys. */
function useKeysOfEmpty(isEmpty: boolean, commands: KeyCommands): void {
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

function useFocusAfterWalk(hasEntries: boolean): void {
  useEffect(() => {
    if (!hasEntries || !isWalking) return;
    isWalking = false;
    if (document.activeElement === document.body) document.querySelector<HTMLElement>('[data-entries]')?.focus();
  }, [hasEntries]);
}

/** The default order is not in the address. */
function params(order: Order): string {
  return order === 'name' ? '' : order;
}

function usePaste(canWrite: boolean, upload: (given: DroppedFiles) => void): void {
  const words = useWords();
  useEffect(() => {
    if (!canWrite) return;
    const onPaste = (event: ClipboardEvent) => {
      if (event.clipboardData === null || event.clipboardData.files.length === 0) return;
      const given = gatherPasted(event.clipboardData, words.uploads.pastedName);
      event.preventDefault();
      announce(words.uploads.pasted(given.files[0]?.file.name ?? ''));
      upload(given);
    };
    window.addEventListener('paste', onPaste);
    return () => window.removeEventListener('paste', onPaste);
  }, [canWrite, upload, words]);
}

function useTitle(name: string): void {
  useEffect(() => {
    document.title = name === '' ? 'Cabinet' : `${name} – Cabinet`;
  }, [name]);
}
