// The versions of a file: download, compare (text), restore.

import type { Entry, Operations } from '@cabinet/client';
import { call, callPage } from '@cabinet/client/requests';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { downloadEntry } from '../files/download.ts';
import { kindOf } from '../files/kind.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { showError } from '../parts/error-text.ts';
import { notify } from '../parts/notices.tsx';
import { ErrorState, Skeleton } from '../parts/states.tsx';
import { useSession } from '../session/session-context.tsx';
import { showActor } from '../words/actor.ts';
import { formatSize, formatTime } from '../words/format.ts';
import { useWords } from '../words/words.tsx';
import { compareLines } from './compare.ts';
import { maxTextBytes, readText } from './content.ts';
import { VersionComment } from './version-comment.tsx';
import './versions.css';

type Version = Operations['GET /files/{id}/versions']['answer']['Versions'][number];

export function Versions({ entry }: { entry: Entry }) {
  const words = useWords();
  const { cabinet } = useSession();
  const [compared, setCompared] = useState<Version | null>(null);
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['versions', entry.Id, entry.ModifiedAt],
    queryFn: ({ pageParam, signal }) =>
      callPage(cabinet, 'GET /files/{id}/versions', { path: { id: entry.Id }, query: { cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton label={words.files.loading} />;
  const versions = data.pages.flatMap((page) => page.Versions);
  const [current] = versions;
  return (
    <div className="versions">
      {versions.length === 1 && <p className="facts-hint">{words.versions.onlyOne}</p>}
      <ol reversed>
        {versions.map((version) => (
          <Line
            key={version.Version}
            entry={entry}
            version={version}
            isCurrent={version === current}
            onCompare={() => setCompared(version)}
          />
        ))}
      </ol>
      {hasNextPage && <Button onPress={() => void fetchNextPage()}>{words.changes.earlier}</Button>}
      {compared !== null && current !== undefined && (
        <Comparison entry={entry} older={compared.Version} newer={current.Version} onClose={() => setCompared(null)} />
      )}
    </div>
  );
}

interface LineProps {
  entry: Entry;
  version: Version;
  isCurrent: boolean;
  onCompare(): void;
}

function Line({ entry, version, isCurrent, onCompare }: LineProps) {
  const words = useWords();
  const { cabinet, canWrite } = useSession();
  const queries = useQueryClient();
  const isText = ['text', 'code', 'markdown', 'table'].includes(kindOf(entry)) && version.Size <= maxTextBytes;
  const restore = async () => {
    try {
      await call(cabinet, 'POST /files/{id}/versions/{version}/restore', {
        path: { id: entry.Id, version: version.Version },
      });
      notify({ text: words.versions.restored(version.Version) });
      await queries.invalidateQueries({ queryKey: ['entry', entry.Id] });
    } catch (error) {
      showError(error, words);
    }
  };
  return (
    <li className="version">
      <p className="version-title">
        <strong>{words.versions.version(version.Version)}</strong>
        {isCurrent && <span className="badge">{words.versions.current}</span>}
        <span className="version-size">{formatSize(version.Size, words.locale)}</span>
      </p>
      <p>{words.details.byWhom(formatTime(version.CreatedAt, words.locale), showActor(version.CreatedBy, words))}</p>
      <VersionComment entry={entry} version={version}>
        {!isCurrent && isText && (
          <Button
            look="quiet"
            aria-label={`${words.versions.compare}: ${words.versions.version(version.Version)}`}
            onPress={onCompare}
          >
            {words.versions.compareShort}
          </Button>
        )}
        {!isCurrent && canWrite && (
          <Button
            look="quiet"
            aria-label={`${words.versions.restore}: ${words.versions.version(version.Version)}`}
            onPress={() => void restore()}
          >
            {words.versions.restore}
          </Button>
        )}
        <Button
          look="quiet"
          aria-label={`${words.versions.download}: ${words.versions.version(version.Version)}`}
          onPress={() => void downloadEntry(cabinet, entry, version.Version).catch((error) => showError(error, words))}
        >
          {words.versions.download}
        </Button>
      </VersionComment>
    </li>
  );
}

interface ComparisonProps {
  entry: Entry;
  older: number;
  newer: number;
  onClose(): void;
}

function Comparison({ entry, older, newer, onClose }: ComparisonProps) {
  const words = useWords();
  const { cabinet } = useSession();
  const { data, error } = useQuery({
    queryKey: ['comparison', entry.Id, older, newer],
    queryFn: async ({ signal }) => {
      const texts = await Promise.all(
        [older, newer].map((version) => readText(cabinet, entry.Id, { version, signal })),
      );
      return compareLines(texts[0] ?? '', texts[1] ?? '');
    },
  });
  return (
    <Dialog title={words.versions.compared(older)} isWide onClose={onClose}>
      {error !== null && <ErrorState error={error} />}
      {data === undefined && error === null && <Skeleton label={words.files.loading} />}
      {data?.every(({ kind }) => kind === 'same') && <p>{words.versions.same}</p>}
      {data !== undefined && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys must reach it
        <pre className="comparison" tabIndex={0}>
          {data.map(({ kind, text }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines stay in their order
            <span key={index} className={`compared-${kind}`}>
              {kind !== 'same' && <span className="unseen">{words.versions[kind]}: </span>}
              {text}
            </span>
          ))}
        </pre>
      )}
    </Dialog>
  );
}
