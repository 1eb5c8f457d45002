// The changes in the space, newest first, live.

import { showEntry } from '@cabinet/client';
import { call } from '@cabinet/client/requests';
import { useQuery } from '@tanstack/react-query';
import { Fragment, useEffect } from 'react';
import { iconOf } from '../files/kind.ts';
import { Icon } from '../parts/icon.tsx';
import { Empty, ErrorState, Skeleton } from '../parts/states.tsx';
import { Link } from '../routing/link.tsx';
import { useSession, useSpaceParams } from '../session/session-context.tsx';
import { showActor } from '../words/actor.ts';
import { formatAgo, formatDay, formatTime } from '../words/format.ts';
import { useWorkWords } from '../words/use-work-words.ts';
import { useWords } from '../words/words.tsx';
import type { WorkWords } from '../words/work-en.ts';
import { type Change, useLiveChanges } from './live.ts';
import './changes-page.css';

const maxShown = 200;
const pageSize = 1000;

export function ChangesPage() {
  const words = useWords();
  const { cabinet } = useSession();
  const { isLive, changes } = useLiveChanges();
  const { changes: work } = useWorkWords();
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
        {data !== undefined && shown.length === 0 && (
          <Empty icon="clock" title={words.changes.none}>
            <p>{words.changes.noneHelp}</p>
          </Empty>
        )}
        {groupByDay(shown).map(({ day, groups }) => (
          <section key={day} aria-label={toDay(day, words.locale, work)}>
            <h2 className="changes-day">{toDay(day, words.locale, work)}</h2>
            <ol className="changes">
              {groups.map((group) => (
                <Line key={group[0]?.Position} group={group} />
              ))}
            </ol>
          </section>
        ))}
        {data === undefined && error === null && <Skeleton label={words.files.loading} />}
      </div>
    </section>
  );
}

/** Changes of one kind that one person made in one folder, one after the other. */
type Group = readonly Change[];

function isAlike(a: Change, b: Change): boolean {
  return a.By === b.By && a.Action === b.Action && a.ParentFolderId === b.ParentFolderId;
}

/** In the time zone of the reader; newest first, as they come. */
function groupByDay(changes: readonly Change[]): { day: string; groups: Group[] }[] {
  const days: { day: string; groups: Change[][] }[] = [];
  for (const change of changes) {
    const day = new Date(change.At).toDateString();
    if (days.at(-1)?.day !== day) days.push({ day, groups: [] });
    const groups = days.at(-1)?.groups ?? [];
    const last = groups.at(-1);
    if (last?.[0] !== undefined && isAlike(last[0], change)) last.push(change);
    else groups.push([change]);
  }
  return days;
}

const dayMs = 24 * 3600 * 1000;

function toDay(day: string, locale: string, work: WorkWords['changes']): string {
  const now = new Date();
  if (day === now.toDateString()) return work.today;
  if (day === new Date(now.getTime() - dayMs).toDateString()) return work.yesterday;
  return formatDay(day, locale);
}

const maxNames = 5;

function Line({ group }: { group: Group }) {
  const words = useWords();
  const { changes: work } = useWorkWords();
  const [first] = group;
  if (first === undefined) return null;
  const { At, By, Action, Entry, ParentFolderId } = first;
  // What was saved several times is named once.
  const named = [...new Map(group.map((change) => [change.EntryId, change])).values()];
  return (
    <li className="change">
      <span className={Entry?.Type === 'folder' ? 'entry-icon entry-icon-folder' : 'entry-icon'}>
        <Icon name={Entry === undefined ? 'trash' : iconOf(Entry)} size={22} />
      </span>
      <p>
        <bdi className="change-by">{showActor(By, words)}</bdi> {words.changes.actions[Action] ?? Action}{' '}
        {named.length > 1 && work.several(named.length)}
        {named.slice(0, maxNames).map((change, index) => (
          <Fragment key={change.EntryId}>
            {index > 0 && ', '}
            <Name change={change} />
          </Fragment>
        ))}
        {named.length > maxNames && ` ${work.more(named.length - maxNames)}`}
        {ParentFolderId != null && <Where id={ParentFolderId} />}
      </p>
      <time dateTime={At} title={formatTime(At, words.locale)}>
        {formatAgo(At, words.locale)}
      </time>
    </li>
  );
}

function Name({ change: { Entry, Trashed } }: { change: Change }) {
  const words = useWords();
  const params = useSpaceParams();
  if (Entry === undefined) return <em>{words.changes.gone}</em>;
  if (Trashed === true) return <bdi>{Entry.Name}</bdi>;
  return (
    <Link to={{ page: 'files', id: Entry.Id, params }}>
      <bdi>{Entry.Name}</bdi>
    </Link>
  );
}

/** The path of the folder. */
function Where({ id }: { id: string }) {
  const { cabinet, space } = useSession();
  const { changes: work } = useWorkWords();
  const params = useSpaceParams();
  const { data } = useQuery({
    queryKey: ['entry', id],
    enabled: id !== space.RootFolderId,
    queryFn: ({ signal }) => showEntry(cabinet, id, { signal }),
  });
  const path = id === space.RootFolderId ? space.Name : data?.Path;
  if (path === undefined) return null;
  return (
    <span className="change-where">
      {' '}
      {work.in}{' '}
      <Link to={{ page: 'files', id, params }}>
        <bdi>{path}</bdi>
      </Link>
    </span>
  );
}
