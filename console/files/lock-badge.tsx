// The badge of a locked entry in lists.

import type { Lock } from '@cabinet/client';
import { Icon } from '../parts/icon.tsx';
import { showActor } from '../words/actor.ts';
import { useWords } from '../words/words.tsx';
import './lock-badge.css';

export function LockBadge({ locks }: { locks: readonly Lock[] | undefined }) {
  const words = useWords();
  if (locks === undefined || locks.length === 0) return null;
  const text = words.files.lockedBy([...new Set(locks.map(({ TakenBy }) => showActor(TakenBy, words)))].join(', '));
  return (
    <span className="lock-badge" title={text}>
      <Icon name="lock" size={15} />
      <span className="unseen">{text}</span>
    </span>
  );
}
