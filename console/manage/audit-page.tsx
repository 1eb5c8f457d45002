// The audit trail, newest first, with filters in the address and an export of the matches.

import { type AuditFilter, auditPage } from '@cabinet/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../parts/button.tsx';
import { showError } from '../parts/error-text.ts';
import { Menu, MenuItem } from '../parts/menu.tsx';
import { announce, notify } from '../parts/notices.tsx';
import { Empty, ErrorState, Skeleton } from '../parts/states.tsx';
import { useRoute } from '../routing/router.ts';
import { useSession } from '../session/session-context.tsx';
import { useWords } from '../words/words.tsx';
import { AuditEvents } from './audit-events.tsx';
import { download, gatherEvents, toCsv, toJson } from './audit-export.ts';
import { AuditFilters } from './audit-filters.tsx';
import { PageHead } from './page-head.tsx';
import { useManageWords } from './use-manage-words.ts';

const pageEvents = 100;

/** Days are in the user's time zone, from start to end. */
function toFilter({ by, action, entry, since, until }: Readonly<Record<string, string>>): AuditFilter {
  const start = since ? new Date(`${since}T00:00:00`) : null;
  const end = until ? new Date(`${until}T23:59:59.999`) : null;
  return {
    ...(by && { by }),
    ...(action && { action }),
    ...(entry && { entry }),
    ...(start !== null && !Number.isNaN(start.getTime()) && { since: start }),
    ...(end !== null && !Number.isNaN(end.getTime()) && { until: end }),
  };
}

export function AuditPage() {
  const words = useManageWords();
  const { space, cabinet } = useSession();
  const { params } = useRoute();
  const filter = toFilter(params);
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['manage', space.Id, 'audit', filter],
    queryFn: ({ pageParam, signal }) => auditPage(cabinet, filter, { limit: pageEvents, cursor: pageParam, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  const events = data?.pages.flatMap(({ Events }) => Events);
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <>
      <PageHead title={words.title(words.pages.audit, space.Name)} lead={words.audit.lead}>
        <Export filter={filter} />
      </PageHead>
      <AuditFilters />
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {events === undefined && error === null && <Skeleton rows={9} label={words.loading} />}
      {events?.length === 0 && !hasNextPage && (
        <Empty icon="scroll" title={isFiltered ? words.audit.noneTitle : words.audit.emptyTitle}>
          <p>{isFiltered ? words.audit.noneHelp : words.audit.emptyHelp}</p>
        </Empty>
      )}
      {events !== undefined && events.length > 0 && <AuditEvents events={events} />}
      {events !== undefined && (events.length > 0 || hasNextPage) && (
        <div className="manage-foot">
          <span role="status">{events.length === 0 ? words.audit.looked : words.audit.shown(events.length)}</span>
          {hasNextPage && (
            <Button isDisabled={isFetchingNextPage} onPress={() => void fetchNextPage()}>
              {words.more}
            </Button>
          )}
        </div>
      )}
    </>
  );
}

function Export({ filter }: { filter: AuditFilter }) {
  const words = useManageWords().audit;
  const all = useWords();
  const { space, cabinet } = useSession();
  const [gathered, setGathered] = useState<number | null>(null);
  const run = async (as: string) => {
    setGathered(0);
    announce(words.exporting(0));
    const { events, isCut } = await gatherEvents(cabinet, filter, setGathered);
    const name = `audit-${space.Name}-${new Date().toISOString().slice(0, 10)}`;
    if (as === 'csv') download(`${name}.csv`, 'text/csv', toCsv(events));
    else download(`${name}.json`, 'application/json', toJson(events));
    notify({ text: isCut ? words.cut(events.length) : words.exported(events.length) });
  };
  const start = (as: string) =>
    void run(as)
      .catch((error: unknown) => showError(error, all))
      .finally(() => setGathered(null));
  const button = (
    <Button icon="download" isDisabled={gathered !== null}>
      {gathered === null ? words.export : words.exporting(gathered)}
    </Button>
  );
  return (
    <Menu label={words.export} trigger={button} onAction={start}>
      <MenuItem id="csv" icon="table">
        {words.csv}
      </MenuItem>
      <MenuItem id="json" icon="code">
        {words.json}
      </MenuItem>
    </Menu>
  );
}
