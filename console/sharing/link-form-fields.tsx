// The fields of a link: expiry, password, maximum of downloads, name and note.

import type { ShareFields } from '@cabinet/client';
import { Choice, Field, LongField } from '../parts/field.tsx';
import { formatMinute } from '../words/format.ts';
import { useWords } from '../words/words.tsx';
import { type LinkWish, listDays, readMaxDownloads, type ShareRules, toDays, toToday } from './link-fields.ts';
import { useSharingWords } from './use-sharing-words.ts';

interface LinkFieldsProps {
  wish: LinkWish;
  /** The one that is changed; null: it is new. */
  link: ShareFields | null;
  /** Of the space; null: it has none of its own. */
  rules: ShareRules | null;
  onChange(changes: Partial<LinkWish>): void;
}

export function LinkFields(props: LinkFieldsProps) {
  const { wish, onChange } = props;
  const { links: words } = useSharingWords();
  const { maxDownloads } = wish;
  const isNumber = maxDownloads.trim() === '' || readMaxDownloads(maxDownloads) !== null;
  return (
    <>
      <ExpiryFields {...props} />
      <PasswordFields {...props} />
      {wish.access === 'read' && (
        <Field
          label={words.maxDownloads}
          hint={words.maxDownloadsHint}
          problem={isNumber ? null : words.problems.maxDownloads}
          value={maxDownloads}
          onChange={(text) => onChange({ maxDownloads: text })}
          inputMode="numeric"
          autoComplete="off"
        />
      )}
      <Field
        label={words.name}
        hint={words.nameHint}
        value={wish.name}
        onChange={(name) => onChange({ name })}
        maxLength={255}
        autoComplete="off"
      />
      <LongField label={words.note} value={wish.note} onChange={(note) => onChange({ note })} maxLength={2000} />
    </>
  );
}

function ExpiryFields({ wish, link, rules, onChange }: LinkFieldsProps) {
  const { links: words } = useSharingWords();
  const { locale } = useWords();
  const { date: _, ...known } = words.expiries;
  const shown: Record<string, string> = known;
  const choices = listDays(Object.keys(known), rules);
  const days = Object.fromEntries(choices.map((one) => [one, shown[one] ?? words.inDays(toDays(one))]));
  const keep = link === null ? {} : { keep: words.keep(formatMinute(link.ExpiresAt, locale)) };
  return (
    <div className="link-pair">
      <Choice
        label={words.expires}
        value={wish.expires}
        options={{ ...keep, ...days, date: words.expiries.date }}
        onChange={(expires) => onChange({ expires })}
      />
      {wish.expires === 'date' && (
        <Field
          label={words.date}
          type="date"
          min={toToday()}
          value={wish.date}
          onChange={(date) => onChange({ date })}
        />
      )}
    </div>
  );
}

function PasswordFields({ wish, link, rules, onChange }: LinkFieldsProps) {
  const { links: words } = useSharingWords();
  const hasOne = link?.HasPassword === true;
  return (
    <div className="link-pair">
      {hasOne && (
        <Choice
          label={words.passwordChoice}
          value={wish.passwordChange}
          options={words.passwordChoices}
          onChange={(change) => onChange({ passwordChange: change as LinkWish['passwordChange'], password: '' })}
        />
      )}
      {wish.passwordChange === 'change' && (
        <Field
          label={hasOne ? words.newPassword : words.password}
          {...(!hasOne && { hint: rules?.PasswordRequired ? words.passwordNeeded : words.passwordHint })}
          value={wish.password}
          onChange={(password) => onChange({ password })}
          maxLength={256}
          autoComplete="off"
          spellCheck="false"
        />
      )}
    </div>
  );
}
