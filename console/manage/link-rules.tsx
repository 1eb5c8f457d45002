// The rules about links of a space: whether there are any, who creates them, passwords, and how long they work.

import { setShareRules, showSpace } from '@cabinet/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Field } from '../parts/field.tsx';
import { notify } from '../parts/notices.tsx';
import { useSession } from '../session/session-context.tsx';
import type { ShareRules } from '../sharing/link-fields.ts';
import { toLinkProblem } from '../sharing/link-problem.ts';
import { useRefreshLinks } from '../sharing/links.ts';
import { useSharingWords } from '../sharing/use-sharing-words.ts';
import { Tick } from './chosen.tsx';
import { FormDialog } from './form-dialog.tsx';

interface RulesWish {
  isAllowed: boolean;
  isForManagers: boolean;
  isPasswordRequired: boolean;
  /** Empty: what the service allows. */
  maxDays: string;
}

function toWish(rules: ShareRules | null): RulesWish {
  return {
    isAllowed: rules?.Allowed ?? true,
    isForManagers: rules?.Makers === 'managers',
    isPasswordRequired: rules?.PasswordRequired ?? false,
    maxDays: rules === null ? '' : String(rules.MaxDays),
  };
}

function isDays(text: string): boolean {
  return text === '' || (/^\d{1,7}$/.test(text) && Number(text) >= 1 && Number(text) <= 1_000_000);
}

/** Only what is stricter is set; the rest is as the service says. */
function toRules({ isAllowed, isForManagers, isPasswordRequired, maxDays }: RulesWish) {
  return {
    Allowed: isAllowed ? null : false,
    Makers: isForManagers ? ('managers' as const) : null,
    PasswordRequired: isPasswordRequired ? true : null,
    MaxDays: maxDays.trim() === '' ? null : Number(maxDays),
  };
}

export function LinkRules({ onClose }: { onClose(): void }) {
  const { cabinet, space } = useSession();
  const { data } = useQuery({
    queryKey: ['links', 'rules', space.Id],
    staleTime: 0,
    gcTime: 0,
    queryFn: async ({ signal }) => (await showSpace(cabinet, space.Id, { signal })).Shares ?? null,
  });
  return data === undefined ? null : <RulesForm rules={data} onClose={onClose} />;
}

function RulesForm({ rules, onClose }: { rules: ShareRules | null; onClose(): void }) {
  const { links: words } = useSharingWords();
  const { cabinet, space } = useSession();
  const refresh = useRefreshLinks();
  const [wish, setWish] = useState(() => toWish(rules));
  const change = (changes: Partial<RulesWish>) => setWish({ ...wish, ...changes });
  const isNumber = isDays(wish.maxDays.trim());
  const send = async () => {
    try {
      await setShareRules(cabinet, { id: space.Id, ...toRules(wish) });
    } catch (error) {
      throw toLinkProblem(error, words);
    }
    notify({ text: words.rulesSaved });
    onClose();
    await refresh();
  };
  return (
    <FormDialog
      title={words.rulesTitle(space.Name)}
      submit={words.save}
      canSend={isNumber}
      onSend={send}
      onClose={onClose}
    >
      <p>{words.rulesHelp}</p>
      <div>
        <Tick isSelected={wish.isAllowed} onChange={(isAllowed) => change({ isAllowed })}>
          {words.allowed}
        </Tick>
        <p className="field-hint">{words.allowedHelp}</p>
      </div>
      <Tick isSelected={wish.isForManagers} onChange={(isForManagers) => change({ isForManagers })}>
        {words.managersOnly}
      </Tick>
      <Tick isSelected={wish.isPasswordRequired} onChange={(isPasswordRequired) => change({ isPasswordRequired })}>
        {words.passwordRequired}
      </Tick>
      <Field
        label={words.maxDays}
        hint={words.maxDaysHint}
        problem={isNumber ? null : words.problems.maxDays}
        value={wish.maxDays}
        onChange={(maxDays) => change({ maxDays })}
        inputMode="numeric"
        autoComplete="off"
      />
    </FormDialog>
  );
}
