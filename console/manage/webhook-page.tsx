// One webhook: its state, what can be done with it, and what was sent.

import { changeWebhook, removeWebhook, replayWebhook, showWebhook, testWebhook, type Webhook } from '@cabinet/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../parts/button.tsx';
import { codeOf, showError } from '../parts/error-text.ts';
import { Field } from '../parts/field.tsx';
import { Icon } from '../parts/icon.tsx';
import { notify } from '../parts/notices.tsx';
import { Empty, ErrorState, Skeleton } from '../parts/states.tsx';
import { Link } from '../routing/link.tsx';
import { go } from '../routing/router.ts';
import { useSession, useSpaceParams } from '../session/session-context.tsx';
import { formatTime } from '../words/format.ts';
import { useWords } from '../words/words.tsx';
import { RotateWebhook } from './add-webhook.tsx';
import { ConfirmDialog, FormDialog } from './form-dialog.tsx';
import { PageHead } from './page-head.tsx';
import { useLocale, useManageWords } from './use-manage-words.ts';
import { WebhookDeliveries } from './webhook-deliveries.tsx';
import { WebhookState } from './webhooks-page.tsx';

export function WebhookPage({ id }: { id: string }) {
  const words = useManageWords();
  const { space, cabinet } = useSession();
  const params = useSpaceParams();
  const { data, error, refetch } = useQuery({
    queryKey: ['manage', space.Id, 'webhooks', id],
    queryFn: ({ signal }) => showWebhook(cabinet, id, { signal }),
  });
  const isGone = codeOf(error) === 'WebhookNotFound';
  return (
    <>
      <Link className="manage-back" to={{ page: 'manage', id: 'webhooks', params }}>
        <Icon name="next" size={16} />
        {words.webhooks.back}
      </Link>
      {data === undefined && (
        <h1 id="page-title" className="unseen">
          {words.pages.webhooks}
        </h1>
      )}
      {isGone && (
        <Empty icon="hook" title={words.webhooks.gone}>
          <p>{words.webhooks.goneHelp}</p>
        </Empty>
      )}
      {error !== null && !isGone && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={7} label={words.loading} />}
      {data !== undefined && !isGone && <Shown webhook={data} />}
    </>
  );
}

function Shown({ webhook }: { webhook: Webhook }) {
  const words = useManageWords().webhooks;
  const locale = useLocale();
  const { Id, Url, Events, FolderId, Description, State, CreatedAt, CreatedBy, Position } = webhook;
  const facts: [string, string][] = [
    [words.events, Events.join(' ')],
    ...(FolderId === null ? [] : ([[words.folder, FolderId]] as [string, string][])),
    ...(Description === '' ? [] : ([[words.description, Description]] as [string, string][])),
    [words.position, Position.toLocaleString(locale)],
    [words.createdAt, `${formatTime(CreatedAt, locale)} ${words.by(CreatedBy)}`],
    [words.id, Id],
  ];
  return (
    <>
      <PageHead title={Url} lead={<WebhookState webhook={webhook} />}>
        <Actions webhook={webhook} />
      </PageHead>
      <p>{words.stateHelp[State]}</p>
      <dl className="manage-facts manage-facts-wide">
        {facts.map(([what, text]) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <WebhookDeliveries id={Id} />
    </>
  );
}

type Asking = 'rotate' | 'replay' | 'remove' | null;

function Actions({ webhook }: { webhook: Webhook }) {
  const { webhooks: words, remove } = useManageWords();
  const { cabinet, space } = useSession();
  const queries = useQueryClient();
  const troubleWords = useWords();
  const params = useSpaceParams();
  const [asking, setAsking] = useState<Asking>(null);
  const { Id: id, State: state } = webhook;
  const close = () => setAsking(null);
  const refresh = () => queries.invalidateQueries({ queryKey: ['manage', space.Id, 'webhooks'] });
  const perform = (work: () => Promise<void>) =>
    void work()
      .then(refresh)
      .catch((error: unknown) => showError(error, troubleWords));
  const test = async () => {
    const { Status, Error: problem } = await testWebhook(cabinet, id);
    if (problem === null) notify({ text: words.testTook(Status ?? 0) });
    else notify({ text: words.testFailed(problem), isBad: true });
  };
  const setState = async (to: 'active' | 'paused') => {
    await changeWebhook(cabinet, { id, state: to });
    notify({ text: to === 'active' ? words.wasActivated : words.wasPaused });
  };
  const takeAway = async () => {
    await removeWebhook(cabinet, id);
    go({ page: 'manage', id: 'webhooks', params });
    await queries.invalidateQueries({ queryKey: ['manage', space.Id, 'webhooks'], exact: true });
    notify({ text: words.removed });
  };
  return (
    <>
      <Button look="main" icon="play" onPress={() => perform(test)}>
        {words.test}
      </Button>
      {state !== 'active' && (
        <Button icon="again" onPress={() => perform(() => setState('active'))}>
          {state === 'failing' ? words.retry : words.activate}
        </Button>
      )}
      {(state === 'active' || state === 'failing') && (
        <Button icon="pause" onPress={() => perform(() => setState('paused'))}>
          {words.pause}
        </Button>
      )}
      <Button onPress={() => setAsking('replay')}>{words.replay}</Button>
      <Button icon="key" onPress={() => setAsking('rotate')}>
        {words.rotate}
      </Button>
      <Button icon="trash" onPress={() => setAsking('remove')}>
        {remove}
      </Button>
      {asking === 'rotate' && <RotateWebhook webhook={webhook} onClose={close} />}
      {asking === 'replay' && <ReplaySince id={id} onClose={close} onDone={refresh} />}
      {asking === 'remove' && (
        <ConfirmDialog
          title={words.removeTitle}
          help={words.removeHelp}
          confirm={remove}
          onConfirm={takeAway}
          onClose={close}
        />
      )}
    </>
  );
}

interface ReplaySinceProps {
  id: string;
  onClose(): void;
  onDone(): Promise<void>;
}

function ReplaySince({ id, onClose, onDone }: ReplaySinceProps) {
  const words = useManageWords().webhooks;
  const { cabinet } = useSession();
  const [since, setSince] = useState('');
  const replay = async () => {
    await replayWebhook(cabinet, { id, from: new Date(since) });
    onClose();
    notify({ text: words.replayed });
    await onDone();
  };
  return (
    <FormDialog
      title={words.replayTitle}
      submit={words.replay}
      canSend={!Number.isNaN(Date.parse(since))}
      onSend={replay}
      onClose={onClose}
    >
      <p>{words.replayHelp}</p>
      <Field label={words.since} type="datetime-local" value={since} onChange={setSince} autoFocus />
    </FormDialog>
  );
}
