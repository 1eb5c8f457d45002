// The usage of a space: exact totals from the service, by space and by user; counted here by type and by time.

import { showUsage, type Usage } from '@cabinet/client';
import { useQueries, useQuery } from '@tanstack/react-query';
import { Empty, ErrorState, Skeleton } from '../parts/states.tsx';
import { connectTo, useSession } from '../session/session-context.tsx';
import { formatNumber, formatSize } from '../words/format.ts';
import { Bars, Chart, type ChartRow } from './charts.tsx';
import { CountedCharts } from './counted-charts.tsx';
import { PageHead } from './page-head.tsx';
import { useLocale, useManageWords } from './use-manage-words.ts';

const shownActors = 8;

export function UsagePage() {
  const words = useManageWords();
  const { space, cabinet } = useSession();
  const { data, error, refetch } = useQuery({
    queryKey: ['manage', space.Id, 'usage'],
    queryFn: ({ signal }) => showUsage(cabinet, { limit: 1000, signal }),
  });
  return (
    <>
      <PageHead title={words.title(words.pages.usage, space.Name)} lead={words.usage.lead} />
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={8} label={words.loading} />}
      {data?.Space.Entries === 0 && (
        <Empty icon="chart" title={words.usage.emptyTitle}>
          <p>{words.usage.emptyHelp}</p>
        </Empty>
      )}
      {data !== undefined && data.Space.Entries > 0 && (
        <>
          <Tiles usage={data} />
          <div className="charts">
            <CountedCharts />
            <BySpace />
            <ByActor by={data.By} />
          </div>
        </>
      )}
    </>
  );
}

function Tiles({ usage: { Space } }: { usage: Usage }) {
  const words = useManageWords().usage;
  const locale = useLocale();
  const most = Space.Quota?.Bytes;
  return (
    <dl className="usage-tiles">
      <div className="usage-tile">
        <dt>{words.stored}</dt>
        <dd>{formatSize(Space.Bytes, locale)}</dd>
      </div>
      <div className="usage-tile">
        <dt>{words.entries}</dt>
        <dd>{formatNumber(Space.Entries, locale)}</dd>
      </div>
      <div className="usage-tile">
        <dt>{words.trash}</dt>
        <dd>{formatSize(Space.TrashBytes, locale)}</dd>
      </div>
      <div className="usage-tile">
        <dt>{words.quota}</dt>
        <dd>
          {most === undefined ? words.noQuota : formatSize(most, locale)}
          {most !== undefined && (
            <meter value={Space.Bytes} max={most} low={most * 0.8} high={most * 0.95} aria-label={words.quota}>
              {words.of(formatSize(Space.Bytes, locale), formatSize(most, locale))}
            </meter>
          )}
        </dd>
      </div>
    </dl>
  );
}

function BySpace() {
  const words = useManageWords();
  const locale = useLocale();
  const { session, spaces } = useSession();
  const answers = useQueries({
    queries: spaces.map(({ Id }) => ({
      queryKey: ['manage', Id, 'usage', 'sum'],
      queryFn: ({ signal }: { signal: AbortSignal }) => showUsage(connectTo(session, Id), { limit: 1, signal }),
    })),
  });
  const known = answers.flatMap(({ data }) => (data === undefined ? [] : [data.Space]));
  const rows = known.map(({ Id, Name, Bytes, Entries }) => ({
    key: Id,
    name: Name,
    value: Bytes,
    shown: formatSize(Bytes, locale),
    more: words.usage.inEntries(Entries),
    number: formatNumber(Entries, locale),
  }));
  return (
    <Chart title={words.usage.bySpace}>
      {rows.length === 0 ? <Skeleton rows={3} label={words.loading} /> : <Bars rows={toSorted(rows)} />}
    </Chart>
  );
}

function ByActor({ by }: { by: Usage['By'] }) {
  const words = useManageWords().usage;
  const locale = useLocale();
  const toRow = (name: string, bytes: number, entries: number) => ({
    key: name,
    name,
    value: bytes,
    shown: formatSize(bytes, locale),
    more: words.inEntries(entries),
    number: formatNumber(entries, locale),
  });
  const sorted = by.filter(({ Entries, Bytes }) => Entries + Bytes > 0).toSorted((a, b) => b.Bytes - a.Bytes);
  const rest = sorted.slice(shownActors);
  const rows = sorted.slice(0, shownActors).map(({ Actor, Bytes, Entries }) => toRow(Actor, Bytes, Entries));
  const sum = (of: 'Bytes' | 'Entries') => rest.reduce((total, one) => total + one[of], 0);
  if (rest.length > 0) rows.push(toRow(words.others, sum('Bytes'), sum('Entries')));
  return (
    <Chart title={words.byActor}>
      <Bars rows={rows} />
    </Chart>
  );
}

function toSorted(rows: readonly ChartRow[]): ChartRow[] {
  return rows.toSorted((a, b) => b.value - a.value);
}
