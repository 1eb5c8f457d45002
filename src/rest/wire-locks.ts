// Renders locks as JSON.

import type { Lock } from '../catalog/verbs/locks.ts';
import { renderTime } from './wire.ts';

export function renderLocks(locks: readonly Lock[]): string {
  const shown = locks.map(({ entryId, isExclusive, isDeep, takenBy, ownerText, expiresAt }) => ({
    EntryId: entryId,
    Scope: isExclusive ? 'exclusive' : 'shared',
    Depth: isDeep ? 'infinity' : '0',
    TakenBy: takenBy,
    Owner: ownerText === '' ? null : ownerText,
    ExpiresAt: renderTime(expiresAt),
  }));
  return JSON.stringify({ Locks: shown });
}
