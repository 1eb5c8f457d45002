// The current password, typed once more before the account is changed.

import { Field } from '../parts/field.tsx';
import { useAccountWords } from './use-account-words.ts';

export function PasswordField({ value, onChange }: { value: string; onChange(value: string): void }) {
  const { secondFactors: words } = useAccountWords();
  return (
    <Field
      label={words.password}
      type="password"
      value={value}
      onChange={onChange}
      autoComplete="current-password"
      autoFocus
    />
  );
}
