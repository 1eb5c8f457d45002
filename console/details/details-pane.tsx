// The details pane beside the list: preview, properties, versions. On a phone it covers the list.

import { type EntryDetails, showEntry } from '@cabinet/client';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components/Tabs';
import { downloadEntry } from '../files/download.ts';
import { iconOf } from '../files/kind.ts';
import { IconButton } from '../parts/button.tsx';
import { showError } from '../parts/error-text.ts';
import { Icon } from '../parts/icon.tsx';
import { ErrorState, Skeleton } from '../parts/states.tsx';
import { setParams, useRoute } from '../routing/router.ts';
import { useSession } from '../session/session-context.tsx';
import { useWords } from '../words/words.tsx';
import { Facts } from './facts.tsx';
import { LockNote } from './lock-note.tsx';
import { Preview } from './preview.tsx';
import { Versions } from './versions.tsx';
import './details-pane.css';

const ShareDialog = lazy(async () => ({ default: (await import('../sharing/share-dialog.tsx')).ShareDialog }));

export function DetailsPane({ id, onClose }: { id: string; onClose(): void }) {
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
    <aside ref={pane} className="paper look" aria-label={words.files.details}>
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton label={words.files.loading} />}
      {data !== undefined && <Looked shown={data} onClose={onClose} />}
      {data === undefined && (
        <span className="look-close">
          <IconButton icon="close" label={words.details.close} onPress={onClose} />
        </span>
      )}
    </aside>
  );
}

function Looked({ shown, onClose }: { shown: EntryDetails; onClose(): void }) {
  const words = useWords();
  const { cabinet } = useSession();
  const { params } = useRoute();
  const { Entry } = shown;
  const isFile = Entry.Type === 'file';
  const tabs = isFile ? (['preview', 'details', 'versions'] as const) : (['details'] as const);
  const tab = tabs.find((one) => one === params.tab) ?? tabs[0];
  const [isSharing, setSharing] = useState(false);
  const download = () => void downloadEntry(cabinet, Entry).catch((error) => showError(error, words));
  return (
    <>
      <header className="look-head">
        <span className={isFile ? 'entry-icon' : 'entry-icon entry-icon-folder'}>
          <Icon name={iconOf(Entry)} size={22} />
        </span>
        <h2>
          <bdi>{Entry.Name}</bdi>
        </h2>
        <IconButton icon="user" label={words.files.share} onPress={() => setSharing(true)} />
        <IconButton
          icon="download"
          label={isFile ? words.files.download : words.files.downloadZip}
          onPress={download}
        />
        <IconButton icon="close" label={words.details.close} onPress={onClose} />
      </header>
      {isSharing && (
        <Suspense>
          <ShareDialog entry={Entry} onClose={() => setSharing(false)} />
        </Suspense>
      )}
      <LockNote id={Entry.Id} />
      <Tabs
        className="look-tabs"
        selectedKey={tab}
        onSelectionChange={(key) => setParams({ tab: key === tabs[0] ? '' : String(key) }, { isReplaced: true })}
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
