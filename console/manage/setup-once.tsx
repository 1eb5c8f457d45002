// Shows the link by which a person sets a password, once.

import type { SetupLink, User } from '@cabinet/client';
import { formatWhen } from '../words/format.ts';
import { ShownOnce } from './shown-once.tsx';
import { useLocale, useManageWords } from './use-manage-words.ts';

export function SetupOnce({ person, link, onClose }: { person: User; link: SetupLink; onClose(): void }) {
  const words = useManageWords().people;
  const locale = useLocale();
  return (
    <ShownOnce
      title={words.setupTitle(person.Name)}
      help={words.setupHelp(formatWhen(link.SetupExpiresAt, locale))}
      lines={[
        { label: words.userLabel, what: words.userLabel, text: person.Id },
        { label: words.setupLabel, what: words.setupLink, text: link.SetupUrl },
      ]}
      onClose={onClose}
    />
  );
}
