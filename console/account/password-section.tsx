// Changing one's own password.

import { type Account, changePassword } from '@cabinet/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { FormDialog } from '../manage/form-dialog.tsx';
import { Button } from '../parts/button.tsx';
import { Field } from '../parts/field.tsx';
import { notify } from '../parts/notices.tsx';
import { useSession } from '../session/session-context.tsx';
import { Section } from './section.tsx';
import { useAccountWords } from './use-account-words.ts';

/** The service knows more rules, and says which one is broken. */
const minLength = 12;

export function PasswordSection({ account }: { account: Account }) {
  const { password: words } = useAccountWords();
  const [isChanging, setChanging] = useState(false);
  if (!account.HasPassword) return <Section title={words.title} lead={words.outside} />;
  const change = (
    <Button icon="key" onPress={() => setChanging(true)}>
      {words.change}
    </Button>
  );
  return (
    <Section title={words.title} lead={words.lead} action={change}>
      {isChanging && <ChangePassword user={account.Id} onClose={() => setChanging(false)} />}
    </Section>
  );
}

function ChangePassword({ user, onClose }: { user: string; onClose(): void }) {
  const { password: words } = useAccountWords();
  const { cabinet } = useSession();
  const queries = useQueryClient();
  const [typed, setTyped] = useState({ current: '', replacement: '', again: '' });
  const { current, replacement, again } = typed;
  const send = async () => {
    await changePassword(cabinet, { current, replacement });
    await queries.invalidateQueries({ queryKey: ['me'] });
    notify({ text: words.changed });
    onClose();
  };
  const isSame = replacement === again;
  const canSend = current !== '' && replacement.length >= minLength && isSame;
  const field = (name: keyof typeof typed, autoComplete: string) => ({
    type: 'password' as const,
    value: typed[name],
    onChange: (value: string) => setTyped({ ...typed, [name]: value }),
    autoComplete,
  });
  return (
    <FormDialog title={words.change} submit={words.change} canSend={canSend} onSend={send} onClose={onClose}>
      {/* So that a password manager knows whose password it is. */}
      <input type="text" autoComplete="username" value={user} readOnly hidden />
      <Field label={words.current} autoFocus {...field('current', 'current-password')} />
      <Field label={words.replacement} hint={words.hint} {...field('replacement', 'new-password')} />
      <Field
        label={words.again}
        problem={again !== '' && !isSame ? words.differs : null}
        {...field('again', 'new-password')}
      />
    </FormDialog>
  );
}
