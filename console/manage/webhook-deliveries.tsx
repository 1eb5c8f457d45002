// What was sent to a webhook: each attempt with its status and what the receiver answered, and a way to send again from there.

import { deliveriesPage, replayWebhook, type WebhookDelivery } from '@cabinet/client';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button, IconButton } from '../parts/button.tsx';
import { notify } from '../parts/notices.tsx';
import { ErrorState, Skeleton } from '../parts/states.tsx';
import { useSession } from '../session/session-context.tsx';
import { formatTime } from '../words/format.ts';
import { ConfirmDialog } from './form-dialog.tsx';
import { Badge } from './page-head.tsx';
import { useLocale, useManageWords } from './use-manage-words.ts';

export function WebhookDeliveries({ id }: { id: string }) {
  const { webhooks: words, loading, more } = useManageWords();
  const { space, cabinet } = useSession();
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['manage', space.Id, 'webhooks', id, 'deliveries'],
    queryFn: ({ pageParam, signal }) => deliveriesPage(cabinet, id, { cursor: pageParam, limit: 20, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  const deliveries = data?.pages.flatMap(({ Deliveries }) => Deliveries);
  return (
    <section className="manage-section" aria-labelledby="deliveries">
      <h2 id="deliveries">{words.deliveries}</h2>
      <p>{deliveries?.length === 0 ? words.noDeliveries : words.deliveriesHelp}</p>
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {deliveries === undefined && error === null && <Skeleton rows={3} label={loading} />}
      {deliveries !== undefined && deliveries.length > 0 && (
        <ul className="things">
          {deliveries.map((delivery) => (
            <DeliveryLine key={delivery.Id} webhook={id} delivery={delivery} />
          ))}
        </ul>
      )}
      <div className="manage-foot">
        <Button icon="again" onPress={() => void refetch()}>
          {words.refresh}
        </Button>
        {hasNextPage && <Button onPress={() => void fetchNextPage()}>{more}</Button>}
      </div>
    </section>
  );
}

function DeliveryLine({ webhook, delivery }: { webhook: string; delivery: WebhookDelivery }) {
  const { webhooks: words } = useManageWords();
  const locale = useLocale();
  const [isAsking, setAsking] = useState(false);
  const { Type, Attempt, At, Status, DurationMs, Error: problem, Response, EventId } = delivery;
  // A test event has no place in the journal.
  const position = EventId.startsWith('test:') ? null : Number(EventId.split(':').at(-1));
  return (
    <li className="thing">
      <div className="thing-text">
        <p className="thing-name">
          <code>{Type}</code>
        </p>
        <p className="thing-more">
          {formatTime(At, locale)} · {words.attempt(Attempt, DurationMs.toLocaleString(locale))}
          {problem !== null && ` · ${problem}`}
        </p>
        {Response !== null && Response !== '' && (
          <details className="thing-more">
            <summary>{words.answer}</summary>
            <pre className="delivery-answer" dir="ltr">
              {Response}
            </pre>
          </details>
        )}
      </div>
      <Badge look={problem === null ? 'good' : 'bad'}>{Status ?? words.noAnswer}</Badge>
      {position !== null && <IconButton icon="again" label={words.replayFrom(Type)} onPress={() => setAsking(true)} />}
      {isAsking && position !== null && (
        <ReplayFrom webhook={webhook} type={Type} position={position} onClose={() => setAsking(false)} />
      )}
    </li>
  );
}

interface ReplayFromProps {
  webhook: string;
  type: string;
  position: number;
  onClose(): void;
}

function ReplayFrom({ webhook, type, position, onClose }: ReplayFromProps) {
  const { webhooks: words } = useManageWords();
  const { space, cabinet } = useSession();
  const queries = useQueryClient();
  const replay = async () => {
    await replayWebhook(cabinet, { id: webhook, from: position });
    await queries.invalidateQueries({ queryKey: ['manage', space.Id, 'webhooks'] });
    onClose();
    notify({ text: words.replayed });
  };
  return (
    <ConfirmDialog
      title={words.replayFrom(type)}
      help={words.replayFromHelp}
      confirm={words.replay}
      onConfirm={replay}
      onClose={onClose}
    />
  );
}
