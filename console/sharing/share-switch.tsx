// Leads from what is shared with the person to what they share, and back, where the navigation has room for one of them.

import { Link } from '../routing/link.tsx';
import { useSpaceParams } from '../session/session-context.tsx';
import { useWords } from '../words/words.tsx';
import './link-list.css';

export function ShareSwitch({ current }: { current: 'shared' | 'links' }) {
  const { shell } = useWords();
  const params = useSpaceParams();
  return (
    <nav className="share-switch" aria-label={shell.sharedShort}>
      {(['shared', 'links'] as const).map((page) => (
        <Link key={page} to={{ page, params }} aria-current={page === current ? 'page' : undefined}>
          {shell[page]}
        </Link>
      ))}
    </nav>
  );
}
