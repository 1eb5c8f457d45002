// Who has locked the shown entry, and until when.

import type { Lock } from '@cabinet/client';
import { useLocksOf } from '../files/locks.ts';
import { Icon } from '../parts/icon.tsx';
import { showActor } from '../words/actor.ts';
import { formatHour } from '../words/format.ts';
import { useWords } from '../words/words.tsx';
import '../files/lock-badge.css';

export function LockNote({ id }: { id: string }) {
  const words = useWords();
  const { details, locale } = words;
  const by = ({ TakenBy, Owner }: Lock) => `${showActor(TakenBy, words)}${Owner === null ? '' : ` (${Owner})`}`;
  return useLocksOf(id).map((lock, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: shared locks of one holder are alike
    <p key={index} className="look-lock">
      <Icon name="lock" size={17} />
      <span>
        {details.lockedUntil(by(lock), formatHour(lock.ExpiresAt, locale))}
        {lock.EntryId !== id && ` ${details.lockedAbove}`}
      </span>
    </p>
  ));
}
