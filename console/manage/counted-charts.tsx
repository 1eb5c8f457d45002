// The charts by type and by time. Files are counted page by page; partial results are shown meanwhile.

import { useEffect, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { ErrorState, Skeleton } from '../parts/states.tsx';
import { useSession } from '../session/session-context.tsx';
import { formatNumber, formatSize } from '../words/format.ts';
import { Bars, Chart, type ChartRow, ChartTable, Columns } from './charts.tsx';
import { addPage, nothing, type Step, type Sum, type Sums, toFamilies, toPeriods } from './usage-sums.ts';
import { useLocale, useManageWords } from './use-manage-words.ts';

/** Then the user confirms before it continues: a space may have millions of files. */
const pagesAtOnce = 20;

interface Counted {
  sums: Sums;
  isCounting: boolean;
  error: unknown;
  countOn(): void;
}

function useCounted(): Counted {
  const { cabinet } = useSession();
  const [sums, setSums] = useState(nothing);
  const [error, setError] = useState<unknown>(null);
  const [turn, setTurn] = useState(1);
  const [pages, setPages] = useState(0);
  const isCounting = error === null && sums.cursor !== null && pages < turn * pagesAtOnce;
  useEffect(() => {
    if (!isCounting) return;
    const ended = new AbortController();
    addPage(cabinet, sums, ended.signal).then(
      (more) => {
        if (ended.signal.aborted) return;
        setSums(more);
        setPages((n) => n + 1);
      },
      (failed: unknown) => {
        if (!ended.signal.aborted) setError(failed);
      },
    );
    return () => ended.abort();
  }, [cabinet, sums, isCounting]);
  const countOn = () => {
    setError(null);
    setTurn(turn + 1);
  };
  return { sums, isCounting, error, countOn };
}

export function CountedCharts() {
  const words = useManageWords();
  const { sums, isCounting, error, countOn } = useCounted();
  const isNothing = sums.files === 0;
  const progress = isCounting ? words.usage.counting(sums.entries) : words.usage.counted(sums.files);
  const foot = (
    <p className="manage-foot" role="status">
      {sums.cursor !== null && !isCounting ? words.usage.partly(sums.entries) : progress}
      {sums.cursor !== null && !isCounting && <Button onPress={countOn}>{words.usage.countOn}</Button>}
    </p>
  );
  if (error !== null) return <ErrorState error={error} onRetry={countOn} />;
  return (
    <>
      <div className="chart-whole">
        <Chart title={words.usage.byTime} help={words.usage.byTimeHelp}>
          {isNothing && isCounting ? <Skeleton rows={4} label={words.loading} /> : <ByTime byDay={sums.byDay} />}
          {foot}
        </Chart>
      </div>
      <div className="chart-whole">
        <Chart title={words.usage.byType} help={words.usage.byTypeHelp}>
          {isNothing && isCounting ? <Skeleton rows={4} label={words.loading} /> : <ByType byType={sums.byType} />}
        </Chart>
      </div>
    </>
  );
}

function useToRow(): (key: string, name: string, sum: Sum) => ChartRow {
  const locale = useLocale();
  const { inFiles } = useManageWords().usage;
  return (key, name, { files, bytes }) => ({
    key,
    name,
    value: bytes,
    shown: formatSize(bytes, locale),
    more: inFiles(files),
    number: formatNumber(files, locale),
  });
}

function ByTime({ byDay }: { byDay: Sums['byDay'] }) {
  const words = useManageWords().usage;
  const locale = useLocale();
  const toRow = useToRow();
  const { step, periods } = toPeriods(byDay, new Date().toISOString().slice(0, 10));
  const rows = periods.map(({ day, ...sum }) => toRow(day, formatPeriod(step, day, locale), sum));
  return (
    <>
      <Columns title={words.byTime} rows={rows} />
      <ChartTable caption={words.byTime} heads={[words.when, words.size, words.files]} rows={rows} />
    </>
  );
}

function formatPeriod(step: Step, day: string, locale: string): string {
  const options =
    step === 'month'
      ? ({ month: 'short', year: 'numeric' } as const)
      : ({ day: 'numeric', month: 'short', year: 'numeric' } as const);
  return new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' }).format(new Date(day));
}

function ByType({ byType }: { byType: Sums['byType'] }) {
  const words = useManageWords().usage;
  const toRow = useToRow();
  const rows = toFamilies(byType).map(([family, sum]) => toRow(family, words.types[family], sum));
  const types = [...byType].toSorted(([, a], [, b]) => b.bytes - a.bytes).map(([type, sum]) => toRow(type, type, sum));
  return (
    <>
      <Bars rows={rows} />
      <ChartTable caption={words.byType} heads={[words.what, words.size, words.files]} rows={types} />
    </>
  );
}
