// "Shared by me": the person's links in the open space.

import { useEffect } from 'react';
import { useSession } from '../session/session-context.tsx';
import { LinkList } from './link-list.tsx';
import { ShareSwitch } from './share-switch.tsx';
import { useSharingWords } from './use-sharing-words.ts';
import '../manage/manage-page.css';
import './sharing.css';

export function LinksPage() {
  const { links: words } = useSharingWords();
  const { space } = useSession();
  useEffect(() => {
    document.title = `${words.mine} – Cabinet`;
  }, [words]);
  return (
    <section className="paper" aria-labelledby="page-title">
      <header className="paper-head">
        <h1 id="page-title">{words.mine}</h1>
        <ShareSwitch current="links" />
      </header>
      <div className="paper-body">
        <LinkList key={space.Id} isAll={false} none={{ title: words.mineNone, help: words.mineNoneHelp }} />
      </div>
    </section>
  );
}
