// The changes in the space, newest first, live.

import { call } from '@cabinet/client/requests';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { iconOf } from '../files/kind.ts';
import { Icon } from '../parts/icon.tsx';
import { Empty, ErrorState, Skeleton } from '../parts/states.tsx';
import { Link } from '../routing/link.tsx';
import { useSession, useSpaceParams } from '../session/session-context.tsx';
import { formatAgo, formatTime } from '../words/format.ts';
import { useWords } from '../words/words.tsx';
import { type Change, useLiveChanges } from './live.ts';
import './changes-page.css';

const maxShown = 200;
const pageSize = 1000;

export function ChangesPage() {
  const words = useWords();
  const { cabinet } = useSession();
  const { isLive, changes } = useLiveChanges();
  const { data, error, refetch } = useQuery({
    queryKey: ['changes', cabinet.spaceId],
    staleTime: 0,
    queryFn: async ({ signal }) => {
      // The feed starts with the oldest change; the page shows the newest.
      const kept: Change[] = [];
      for (let cursor: string | undefined; ; ) {
        const { Changes, Cursor } = await call(cabinet, 'GET /changes', { query: { cursor, limit: pageSize }, signal });
        kept.push(...Changes);
        kept.splice(0, Math.max(0, kept.length - maxShown));
        if (Changes.length < pageSize) return kept.toReversed();
        cursor = Cursor;
      }
    },
  });
  useEffect(() => {
    document.title = `${words.changes.title} – Cabinet`;
  }, [words]);
  const latest = data?.[0]?.Position ?? 0;
  const shown = [...changes.filter(({ Position }) => Position > latest), ...(data ?? [])].slice(0, maxShown);
  return (
    <section className="paper" aria-labelledby="page-title">
      <header className="paper-head">
        <h1 id="page-title">{words.changes.title}</h1>
        <span className="live" data-live={isLive} role="status">
          {isLive ? words.changes.live : words.changes.waiting}
        </span>
      </header>
      <div className="paper-body">
        {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
        {data === undefined && error === null && <Skeleton label={words.files.loading} />}
        {data !== undefined && shown.length === 0 && (
          <Empty icon="clock" title={words.changes.none}>
            <p>{words.changes.noneHelp}</p>
          </Empty>
        )}
        <ol className="changes">
          {shown.map((change) => (
            <Line key={change.Position} change={change} />
          ))}
        </ol>
      </div>
    </section>
  );
}

function Line({ change }: { change: Change }) {
  const words = useWords();
  const params = useSpaceParams();
  const { At, By, Action, Entry, Trashed } = change;
  return (
    <li className="change">
      <span className={Entry?.Type === 'folder' ? 'entry-icon entry-icon-folder' : 'entry-icon'}>
        <Icon name={Entry === undefined ? 'trash' : iconOf(Entry)} size={22} />
      </span>
      <p>
        <bdi className="change-by">{By}</bdi> {words.changes.actions[Action] ?? Action}{' '}
        {Entry === undefined && <em>{words.changes.gone}</em>}
        {Entry !== undefined && Trashed === true && <bdi>{Entry.Name}</bdi>}
        {Entry !== undefined && Trashed !== true && (
          <Link to={{ page: 'files', id: Entry.Id, params }}>
            <bdi>{Entry.Name}</bdi>
          </Link>
        )}
      </p>
      <time dateTime={At} title={formatTime(At, words.locale)}>
        {formatAgo(At, words.locale)}
      </time>
    </li>
  );
}
