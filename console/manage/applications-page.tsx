// The applications of a space.

import { type Application, applicationsPage } from '@cabinet/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { Empty, ErrorState, Skeleton } from '../parts/states.tsx';
import { Link } from '../routing/link.tsx';
import { useSession, useSpaceParams } from '../session/session-context.tsx';
import { formatWhen } from '../words/format.ts';
import { AddApplication } from './add-application.tsx';
import { Badge, PageHead } from './page-head.tsx';
import { useLocale, useManageWords } from './use-manage-words.ts';

export function ApplicationsPage() {
  const words = useManageWords();
  const { space, cabinet } = useSession();
  const [isAdding, setAdding] = useState(false);
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['manage', space.Id, 'applications'],
    queryFn: ({ pageParam, signal }) => applicationsPage(cabinet, { cursor: pageParam, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  const applications = data?.pages.flatMap(({ Applications }) => Applications);
  const add = (
    <Button look="main" icon="plus" onPress={() => setAdding(true)}>
      {words.applications.add}
    </Button>
  );
  return (
    <>
      <PageHead title={words.title(words.pages.applications, space.Name)} lead={words.applications.lead}>
        {add}
      </PageHead>
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {applications === undefined && error === null && <Skeleton rows={6} label={words.loading} />}
      {applications?.length === 0 && (
        <Empty icon="key" title={words.applications.emptyTitle}>
          <p>{words.applications.emptyHelp}</p>
          <div className="empty-actions">{add}</div>
        </Empty>
      )}
      {applications !== undefined && applications.length > 0 && <ApplicationList applications={applications} />}
      {hasNextPage && (
        <div className="manage-foot">
          <Button onPress={() => void fetchNextPage()}>{words.more}</Button>
        </div>
      )}
      {isAdding && <AddApplication onClose={() => setAdding(false)} />}
    </>
  );
}

function ApplicationList({ applications }: { applications: readonly Application[] }) {
  const words = useManageWords();
  const locale = useLocale();
  const params = useSpaceParams();
  return (
    <ul className="things">
      {applications.map((application) => (
        <li key={application.AppKey} className="thing">
          <span className="thing-icon">
            <Icon name={application.Kind === 'server' ? 'scroll' : 'key'} />
          </span>
          <div className="thing-text">
            <p className="thing-name">
              <Link to={{ page: 'manage', id: 'applications', more: application.AppKey, params }}>
                {application.Name}
              </Link>
            </p>
            <p className="thing-more">
              {words.applications.kinds[application.Kind]} · {words.applications.createdAt}{' '}
              {formatWhen(application.CreatedAt, locale)}
            </p>
          </div>
          <ApplicationBadges application={application} />
        </li>
      ))}
    </ul>
  );
}

export function ApplicationBadges({ application: { Scopes, State } }: { application: Application }) {
  const words = useManageWords();
  return (
    <div className="thing-badges">
      {Scopes.map((scope) => (
        <Badge key={scope} look={scope === 'content.admin' ? 'manila' : 'plain'}>
          {words.applications.scopeNames[scope] ?? scope}
        </Badge>
      ))}
      <Badge look={State === 'active' ? 'good' : 'bad'}>{State === 'active' ? words.active : words.disabled}</Badge>
    </div>
  );
}
