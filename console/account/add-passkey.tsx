// Adding a passkey: the password and a name, then the browser's own dialog, then the recovery codes if it is the first one.

import { addPasskey, beginPasskey } from '@cabinet/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { FormDialog } from '../manage/form-dialog.tsx';
import { Field } from '../parts/field.tsx';
import { notify } from '../parts/notices.tsx';
import { useSession } from '../session/session-context.tsx';
import { PasswordField } from './password-field.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import { useAccountWords } from './use-account-words.ts';

/** Not where the address is a number, or without https. */
export function canUsePasskeys(): boolean {
  const isNumber = /^[\d.]+$|^\[/.test(location.hostname);
  return !isNumber && typeof globalThis.PublicKeyCredential?.parseCreationOptionsFromJSON === 'function';
}

export function AddPasskey({ onClose }: { onClose(): void }) {
  const { secondFactors: words } = useAccountWords();
  const { cabinet } = useSession();
  const queries = useQueryClient();
  const [typed, setTyped] = useState<{ password: string; name: string }>({ password: '', name: words.kinds.passkey });
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const name = typed.name.trim();
  const send = async () => {
    const { Options, Setup } = await beginPasskey(cabinet, { password: typed.password });
    const credential = await createCredential(Options);
    const added = await addPasskey(cabinet, { setup: Setup, credential, name });
    notify({ text: words.added(name) });
    await queries.invalidateQueries({ queryKey: ['me'] });
    if (added.RecoveryCodes.length === 0) onClose();
    else setCodes(added.RecoveryCodes);
  };
  if (codes !== null) return <RecoveryCodes codes={codes} onClose={onClose} />;
  const canSend = typed.password !== '' && name !== '';
  return (
    <FormDialog title={words.addPasskey} submit={words.goOn} canSend={canSend} onSend={send} onClose={onClose}>
      <PasswordField value={typed.password} onChange={(password) => setTyped({ ...typed, password })} />
      <Field
        label={words.name}
        hint={words.nameHint}
        value={typed.name}
        onChange={(name) => setTyped({ ...typed, name })}
        maxLength={100}
      />
    </FormDialog>
  );
}

async function createCredential(options: object): Promise<{ id: string }> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON);
  const credential = await navigator.credentials.create({ publicKey });
  if (!(credential instanceof PublicKeyCredential)) throw new Error('The browser made no passkey.');
  return credential.toJSON() as { id: string };
}
