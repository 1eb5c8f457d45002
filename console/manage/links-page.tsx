// All links of the space, whoever created them.

import { useState } from 'react';
import { Button } from '../parts/button.tsx';
import { useSession } from '../session/session-context.tsx';
import { LinkList } from '../sharing/link-list.tsx';
import { useSharingWords } from '../sharing/use-sharing-words.ts';
import { LinkRules } from './link-rules.tsx';
import { PageHead } from './page-head.tsx';

export function LinksPage() {
  const { links: words } = useSharingWords();
  const { space } = useSession();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <PageHead title={words.all(space.Name)} lead={words.allLead}>
        <Button icon="gear" onPress={() => setOpen(true)}>
          {words.rules}
        </Button>
      </PageHead>
      <LinkList isAll none={{ title: words.allNone, help: words.allNoneHelp }} />
      {isOpen && <LinkRules onClose={() => setOpen(false)} />}
    </>
  );
}
