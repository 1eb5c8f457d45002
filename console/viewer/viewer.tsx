// A file in full, above the list that it is in: previous and next in the order of the list, download, and the details beside it. It has
// an address of its own.

import { type Entry, type EntryDetails, showEntry } from '@cabinet/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { Dialog as AriaDialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { DetailsPane } from '../details/details-pane.tsx';
import { Preview } from '../details/preview.tsx';
import { useViewerWords } from '../details/use-viewer-words.ts';
import { downloadEntry } from '../files/download.ts';
import { EditButton } from '../files/edit-button.tsx';
import { iconOf } from '../files/kind.ts';
import { IconButton } from '../parts/button.tsx';
import { showError } from '../parts/error-text.ts';
import { Icon } from '../parts/icon.tsx';
import { ErrorState, Skeleton } from '../parts/states.tsx';
import { setParams, useRoute } from '../routing/router.ts';
import { useSession } from '../session/session-context.tsx';
import { useWords } from '../words/words.tsx';
import { closeViewer, showInViewer } from './address.ts';
import { useSwipe, useViewerKeys } from './gestures.ts';
import { type Neighbours, type Sequence, useNeighbours } from './neighbours.ts';
import './viewer.css';

const ShareDialog = lazy(async () => ({ default: (await import('../sharing/share-dialog.tsx')).ShareDialog }));

interface ViewerProps {
  id: string;
  sequence: Sequence;
  /** Called with each file that is shown. */
  onShow?(entry: Entry): void;
}

export function Viewer({ id, sequence, onShow }: ViewerProps) {
  const words = useWords();
  const { cabinet } = useSession();
  const { tab = '' } = useRoute().params;
  const { data, error, refetch } = useQuery(toQuery(cabinet, id));
  const neighbours = useNeighbours(id, sequence);
  const entry = data?.Entry ?? neighbours.entry;
  const shown = useRef(onShow);
  shown.current = onShow;
  const { entry: listed } = neighbours;
  useEffect(() => {
    if (listed !== null) shown.current?.(listed);
  }, [listed]);
  usePrefetch(neighbours);
  useTitle(entry?.Name);
  const toggle = () => setParams({ tab: tab === '' ? 'details' : '' }, { isReplaced: true });
  return (
    <ModalOverlay className="viewer-cover" isOpen onOpenChange={(isOpen) => !isOpen && closeViewer()}>
      <Modal className="viewer-window">
        <AriaDialog className="viewer">
          <Title entry={entry} />
          <Steps entry={entry} neighbours={neighbours} />
          <Actions entry={entry} isBeside={tab !== ''} onDetails={toggle} />
          <Body id={id} neighbours={neighbours} onDetails={toggle}>
            {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
            {data === undefined && error === null && <Skeleton label={words.files.loading} />}
            {data !== undefined && <Shown key={`${id} ${data.Version}`} shown={data} />}
          </Body>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

function toQuery(cabinet: ReturnType<typeof useSession>['cabinet'], id: string) {
  return {
    queryKey: ['entry', id],
    queryFn: ({ signal }: { signal: AbortSignal }) => showEntry(cabinet, id, { signal }),
  };
}

function usePrefetch({ previous, next }: Neighbours): void {
  const queries = useQueryClient();
  const { cabinet } = useSession();
  const [before, after] = [previous?.Id, next?.Id];
  useEffect(() => {
    for (const id of [after, before]) if (id !== undefined) void queries.prefetchQuery(toQuery(cabinet, id));
  }, [queries, cabinet, before, after]);
}

/** The list's own title comes back with the list. */
function useTitle(name: string | undefined): void {
  useEffect(() => {
    const before = document.title;
    if (name !== undefined) document.title = `${name} – Cabinet`;
    return () => {
      document.title = before;
    };
  }, [name]);
}

function Title({ entry }: { entry: Entry | null }) {
  return (
    <header className="viewer-title">
      {entry !== null && <Icon name={iconOf(entry)} size={22} />}
      <Heading slot="title" level={2}>
        <bdi>{entry?.Name}</bdi>
      </Heading>
    </header>
  );
}

function Steps({ entry, neighbours }: { entry: Entry | null; neighbours: Neighbours }) {
  const viewer = useViewerWords();
  const { at, of, isMore, previous, next } = neighbours;
  return (
    <nav className="viewer-nav" aria-label={viewer.files}>
      <IconButton
        icon="previous"
        label={viewer.previous}
        isDisabled={previous === null}
        onPress={() => previous !== null && showInViewer(previous.Id)}
      />
      <span className="viewer-place" role="status">
        {at > 0 && viewer.position(at, of, isMore)}
        <span className="unseen"> {entry?.Name}</span>
      </span>
      <IconButton
        icon="next"
        label={viewer.next}
        isDisabled={next === null}
        onPress={() => next !== null && showInViewer(next.Id)}
      />
    </nav>
  );
}

interface ActionsProps {
  entry: Entry | null;
  isBeside: boolean;
  onDetails(): void;
}

function Actions({ entry, isBeside, onDetails }: ActionsProps) {
  const words = useWords();
  const viewer = useViewerWords();
  const { cabinet } = useSession();
  const [isSharing, setSharing] = useState(false);
  const isNone = entry === null;
  const download = () => isNone || downloadEntry(cabinet, entry).catch((error) => showError(error, words));
  return (
    <div className="viewer-actions">
      {!isNone && <EditButton entry={entry} />}
      <IconButton icon="user" label={words.files.share} isDisabled={isNone} onPress={() => setSharing(true)} />
      <IconButton icon="download" label={words.files.download} isDisabled={isNone} onPress={() => void download()} />
      <IconButton icon="info" label={viewer.details} isPressed={isBeside} onPress={onDetails} />
      <IconButton icon="close" label={viewer.close} onPress={closeViewer} />
      {isSharing && entry !== null && (
        <Suspense>
          <ShareDialog entry={entry} onClose={() => setSharing(false)} />
        </Suspense>
      )}
    </div>
  );
}

interface BodyProps {
  id: string;
  neighbours: Neighbours;
  onDetails(): void;
  children: ReactNode;
}

function Body({ id, neighbours: { previous, next }, onDetails, children }: BodyProps) {
  const { tab = '' } = useRoute().params;
  const stage = useRef<HTMLDivElement>(null);
  const goBack = () => previous !== null && showInViewer(previous.Id);
  const goOn = () => next !== null && showInViewer(next.Id);
  const isLeftward = document.documentElement.dir === 'rtl';
  const [left, right] = isLeftward ? [goOn, goBack] : [goBack, goOn];
  useViewerKeys({ ArrowLeft: left, ArrowRight: right, i: onDetails });
  useSwipe(stage, { onLeft: right, onRight: left });
  // A button that cannot be used any more loses the focus.
  // biome-ignore lint/correctness/useExhaustiveDependencies: looked at after each change of what is shown
  useEffect(() => {
    const { activeElement } = document;
    const isLost = activeElement === document.body || activeElement?.matches(':disabled') === true;
    if (isLost) stage.current?.closest<HTMLElement>('.viewer')?.focus();
  }, [id, tab]);
  return (
    <div className="viewer-body">
      <div ref={stage} className="viewer-stage">
        {children}
      </div>
      {tab !== '' && <DetailsPane id={id} isBeside onClose={() => setParams({ tab: '' }, { isReplaced: true })} />}
    </div>
  );
}

function Shown({ shown: { Entry, Version } }: { shown: EntryDetails }) {
  return <Preview entry={Entry} version={Version ?? 1} isFull />;
}
