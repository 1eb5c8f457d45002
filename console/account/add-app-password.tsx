// The form for a new app password, and the password once it is made.

import { type Account, type AddedAppPassword, addAppPassword } from '@cabinet/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { RadioChoice } from '../manage/chosen.tsx';
import { FormDialog } from '../manage/form-dialog.tsx';
import { ShownOnce } from '../manage/shown-once.tsx';
import { Choice, Field } from '../parts/field.tsx';
import { serviceUrl } from '../routing/base-path.ts';
import { useSession } from '../session/session-context.tsx';
import { toDavUrl, toDavUser } from './drive-lines.ts';
import { useAccountWords } from './use-account-words.ts';

const dayMs = 24 * 3600 * 1000;

interface Wish {
  name: string;
  access: 'read' | 'write';
  /** Empty: all spaces. */
  space: string;
  /** Empty: never. */
  days: string;
}

export function AddAppPassword({ account, onClose }: { account: Account; onClose(): void }) {
  const { appPasswords: words } = useAccountWords();
  const { cabinet } = useSession();
  const queries = useQueryClient();
  const [wish, setWish] = useState<Wish>({ name: '', access: 'write', space: '', days: '' });
  const [added, setAdded] = useState<AddedAppPassword | null>(null);
  const name = wish.name.trim();
  const send = async () => {
    const { access, space, days } = wish;
    const expiresAt = days === '' ? undefined : new Date(Date.now() + Number(days) * dayMs);
    setAdded(await addAppPassword(cabinet, { name, access, space: space === '' ? undefined : space, expiresAt }));
    await queries.invalidateQueries({ queryKey: ['me', 'app-passwords'] });
  };
  if (added !== null) return <Shown user={account.Id} added={added} onClose={onClose} />;
  return (
    <FormDialog title={words.add} submit={words.create} canSend={name !== ''} onSend={send} onClose={onClose}>
      <WishFields wish={wish} onChange={(changes) => setWish({ ...wish, ...changes })} />
    </FormDialog>
  );
}

function WishFields({ wish, onChange }: { wish: Wish; onChange(changes: Partial<Wish>): void }) {
  const { appPasswords: words } = useAccountWords();
  const { spaces } = useSession();
  const spaceNames = Object.fromEntries(spaces.map(({ Id, Name }) => [Id, Name]));
  return (
    <>
      <Field
        label={words.name}
        hint={words.nameHint}
        value={wish.name}
        onChange={(name) => onChange({ name })}
        autoFocus
        autoComplete="off"
        maxLength={100}
      />
      <RadioChoice
        label={words.access}
        value={wish.access}
        options={words.accesses}
        onChange={(access) => onChange({ access: access as Wish['access'] })}
      />
      {spaces.length > 1 && (
        <Choice
          label={words.space}
          value={wish.space}
          options={{ '': words.allSpaces, ...spaceNames }}
          onChange={(space) => onChange({ space })}
        />
      )}
      <Choice
        label={words.expires}
        value={wish.days}
        options={words.expiries}
        onChange={(days) => onChange({ days })}
      />
    </>
  );
}

function Shown({ user, added, onClose }: { user: string; added: AddedAppPassword; onClose(): void }) {
  const { appPasswords: words } = useAccountWords();
  const { spaces, space: open } = useSession();
  const { Name, SpaceId } = added.AppPassword;
  const space = spaces.find(({ Id }) => Id === SpaceId) ?? open;
  const lines: [string, string][] = [
    [words.user, toDavUser(user)],
    [words.secret, added.Password],
    [words.address, toDavUrl(serviceUrl, space.Name)],
  ];
  return (
    <ShownOnce
      title={words.shownTitle(Name)}
      help={words.shownHelp}
      lines={lines.map(([label, text]) => ({ label, what: label, text }))}
      onClose={onClose}
    />
  );
}
