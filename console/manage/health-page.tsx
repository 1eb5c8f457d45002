// The health of the service: liveness, readiness, version, limits.

import { type ServiceLimits, showLimits, showLiveness, showReadiness, showSettings } from '@cabinet/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Icon } from '../parts/icon.tsx';
import { ErrorState, Skeleton } from '../parts/states.tsx';
import { basePath, serviceUrl } from '../routing/base-path.ts';
import { useSession } from '../session/session-context.tsx';
import { formatNumber, formatSize, formatTime } from '../words/format.ts';
import { PageHead } from './page-head.tsx';
import { useMutualTls } from './snippets.tsx';
import { useLocale, useManageWords } from './use-manage-words.ts';
import './health.css';

const againMs = 10_000;

export function HealthPage() {
  const words = useManageWords();
  return (
    <>
      <PageHead title={words.pages.health} lead={words.health.lead} />
      <States />
      <About />
      <Limits />
    </>
  );
}

interface Seen {
  isLive: boolean;
  isReady: boolean;
  ms: number;
  at: string;
}

function States() {
  const { health: words, loading } = useManageWords();
  const locale = useLocale();
  const { cabinet } = useSession();
  const { data } = useQuery({
    queryKey: ['manage', 'health'],
    refetchInterval: againMs,
    queryFn: async ({ signal }): Promise<Seen> => {
      const begun = performance.now();
      // An unreachable service is a result here, not an error of the page.
      const isLive = await showLiveness({ ...cabinet, retries: 0 }, { signal }).then(
        ({ Status }) => Status === 'live',
        () => false,
      );
      const ms = performance.now() - begun;
      const isReady = await showReadiness(cabinet, { signal }).then(
        ({ Status }) => Status === 'ready',
        () => false,
      );
      return { isLive, isReady, ms, at: new Date().toISOString() };
    },
  });
  if (data === undefined) return <Skeleton rows={3} label={loading} />;
  const { isLive, isReady, ms, at } = data;
  const answered = words.answered(formatNumber(Math.max(1, Math.round(ms)), locale));
  return (
    <>
      <div className="states" role="status">
        <State isGood={isLive} title={isLive ? words.live : words.notLive}>
          {isLive ? answered : words.notReadyHelp}
        </State>
        <State isGood={isReady} title={isReady ? words.ready : words.notReady}>
          {isReady ? words.readyHelp : words.notReadyHelp}
        </State>
      </div>
      <p className="states-checked">{words.checkedAt(formatTime(at, locale))}</p>
    </>
  );
}

function State({ isGood, title, children }: { isGood: boolean; title: string; children: ReactNode }) {
  return (
    <div className={isGood ? 'state state-good' : 'state state-bad'}>
      <Icon name={isGood ? 'check' : 'warning'} size={26} />
      <div>
        <h2>{title}</h2>
        <p>{children}</p>
      </div>
    </div>
  );
}

function About() {
  const { health: words, loading } = useManageWords();
  const locale = useLocale();
  const { space, cabinet } = useSession();
  const mutualTls = useMutualTls();
  const { data, error, refetch } = useQuery({
    queryKey: ['manage', space.Id, 'settings'],
    queryFn: ({ signal }) => showSettings(cabinet, { signal }),
  });
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={4} label={loading} />;
  return (
    <dl className="manage-facts manage-facts-wide">
      <Fact name={words.version}>{data.Version}</Fact>
      <Fact name={words.environment}>{words.environments[data.Environment]}</Fact>
      <Fact name={words.startedAt}>{formatTime(data.StartedAt, locale)}</Fact>
      <Fact name={words.address}>
        <bdi>{serviceUrl}</bdi>
      </Fact>
      <Fact name={words.mutualTls}>
        <bdi>{mutualTls ?? words.off}</bdi>
      </Fact>
      <Fact name={words.docs}>
        <a href={`${basePath}/docs`}>/docs</a> · <a href={`${basePath}/openapi.json`}>/openapi.json</a>
      </Fact>
      <Fact name={words.metrics}>{words.metricsHelp}</Fact>
    </dl>
  );
}

function Limits() {
  const { health: words, loading } = useManageWords();
  const { space, cabinet } = useSession();
  const { data, error, refetch } = useQuery({
    queryKey: ['manage', space.Id, 'limits'],
    queryFn: ({ signal }) => showLimits(cabinet, { signal }),
  });
  return (
    <section className="manage-section" aria-labelledby="limits">
      <h2 id="limits">{words.limits}</h2>
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={3} label={loading} />}
      {data !== undefined && <LimitFacts limits={data} />}
    </section>
  );
}

function LimitFacts({ limits }: { limits: ServiceLimits }) {
  const { health: words } = useManageWords();
  const locale = useLocale();
  const days = (n: number | undefined) => (n === undefined ? words.unlimited : words.days(n));
  const { VersionsKept: kept } = limits;
  return (
    <dl className="manage-facts manage-facts-wide">
      <Fact name={words.fileBytes}>{formatSize(limits.FileBytes, locale)}</Fact>
      <Fact name={words.name}>{words.characters(limits.NameCharacters)}</Fact>
      <Fact name={words.levels}>{formatNumber(limits.FolderLevels, locale)}</Fact>
      <Fact name={words.trashDays}>{days(limits.TrashDays)}</Fact>
      <Fact name={words.versions}>{kept === undefined ? words.unlimited : formatNumber(kept, locale)}</Fact>
      <Fact name={words.versionDays}>{days(limits.VersionDays)}</Fact>
      <Fact name={words.journal}>{days(limits.JournalDays)}</Fact>
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
