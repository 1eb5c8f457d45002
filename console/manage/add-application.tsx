// Registers an application, then shows its secret, once.

import { type Application, addApplication, type RegisteredApplication } from '@cabinet/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Choice, Field } from '../parts/field.tsx';
import { notify } from '../parts/notices.tsx';
import { go } from '../routing/router.ts';
import { connectTo, useSession } from '../session/session-context.tsx';
import { CheckboxChoice, RadioChoice } from './chosen.tsx';
import { FormDialog } from './form-dialog.tsx';
import { ShownOnce } from './shown-once.tsx';
import { useManageWords } from './use-manage-words.ts';

interface Wish {
  name: string;
  kind: 'client' | 'server';
  scopes: string[];
  redirectUri: string;
  spaceId: string;
}

export function AddApplication({ onClose }: { onClose(): void }) {
  const words = useManageWords();
  const queries = useQueryClient();
  const { session, space, spaces } = useSession();
  const [wish, setWish] = useState<Wish>({
    name: '',
    kind: 'client',
    scopes: ['content.read', 'content.write'],
    redirectUri: '',
    spaceId: space.Id,
  });
  const [made, setMade] = useState<RegisteredApplication | null>(null);
  const show = ({ AppKey }: RegisteredApplication) => {
    onClose();
    const params = spaces.length > 1 ? { space: wish.spaceId } : {};
    go({ page: 'manage', id: 'applications', more: AppKey, params });
  };
  const send = async () => {
    const added = await addApplication(connectTo(session, wish.spaceId), toAsked(wish));
    await queries.invalidateQueries({ queryKey: ['manage', wish.spaceId, 'applications'] });
    notify({ text: words.applications.created(added.Name) });
    // With a certificate the secret is not used, so it is not shown.
    if (added.Secret === undefined || added.Kind === 'server') show(added);
    else setMade(added);
  };
  if (made !== null) return <SecretOnce application={made} onClose={() => show(made)} />;
  return (
    <FormDialog
      title={words.applications.add}
      submit={words.create}
      canSend={wish.name.trim() !== '' && wish.scopes.length > 0}
      onSend={send}
      onClose={onClose}
    >
      <WishFields wish={wish} onChange={(changes) => setWish({ ...wish, ...changes })} />
    </FormDialog>
  );
}

function toAsked({ name, kind, scopes, redirectUri }: Wish) {
  return {
    name: name.trim(),
    kind,
    scopes: scopes as Application['Scopes'],
    ...(redirectUri.trim() !== '' && { redirectUris: [redirectUri.trim()] }),
  };
}

function WishFields({ wish, onChange }: { wish: Wish; onChange(changes: Partial<Wish>): void }) {
  const words = useManageWords().applications;
  const { spaces } = useSession();
  const managed = spaces.filter(({ Role }) => Role === 'manager').map(({ Id, Name }) => [Id, Name] as const);
  const kinds = (['client', 'server'] as const).map(
    (kind) => [kind, { name: words.kinds[kind], help: words.kindHelp[kind] }] as const,
  );
  const scopes = Object.entries(words.scopeNames).map(([scope, name]) => [scope, { name }] as const);
  return (
    <>
      <Field
        label={words.name}
        hint={words.nameHint}
        value={wish.name}
        onChange={(name) => onChange({ name })}
        autoFocus
        maxLength={64}
        autoComplete="off"
      />
      <RadioChoice
        label={words.kind}
        value={wish.kind}
        options={Object.fromEntries(kinds)}
        onChange={(kind) => onChange({ kind: kind as Wish['kind'] })}
      />
      <CheckboxChoice
        label={words.scopes}
        value={wish.scopes}
        options={Object.fromEntries(scopes)}
        problem={wish.scopes.length === 0 ? words.needScope : null}
        onChange={(chosen) => onChange({ scopes: chosen })}
      />
      {managed.length > 1 && (
        <Choice
          label={words.space}
          value={wish.spaceId}
          options={Object.fromEntries(managed)}
          onChange={(spaceId) => onChange({ spaceId })}
        />
      )}
      {wish.kind === 'client' && (
        <Field
          label={words.redirect}
          hint={words.redirectHint}
          type="url"
          placeholder="https://app.example/back"
          value={wish.redirectUri}
          onChange={(redirectUri) => onChange({ redirectUri })}
        />
      )}
    </>
  );
}

export function SecretOnce({ application, onClose }: { application: RegisteredApplication; onClose(): void }) {
  const words = useManageWords().applications;
  return (
    <ShownOnce
      title={words.secretTitle(application.Name)}
      help={words.secretHelp}
      lines={[
        { label: words.appKeyLabel, what: words.appKey, text: application.AppKey },
        { label: words.secretLabel, what: words.secret, text: application.Secret ?? '' },
      ]}
      onClose={onClose}
    />
  );
}
