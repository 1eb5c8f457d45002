// Starred, and Recent: what the person keeps an eye on, and what they opened or saved last.

import { type PersonalEntry, recentPage, starredPage } from '@cabinet/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useStar } from '../files/starred.ts';
import { Thumbnail } from '../files/thumbnail.tsx';
import { Button, IconButton } from '../parts/button.tsx';
import { Empty, ErrorState, Skeleton } from '../parts/states.tsx';
import { Link } from '../routing/link.tsx';
import { useSession, useSpaceParams } from '../session/session-context.tsx';
import { formatSize, formatWhen } from '../words/format.ts';
import { useWords } from '../words/words.tsx';
import './search-page.css';

export function StarredPage() {
  return <PersonalPage of="starred" />;
}

export function RecentPage() {
  return <PersonalPage of="recent" />;
}

function PersonalPage({ of }: { of: 'starred' | 'recent' }) {
  const words = useWords();
  const { title, none, noneHelp } = words[of];
  const { data, error, isFetching, hasNextPage, fetchNextPage, refetch } = useEntries(of);
  const entries = data?.pages.flatMap(({ Entries }) => Entries) ?? [];
  useEffect(() => {
    document.title = `${title} – Cabinet`;
  }, [title]);
  return (
    <section className="paper" aria-labelledby="page-title">
      <header className="paper-head">
        <h1 id="page-title">{title}</h1>
      </header>
      <div className="paper-body">
        {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
        {data === undefined && error === null && <Skeleton label={words.files.loading} />}
        {data !== undefined && entries.length === 0 && (
          <Empty icon={of === 'starred' ? 'star' : 'clock'} title={none}>
            <p>{noneHelp}</p>
          </Empty>
        )}
        {entries.length > 0 && (
          <ul className="found">
            {entries.map((shown) => (
              <Line key={shown.Entry.Id} shown={shown} isStarred={of === 'starred'} />
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
  );
}

function useEntries(of: 'starred' | 'recent') {
  const { cabinet } = useSession();
  const read = of === 'starred' ? starredPage : recentPage;
  return useInfiniteQuery({
    queryKey: [of, 'page', cabinet.spaceId],
    staleTime: 0,
    queryFn: ({ pageParam, signal }) => read(cabinet, { cursor: pageParam, limit: 100, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  });
}

function Line({ shown: { Entry, Path, At }, isStarred }: { shown: PersonalEntry; isStarred: boolean }) {
  const words = useWords();
  const params = useSpaceParams();
  const star = useStar();
  return (
    <li className="found-one">
      <span className={Entry.Type === 'folder' ? 'entry-icon entry-icon-folder' : 'entry-icon'}>
        <Thumbnail entry={Entry} size={64} iconSize={24} />
      </span>
      <div className="found-text">
        <Link className="found-name" to={{ page: 'files', id: Entry.Id, params }}>
          <bdi>{Entry.Name}</bdi>
        </Link>
        <p className="found-path">
          <bdi>{Path}</bdi> · {formatSize(Entry.Size, words.locale)} · {formatWhen(At, words.locale)}
        </p>
      </div>
      {isStarred && (
        <IconButton
          icon="star"
          isPressed
          label={`${words.files.unstar}: ${Entry.Name}`}
          onPress={() => void star([Entry.Id], false)}
        />
      )}
    </li>
  );
}
