// Creates a webhook, or gives one a new secret, and shows the secret, once.

import { addWebhook, rotateWebhook, type Webhook, type WebhookWithSecret } from '@cabinet/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Choice, Field } from '../parts/field.tsx';
import { notify } from '../parts/notices.tsx';
import { go } from '../routing/router.ts';
import { useSession, useSpaceParams } from '../session/session-context.tsx';
import { FormDialog } from './form-dialog.tsx';
import { ShownOnce } from './shown-once.tsx';
import { useManageWords } from './use-manage-words.ts';

export function AddWebhook({ onClose }: { onClose(): void }) {
  const { webhooks: words, create } = useManageWords();
  const queries = useQueryClient();
  const params = useSpaceParams();
  const { cabinet, space } = useSession();
  const [wish, setWish] = useState({ url: '', events: 'file.* folder.*', description: '' });
  const [made, setMade] = useState<WebhookWithSecret | null>(null);
  const events = wish.events.split(/[\s,]+/).filter((pattern) => pattern !== '');
  const send = async () => {
    const added = await addWebhook(cabinet, { url: wish.url.trim(), events, description: wish.description.trim() });
    await queries.invalidateQueries({ queryKey: ['manage', space.Id, 'webhooks'] });
    notify({ text: words.created });
    setMade(added);
  };
  const show = ({ Webhook: { Id } }: WebhookWithSecret) => {
    onClose();
    go({ page: 'manage', id: 'webhooks', more: Id, params });
  };
  if (made !== null) return <WebhookSecret secret={made.Secret} onClose={() => show(made)} />;
  return (
    <FormDialog
      title={words.add}
      submit={create}
      canSend={wish.url.trim() !== '' && events.length > 0}
      onSend={send}
      onClose={onClose}
    >
      <Field
        label={words.url}
        hint={words.urlHint}
        type="url"
        placeholder="https://example.com/hooks/cabinet"
        value={wish.url}
        onChange={(url) => setWish({ ...wish, url })}
        autoFocus
        autoComplete="off"
      />
      <Field
        label={words.events}
        hint={words.eventsHint}
        value={wish.events}
        onChange={(patterns) => setWish({ ...wish, events: patterns })}
        autoComplete="off"
        spellCheck="false"
      />
      <Field
        label={words.description}
        hint={words.descriptionHint}
        value={wish.description}
        onChange={(description) => setWish({ ...wish, description })}
        maxLength={1000}
        autoComplete="off"
      />
    </FormDialog>
  );
}

export function RotateWebhook({ webhook, onClose }: { webhook: Webhook; onClose(): void }) {
  const words = useManageWords().webhooks;
  const { cabinet } = useSession();
  const [overlap, setOverlap] = useState('86400');
  const [secret, setSecret] = useState<string | null>(null);
  const rotate = async () => {
    const { Secret } = await rotateWebhook(cabinet, { id: webhook.Id, overlapSeconds: Number(overlap) });
    setSecret(Secret);
  };
  if (secret !== null) return <WebhookSecret secret={secret} onClose={onClose} />;
  return (
    <FormDialog title={words.rotateTitle} submit={words.rotate} onSend={rotate} onClose={onClose}>
      <p>{words.rotateHelp}</p>
      <Choice label={words.overlap} value={overlap} options={words.overlaps} onChange={setOverlap} />
    </FormDialog>
  );
}

function WebhookSecret({ secret, onClose }: { secret: string; onClose(): void }) {
  const words = useManageWords().webhooks;
  return (
    <ShownOnce
      title={words.secretTitle}
      help={words.secretHelp}
      lines={[{ label: words.secretLabel, what: words.secret, text: secret }]}
      onClose={onClose}
    />
  );
}
