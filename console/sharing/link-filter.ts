// Which links the filters in the address leave. It says `status`: `state` comes back from a sign-in.

import type { ShareFields } from '@cabinet/client';

export function matches(
  link: ShareFields,
  { q = '', status = '', access = '' }: Readonly<Record<string, string>>,
): boolean {
  const { Name, Note, CreatedBy, State, Access } = link;
  const isOfState = status === '' || State === status;
  const isOfKind = access === '' || Access === access;
  return isOfState && isOfKind && [Name, Note ?? '', CreatedBy].some((text) => fold(text).includes(fold(q.trim())));
}

/** Without regard to case and to how accents are encoded. */
function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
