// A folder: its entries as a list or tiles, their actions, and the details pane.

import type { Entry } from '@cabinet/client';
import { lazy, Suspense, useEffect, useState } from 'react';
import { codeOf } from '../parts/error-text.ts';
import { announce } from '../parts/notices.tsx';
import { ErrorState, Skeleton } from '../parts/states.tsx';
import { setParams, useRoute } from '../routing/router.ts';
import { useSession } from '../session/session-context.tsx';
import { useLinkedEntries } from '../sharing/links.ts';
import { usePreferences } from '../shell/use-preferences.ts';
import { DropEverywhere } from '../uploads/drop-everywhere.tsx';
import { type DroppedFiles, gatherPasted } from '../uploads/dropped-files.ts';
import { uploads } from '../uploads/queue.ts';
import { ViewerAbove } from '../viewer/viewer-above.tsx';
import { useWords } from '../words/words.tsx';
import { useActions } from './actions.ts';
import { useAncestors } from './ancestors.ts';
import { Breadcrumbs } from './breadcrumbs.tsx';
import { EmptyFolder } from './empty-folder.tsx';
import { EntryList } from './entry-list.tsx';
import { EntryMenu } from './entry-menu.tsx';
import { EntryTiles } from './entry-tiles.tsx';
import type { Action, OpenMenu } from './folder-action.ts';
import {
  type FolderState,
  type OpenDialog,
  toOrderParam,
  useFocusAfterWalk,
  useFolderCommands,
  useKeysOfPage,
  useToolbarActions,
} from './folder-commands.ts';
import { FolderDialogs } from './folder-dialogs.tsx';
import { useFolderDrop } from './folder-drop.ts';
import { useFolderRefresh } from './folder-refresh.ts';
import type { EntriesProps } from './list-shared.ts';
import { type Order, useListing } from './listing.ts';
import { useLocksIn } from './locks.ts';
import { useLookAt } from './look-at.ts';
import { useResolvedFolder } from './resolve-folder.ts';
import { useSelection } from './selection.ts';
import { useStarred } from './starred.ts';
import { Toolbar } from './toolbar.tsx';
import './files-page.css';

const DetailsPane = lazy(async () => ({ default: (await import('../details/details-pane.tsx')).DetailsPane }));

const orders: readonly Order[] = ['natural', '-natural', 'modified', '-modified', 'size', '-size'];

export function FilesPage() {
  const { space } = useSession();
  const { id, params } = useRoute();
  const folderId = id ?? space.RootFolderId;
  useResolvedFolder(folderId);
  const order = orders.find((one) => one === params.order) ?? 'natural';
  // A selection belongs to its folder.
  return <Folder key={folderId} folderId={folderId} order={order} lookId={params.look ?? null} viewId={params.view} />;
}

interface FolderProps {
  folderId: string;
  order: Order;
  lookId: string | null;
  /** The file in the viewer. */
  viewId: string | undefined;
}

function Folder({ folderId, order, lookId, viewId }: FolderProps) {
  const words = useWords();
  const { cabinet, canWrite } = useSession();
  const listing = useListing(folderId, order);
  useFolderRefresh(folderId, order, listing);
  const locks = useLocksIn(folderId);
  const linked = useLinkedEntries();
  const selection = useSelection(listing);
  useLookAt(lookId, selection);
  const ancestors = useAncestors(folderId);
  const actions = useActions();
  const [renaming, setRenaming] = useState<string | null>(null);
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const [menu, setMenu] = useState<OpenMenu | null>(null);
  const starred = useStarred();
  const current = { id: folderId, name: listing.folder?.Name ?? ancestors.at(-1)?.name ?? '' };
  const dropOn = useFolderDrop(current);
  const upload = (given: DroppedFiles) => uploads.add(cabinet, folderId, given);
  usePaste(canWrite, upload);
  useTitle(current.name);
  const folder: FolderState = {
    ...{ current, ancestors, order, lookId, listing, selection, actions },
    ...{ setRenaming, setDialog, setMenu, starred },
  };
  const commands = useFolderCommands(folder);
  const act = useToolbarActions(folder, commands);
  useKeysOfPage(listing.isWhole && listing.entries.length === 0, commands);
  useFocusAfterWalk(listing.entries.length > 0);
  const shared: EntriesProps = {
    ...{ listing, selection, order, commands, renaming, canWrite, locks, linked, starred },
    openMenu: setMenu,
    setOrder: (next) => setParams({ order: toOrderParam(next) }, { isReplaced: true }),
    onRename: (entry: Entry, name: string) => actions.rename(entry, name, folderId),
    onRenameEnd() {
      setRenaming(null);
      document.querySelector<HTMLElement>('[data-entries]')?.focus();
    },
    dropOn: (entry: Entry) => dropOn({ id: entry.Id, name: entry.Name }),
  };
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
        <Paper {...shared} onUpload={upload} onAction={act} />
      </section>
      {lookId !== null && (
        <Suspense fallback={<Skeleton label={words.files.loading} />}>
          <DetailsPane id={lookId} onClose={() => setParams({ look: '', tab: '' })} />
        </Suspense>
      )}
      {menu !== null && (
        <EntryMenu
          {...{ menu, canWrite, starred }}
          entries={selection.chosen}
          onAction={act}
          onClose={() => setMenu(null)}
        />
      )}
      <ViewerAbove sequence={listing.sequenceOf(viewId)} selection={selection} />
      <FolderDialogs folder={folder} dialog={dialog} onClose={() => setDialog(null)} />
      <DropEverywhere name={canWrite ? current.name : null} onGiven={upload} />
    </>
  );
}

interface PaperProps extends EntriesProps {
  onUpload(given: DroppedFiles): void;
  onAction(action: Action): void;
}

/** The toolbar and the entries, or what is shown instead of them. */
function Paper({ onUpload, onAction, ...shared }: PaperProps) {
  const words = useWords();
  const { view } = usePreferences();
  const { listing, selection, order, setOrder, canWrite } = shared;
  const { entries, isWhole } = listing;
  return (
    <div className="paper folder-paper">
      <Toolbar
        selection={selection}
        count={words.files.items(listing.total)}
        order={order}
        canWrite={canWrite}
        starred={shared.starred}
        setOrder={setOrder}
        onUpload={onUpload}
        onAction={onAction}
      />
      {listing.error !== null && <ErrorState error={listing.error} onRetry={listing.retry} />}
      {entries.length === 0 && listing.isLoading && <Skeleton rows={10} label={words.files.loading} />}
      {entries.length === 0 && isWhole && <EmptyFolder onAction={onAction} canWrite={canWrite} />}
      {entries.length > 0 && (view === 'grid' ? <EntryTiles {...shared} /> : <EntryList {...shared} />)}
    </div>
  );
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
