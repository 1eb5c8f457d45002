// The details pane beside the list: preview, properties, versions. On a phone it covers the list.

import { type Entry, type EntryDetails, showEntry } from '@cabinet/client';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components/Tabs';
import { downloadEntry } from '../files/download.ts';
import { EditButton } from '../files/edit-button.tsx';
import { iconOf } from '../files/kind.ts';
import { IconButton } from '../parts/button.tsx';
import { showError } from '../parts/error-text.ts';
import { Icon } from '../parts/icon.tsx';
import { ErrorState, Skeleton } from '../parts/states.tsx';
import { setParams, useRoute } from '../routing/router.ts';
import { useSession } from '../session/session-context.tsx';
import { openViewer } from '../viewer/address.ts';
import { useWords } from '../words/words.tsx';
import { Facts } from './facts.tsx';
import { LockNote } from './lock-note.tsx';
import { Preview } from './preview.tsx';
import { useViewerWords } from './use-viewer-words.ts';
import { Versions } from './versions.tsx';
import './details-pane.css';

const ShareDialog = lazy(async () => ({ default: (await import('../sharing/share-dialog.tsx')).ShareDialog }));

interface DetailsPaneProps {
  id: string;
  /** Beside the viewer, which shows the content already. */
  isBeside?: boolean;
  onClose(): void;
}

export function DetailsPane({ id, isBeside = false, onClose }: DetailsPaneProps) {
  const words = useWords();
  const { cabinet } = useSession();
  const { data, error, refetch } = useQuery({
    queryKey: ['entry', id],
    queryFn: ({ signal }) => showEntry(cabinet, id, { signal }),
  });
  const pane = useRef<HTMLElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && pane.current?.contains(document.activeElement)) onClose();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [onClose]);
  return (
    <aside
      ref={pane}
      className="paper look"
      aria-label={words.files.details}
      onKeyDown={(event) => {
        if (!isBeside || event.key !== 'Escape') return;
        // The viewer stays.
        event.stopPropagation();
        onClose();
      }}
    >
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton label={words.files.loading} />}
      {data !== undefined && <Looked shown={data} isBeside={isBeside} onClose={onClose} />}
      {data === undefined && (
        <span className="look-close">
          <IconButton icon="close" label={words.details.close} onPress={onClose} />
        </span>
      )}
    </aside>
  );
}

function Looked({ shown, isBeside, onClose }: { shown: EntryDetails; isBeside: boolean; onClose(): void }) {
  const words = useWords();
  const { params } = useRoute();
  const { Entry } = shown;
  const isFile = Entry.Type === 'file';
  const tabs = tabsOf(isFile, isBeside);
  const tab = tabs.find((one) => one === params.tab) ?? tabs[0];
  return (
    <>
      <header className="look-head">
        <span className={isFile ? 'entry-icon' : 'entry-icon entry-icon-folder'}>
          <Icon name={iconOf(Entry)} size={22} />
        </span>
        <h2>
          <bdi>{Entry.Name}</bdi>
        </h2>
        {!isBeside && <EntryActions entry={Entry} />}
        <IconButton icon="close" label={words.details.close} onPress={onClose} />
      </header>
      <LockNote id={Entry.Id} />
      <Tabs
        className="look-tabs"
        selectedKey={tab}
        onSelectionChange={(key) =>
          setParams({ tab: key === tabs[0] && !isBeside ? '' : String(key) }, { isReplaced: true })
        }
      >
        <TabList className="tabs" aria-label={Entry.Name}>
          {tabs.map((one) => (
            <Tab key={one} id={one} className="tab">
              {words.details[one]}
            </Tab>
          ))}
        </TabList>
        <TabPanel id={tab} className="look-panel" key={`${Entry.Id} ${tab}`}>
          {tab === 'preview' && <Preview entry={Entry} version={shown.Version ?? 1} />}
          {tab === 'details' && <Facts shown={shown} />}
          {tab === 'versions' && <Versions entry={Entry} />}
        </TabPanel>
      </Tabs>
    </>
  );
}

/** Beside the viewer they stand in its own head. */
function EntryActions({ entry }: { entry: Entry }) {
  const words = useWords();
  const viewer = useViewerWords();
  const { cabinet } = useSession();
  const [isSharing, setSharing] = useState(false);
  const isFile = entry.Type === 'file';
  const download = () => void downloadEntry(cabinet, entry).catch((error) => showError(error, words));
  return (
    <>
      {isFile && <IconButton icon="expand" label={viewer.open} onPress={() => openViewer(entry.Id)} />}
      <EditButton entry={entry} />
      <IconButton icon="user" label={words.files.share} onPress={() => setSharing(true)} />
      <IconButton icon="download" label={isFile ? words.files.download : words.files.downloadZip} onPress={download} />
      {isSharing && (
        <Suspense>
          <ShareDialog entry={entry} onClose={() => setSharing(false)} />
        </Suspense>
      )}
    </>
  );
}

type TabName = 'preview' | 'details' | 'versions';

function tabsOf(isFile: boolean, isBeside: boolean): readonly [TabName, ...TabName[]] {
  if (!isFile) return ['details'];
  return isBeside ? ['details', 'versions'] : ['preview', 'details', 'versions'];
}
