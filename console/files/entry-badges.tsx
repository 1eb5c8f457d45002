// The badges of an entry in lists: locked by somebody, shared by a link of the person.

import type { Lock } from '@cabinet/client';
import { Icon } from '../parts/icon.tsx';
import { useWords } from '../words/words.tsx';
import { LockBadge } from './lock-badge.tsx';
import './entry-badges.css';

interface EntryBadgesProps {
  locks: readonly Lock[] | undefined;
  isLinked: boolean;
  isStarred?: boolean;
}

export function EntryBadges({ locks, isLinked, isStarred = false }: EntryBadgesProps) {
  const { files } = useWords();
  if (!isLinked && !isStarred && (locks === undefined || locks.length === 0)) return null;
  return (
    <span className="entry-badges">
      <LockBadge locks={locks} />
      {isStarred && (
        <span className="lock-badge star-badge" title={files.isStarred}>
          <Icon name="star" size={15} />
          <span className="unseen">{files.isStarred}</span>
        </span>
      )}
      {isLinked && (
        <span className="lock-badge link-badge" title={files.linked}>
          <Icon name="link" size={15} />
          <span className="unseen">{files.linked}</span>
        </span>
      )}
    </span>
  );
}
