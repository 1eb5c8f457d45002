// The webhooks of a space.

import { type Webhook, webhooksPage } from '@cabinet/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { Empty, ErrorState, Skeleton } from '../parts/states.tsx';
import { Link } from '../routing/link.tsx';
import { useSession, useSpaceParams } from '../session/session-context.tsx';
import { AddWebhook } from './add-webhook.tsx';
import { Badge, PageHead } from './page-head.tsx';
import { useManageWords } from './use-manage-words.ts';

export function WebhooksPage() {
  const words = useManageWords();
  const { space, cabinet } = useSession();
  const [isAdding, setAdding] = useState(false);
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['manage', space.Id, 'webhooks'],
    queryFn: ({ pageParam, signal }) => webhooksPage(cabinet, { cursor: pageParam, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  const webhooks = data?.pages.flatMap(({ Webhooks }) => Webhooks);
  const add = (
    <Button look="main" icon="plus" onPress={() => setAdding(true)}>
      {words.webhooks.add}
    </Button>
  );
  return (
    <>
      <PageHead title={words.title(words.pages.webhooks, space.Name)} lead={words.webhooks.lead}>
        {add}
      </PageHead>
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {webhooks === undefined && error === null && <Skeleton rows={4} label={words.loading} />}
      {webhooks?.length === 0 && (
        <Empty icon="hook" title={words.webhooks.emptyTitle}>
          <p>{words.webhooks.emptyHelp}</p>
          <div className="empty-actions">{add}</div>
        </Empty>
      )}
      {webhooks !== undefined && webhooks.length > 0 && <WebhookList webhooks={webhooks} />}
      {hasNextPage && (
        <div className="manage-foot">
          <Button onPress={() => void fetchNextPage()}>{words.more}</Button>
        </div>
      )}
      {isAdding && <AddWebhook onClose={() => setAdding(false)} />}
    </>
  );
}

function WebhookList({ webhooks }: { webhooks: readonly Webhook[] }) {
  const params = useSpaceParams();
  return (
    <ul className="things">
      {webhooks.map((webhook) => (
        <li key={webhook.Id} className="thing">
          <span className="thing-icon">
            <Icon name="hook" />
          </span>
          <div className="thing-text">
            <p className="thing-name" dir="ltr">
              <Link to={{ page: 'manage', id: 'webhooks', more: webhook.Id, params }}>{webhook.Url}</Link>
            </p>
            <p className="thing-more">
              {[webhook.Description, webhook.Events.join(' ')].filter((text) => text !== '').join(' · ')}
            </p>
          </div>
          <WebhookState webhook={webhook} />
        </li>
      ))}
    </ul>
  );
}

const looks = { active: 'good', paused: 'manila', failing: 'bad', disabled: 'bad' } as const;

export function WebhookState({ webhook: { State } }: { webhook: Webhook }) {
  const { states } = useManageWords().webhooks;
  return (
    <div className="thing-badges">
      <Badge look={looks[State]}>{states[State]}</Badge>
    </div>
  );
}
