// Adds a member to the space: a new account, whose setup link is shown once, or an existing one.

import { type AddedUser, addUser, changeUser, type Role } from '@cabinet/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Field } from '../parts/field.tsx';
import { notify } from '../parts/notices.tsx';
import { useSession } from '../session/session-context.tsx';
import { RadioChoice, Tick } from './chosen.tsx';
import { FormDialog } from './form-dialog.tsx';
import { SetupOnce } from './setup-once.tsx';
import { useManageWords } from './use-manage-words.ts';

interface Wish {
  id: string;
  name: string;
  role: Role;
  isKnown: boolean;
}

export function AddPerson({ onClose }: { onClose(): void }) {
  const { people: words, save } = useManageWords();
  const { cabinet, space } = useSession();
  const queries = useQueryClient();
  const [wish, setWish] = useState<Wish>({ id: '', name: '', role: 'editor', isKnown: false });
  const [made, setMade] = useState<AddedUser | null>(null);
  const id = wish.id.trim();
  const name = wish.name.trim();
  const send = async () => {
    const { role } = wish;
    const changed = wish.isKnown ? await changeUser(cabinet, { id, role }) : null;
    const added = changed === null ? await addUser(cabinet, { id, role, ...(name !== '' && { name }) }) : null;
    await queries.invalidateQueries({ queryKey: ['manage', space.Id, 'people'] });
    notify({ text: words.added((changed ?? added)?.Name ?? id) });
    if (added === null) onClose();
    else setMade(added);
  };
  if (made !== null) return <SetupOnce person={made} link={made} onClose={onClose} />;
  return (
    <FormDialog title={words.add} submit={save} canSend={id !== ''} onSend={send} onClose={onClose}>
      <WishFields wish={wish} onChange={(changes) => setWish({ ...wish, ...changes })} />
    </FormDialog>
  );
}

function WishFields({ wish, onChange }: { wish: Wish; onChange(changes: Partial<Wish>): void }) {
  const { people: words, roles, roleHelp } = useManageWords();
  const options = (['viewer', 'editor', 'manager'] as const).map(
    (role) => [role, { name: roles[role], help: roleHelp[role] }] as const,
  );
  return (
    <>
      <Field
        label={words.id}
        hint={wish.isKnown ? words.knownHint : words.idHint}
        value={wish.id}
        onChange={(id) => onChange({ id })}
        autoFocus
        autoComplete="off"
        spellCheck="false"
      />
      <Tick isSelected={wish.isKnown} onChange={(isKnown) => onChange({ isKnown })}>
        {words.known}
      </Tick>
      {!wish.isKnown && (
        <Field
          label={words.name}
          hint={words.nameHint}
          value={wish.name}
          onChange={(name) => onChange({ name })}
          autoComplete="off"
        />
      )}
      <RadioChoice
        label={words.role}
        value={wish.role}
        options={Object.fromEntries(options)}
        onChange={(role) => onChange({ role: role as Role })}
      />
    </>
  );
}
