// All links of the space, whoever created them.

import { useSession } from '../session/session-context.tsx';
import { LinkList } from '../sharing/link-list.tsx';
import { useSharingWords } from '../sharing/use-sharing-words.ts';
import { PageHead } from './page-head.tsx';

export function LinksPage() {
  const { links: words } = useSharingWords();
  const { space } = useSession();
  return (
    <>
      <PageHead title={words.all(space.Name)} lead={words.allLead} />
      <LinkList isAll none={{ title: words.allNone, help: words.allNoneHelp }} />
    </>
  );
}
