// What is shared with the person, of all spaces. A folder opens as any other; a file opens in full.

import { type SharedEntry, sharedWithMePage } from '@cabinet/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useMemo } from 'react';
import { iconOf } from '../files/kind.ts';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { Empty, ErrorState, Skeleton } from '../parts/states.tsx';
import { Link } from '../routing/link.tsx';
import { setParams, useRoute } from '../routing/router.ts';
import { useSession } from '../session/session-context.tsx';
import { noteOpening } from '../viewer/address.ts';
import { ViewerAbove } from '../viewer/viewer-above.tsx';
import { formatWhen } from '../words/format.ts';
import { useWords } from '../words/words.tsx';
import { ShareSwitch } from './share-switch.tsx';
import { useSharingWords } from './use-sharing-words.ts';
import './sharing.css';

const DetailsPane = lazy(async () => ({ default: (await import('../details/details-pane.tsx')).DetailsPane }));

export function SharedPage() {
  const words = useWords();
  const sharing = useSharingWords();
  const { params } = useRoute();
  const { data, error, refetch, hasNextPage, isFetching, fetchNextPage } = useShared();
  useEffect(() => {
    document.title = `${sharing.page} – Cabinet`;
  }, [sharing]);
  const entries = useMemo(() => data?.pages.flatMap(({ Entries }) => Entries) ?? [], [data]);
  const sequence = {
    // The address names one space.
    entries: entries.filter(({ Space }) => Space.Id === params.space).map(({ Entry }) => Entry),
    isWhole: data !== undefined && !hasNextPage,
    isLoading: isFetching,
    loadMore: () => void fetchNextPage(),
  };
  return (
    <>
      <section className="paper" aria-labelledby="page-title">
        <header className="paper-head">
          <h1 id="page-title">{sharing.page}</h1>
          <ShareSwitch current="shared" />
        </header>
        <div className="paper-body">
          {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
          {data === undefined && error === null && <Skeleton label={words.files.loading} />}
          {data !== undefined && entries.length === 0 && (
            <Empty icon="user" title={sharing.nothing}>
              <p>{sharing.nothingHelp}</p>
            </Empty>
          )}
          {entries.length > 0 && (
            <ul className="share-lines">
              {entries.map((shared) => (
                <Line key={shared.Entry.Id} shared={shared} />
              ))}
            </ul>
          )}
          {hasNextPage && (
            <div className="found-more">
              <Button isDisabled={isFetching} onPress={() => void fetchNextPage()}>
                {words.find.next}
              </Button>
            </div>
          )}
        </div>
      </section>
      {params.look !== undefined && (
        <Suspense fallback={<Skeleton label={words.files.loading} />}>
          <DetailsPane id={params.look} onClose={() => setParams({ look: '', tab: '' })} />
        </Suspense>
      )}
      <ViewerAbove sequence={sequence} />
    </>
  );
}

function useShared() {
  const { cabinet } = useSession();
  return useInfiniteQuery({
    queryKey: ['shared'],
    staleTime: 0,
    queryFn: ({ pageParam, signal }) => sharedWithMePage(cabinet, { cursor: pageParam, limit: 200, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  });
}

function Line({ shared: { Entry, Role, Space, GrantedBy, GrantedAt } }: { shared: SharedEntry }) {
  const words = useWords();
  const sharing = useSharingWords();
  const isFolder = Entry.Type === 'folder';
  const params = { space: Space.Id, ...(!isFolder && { view: Entry.Id }) };
  return (
    <li className="share-line">
      <span className={isFolder ? 'entry-icon entry-icon-folder' : 'entry-icon'}>
        <Icon name={iconOf(Entry)} size={24} />
      </span>
      <div>
        <Link
          to={isFolder ? { page: 'files', id: Entry.Id, params } : { page: 'shared', params }}
          onClick={isFolder ? undefined : noteOpening}
        >
          <bdi>{Entry.Name}</bdi>
        </Link>
        <p>
          {sharing.roles[Role]} · <bdi>{sharing.in(Space.Name)}</bdi> ·{' '}
          {sharing.by(GrantedBy, formatWhen(GrantedAt, words.locale))}
        </p>
      </div>
    </li>
  );
}
