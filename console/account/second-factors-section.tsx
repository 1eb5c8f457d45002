// What the person shows beside the password when signing in. Every change needs the password once more.

import { removeSecondFactor, renewRecoveryCodes, type SecondFactor, showSecondFactors } from '@cabinet/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { FormDialog } from '../manage/form-dialog.tsx';
import { Badge } from '../manage/page-head.tsx';
import { Button, IconButton } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { notify } from '../parts/notices.tsx';
import { ErrorState, Skeleton } from '../parts/states.tsx';
import { useSession } from '../session/session-context.tsx';
import { formatWhen } from '../words/format.ts';
import { useWords } from '../words/words.tsx';
import { AddPasskey, canUsePasskeys } from './add-passkey.tsx';
import { AddTotp } from './add-totp.tsx';
import { PasswordField } from './password-field.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import { Section } from './section.tsx';
import { useAccountWords } from './use-account-words.ts';

type Adding = 'totp' | 'passkey' | null;

export function SecondFactorsSection() {
  const { secondFactors: words, loading } = useAccountWords();
  const { cabinet } = useSession();
  const [adding, setAdding] = useState<Adding>(null);
  const { data, error, refetch } = useQuery({
    queryKey: ['me', 'second-factors'],
    queryFn: ({ signal }) => showSecondFactors(cabinet, { signal }),
  });
  const all = data?.SecondFactors ?? [];
  const hasTotp = all.some(({ Kind }) => Kind === 'totp');
  const actions = data !== undefined && (
    <div className="section-actions">
      {canUsePasskeys() && (
        <Button icon="key" onPress={() => setAdding('passkey')}>
          {words.addPasskey}
        </Button>
      )}
      {!hasTotp && (
        <Button icon="plus" look="main" onPress={() => setAdding('totp')}>
          {words.addTotp}
        </Button>
      )}
    </div>
  );
  return (
    <Section title={words.title} lead={words.lead} action={actions}>
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={1} label={loading} />}
      {data?.IsRequired && <p>{words.required}</p>}
      {data !== undefined && all.length === 0 && <p>{words.none}</p>}
      {data !== undefined && all.length > 0 && (
        <>
          <ul className="things">
            {all.map((one) => (
              <FactorLine key={one.Id} shown={one} />
            ))}
          </ul>
          <CodesLine left={data.RecoveryCodesLeft} />
        </>
      )}
      {adding === 'totp' && <AddTotp onClose={() => setAdding(null)} />}
      {adding === 'passkey' && <AddPasskey onClose={() => setAdding(null)} />}
    </Section>
  );
}

function FactorLine({ shown }: { shown: SecondFactor }) {
  const { secondFactors: words } = useAccountWords();
  const { locale } = useWords();
  const { cabinet } = useSession();
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const [password, setPassword] = useState('');
  const { Id: id, Name: name, Kind: kind, CreatedAt: createdAt, LastUsedAt: usedAt } = shown;
  const used = usedAt === null ? words.unused : words.used(formatWhen(usedAt, locale));
  const remove = async () => {
    await removeSecondFactor(cabinet, id, { password });
    notify({ text: words.removed(name) });
    await queries.invalidateQueries({ queryKey: ['me'] });
  };
  return (
    <li className="thing">
      <span className="thing-icon">
        <Icon name="key" />
      </span>
      <div className="thing-text">
        <p className="thing-name">{name}</p>
        <p className="thing-more">
          {words.addedAt(formatWhen(createdAt, locale))} · {used}
        </p>
      </div>
      <div className="thing-badges">
        <Badge>{words.kinds[kind]}</Badge>
      </div>
      <div className="thing-actions">
        <IconButton icon="trash" label={words.removeOne(name)} onPress={() => setAsking(true)} />
      </div>
      {isAsking && (
        <FormDialog
          title={words.removeTitle(name)}
          submit={words.remove}
          canSend={password !== ''}
          onSend={remove}
          onClose={() => setAsking(false)}
        >
          <PasswordField value={password} onChange={setPassword} />
        </FormDialog>
      )}
    </li>
  );
}

function CodesLine({ left }: { left: number }) {
  const { secondFactors: words } = useAccountWords();
  const { cabinet } = useSession();
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const [password, setPassword] = useState('');
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const renew = async () => {
    setCodes(await renewRecoveryCodes(cabinet, { password }));
    setAsking(false);
    setPassword('');
    await queries.invalidateQueries({ queryKey: ['me', 'second-factors'] });
  };
  return (
    <div className="manage-foot">
      <p>{words.codesLeft(left)}</p>
      <Button onPress={() => setAsking(true)}>{words.renew}</Button>
      {isAsking && (
        <FormDialog
          title={words.renew}
          submit={words.renew}
          canSend={password !== ''}
          onSend={renew}
          onClose={() => setAsking(false)}
        >
          <p>{words.renewHelp}</p>
          <PasswordField value={password} onChange={setPassword} />
        </FormDialog>
      )}
      {codes !== null && <RecoveryCodes codes={codes} onClose={() => setCodes(null)} />}
    </div>
  );
}
