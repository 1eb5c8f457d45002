// Setting up an authenticator app: the password, then the key and the first code, then the recovery codes.

import { addTotp, beginTotp, type TotpSetup } from '@cabinet/client';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { FormDialog } from '../manage/form-dialog.tsx';
import { Field } from '../parts/field.tsx';
import { notify } from '../parts/notices.tsx';
import { useSession } from '../session/session-context.tsx';
import { PasswordField } from './password-field.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import { useAccountWords } from './use-account-words.ts';

const QrCode = lazy(async () => ({ default: (await import('../parts/qr-code.tsx')).QrCode }));

export function AddTotp({ onClose }: { onClose(): void }) {
  const { secondFactors: words } = useAccountWords();
  const { cabinet } = useSession();
  const [password, setPassword] = useState('');
  const [setup, setSetup] = useState<TotpSetup | null>(null);
  if (setup !== null) return <FirstCode setup={setup} onClose={onClose} />;
  return (
    <FormDialog
      key="password"
      title={words.addTotp}
      submit={words.goOn}
      canSend={password !== ''}
      onSend={async () => setSetup(await beginTotp(cabinet, { password }))}
      onClose={onClose}
    >
      <PasswordField value={password} onChange={setPassword} />
    </FormDialog>
  );
}

function FirstCode({ setup, onClose }: { setup: TotpSetup; onClose(): void }) {
  const { secondFactors: words } = useAccountWords();
  const { cabinet } = useSession();
  const queries = useQueryClient();
  const [typed, setTyped] = useState<{ code: string; name: string }>({ code: '', name: words.kinds.totp });
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const send = async () => {
    const added = await addTotp(cabinet, { setup: setup.Setup, code: typed.code, name: typed.name.trim() });
    notify({ text: words.added(typed.name.trim()) });
    await queries.invalidateQueries({ queryKey: ['me'] });
    if (added.RecoveryCodes.length === 0) onClose();
    else setCodes(added.RecoveryCodes);
  };
  if (codes !== null) return <RecoveryCodes codes={codes} onClose={onClose} />;
  const canSend = typed.code.trim() !== '' && typed.name.trim() !== '';
  return (
    <FormDialog
      key="code"
      title={words.addTotp}
      submit={words.confirm}
      canSend={canSend}
      onSend={send}
      onClose={onClose}
    >
      <p>{words.secretHelp}</p>
      <Suspense>
        <QrCode text={setup.Uri} label={words.qr} />
      </Suspense>
      <p>
        {words.secret}: <code className="totp-key">{setup.Secret.replaceAll(/.{4}(?=.)/g, '$& ')}</code>
      </p>
      <p>
        <a href={setup.Uri}>{words.openApp}</a>
      </p>
      <Field
        label={words.code}
        value={typed.code}
        onChange={(code) => setTyped({ ...typed, code })}
        autoComplete="one-time-code"
        autoFocus
      />
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
