// Who has locked the shown entry, and until when.

import { useLocksOf } from '../files/locks.ts';
import { Icon } from '../parts/icon.tsx';
import { formatHour } from '../words/format.ts';
import { useWords } from '../words/words.tsx';
import '../files/lock-badge.css';

export function LockNote({ id }: { id: string }) {
  const { details, locale } = useWords();
  return useLocksOf(id).map(({ TakenBy, Owner, EntryId, ExpiresAt }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: shared locks of one holder are alike
    <p key={index} className="look-lock">
      <Icon name="lock" size={17} />
      <span>
        {details.lockedUntil(Owner === null ? TakenBy : `${TakenBy} (${Owner})`, formatHour(ExpiresAt, locale))}
        {EntryId !== id && ` ${details.lockedAbove}`}
      </span>
    </p>
  ));
}
