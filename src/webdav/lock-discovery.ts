// Locks as `DAV:lockdiscovery` shows them.

import type { Lock } from '../catalog/verbs/locks.ts';
import type { EnvironmentContext } from '../rest/environment-context.ts';
import { toHref } from './path.ts';
import { escapeXml } from './xml-text.ts';

/** Of every entry. */
export const supportedLocks = ['exclusive', 'shared']
  .map(
    (scope) => `<D:lockentry><D:lockscope><D:${scope}/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockentry>`,
  )
  .join('');

interface LockPlace {
  context: EnvironmentContext;
  spaceName: string;
}

export function renderLocks(locks: readonly Lock[], { context, spaceName }: LockPlace): string {
  return locks.map((lock) => renderLock(lock, { context, spaceName })).join('');
}

function renderLock(lock: Lock, { context, spaceName }: LockPlace): string {
  const names = [spaceName, ...lock.path.split('/').filter((name) => name !== '')];
  const root = toHref(context.basePath, names, lock.isFolder);
  const seconds = Math.max(0, Math.ceil((lock.expiresAt - context.cabinet.clock.now()) / 1000));
  return (
    `<D:activelock><D:locktype><D:write/></D:locktype><D:lockscope><D:${lock.isExclusive ? 'exclusive' : 'shared'}/></D:lockscope>` +
    `<D:depth>${lock.isDeep ? 'infinity' : '0'}</D:depth>${lock.owner ?? ''}<D:timeout>Second-${seconds}</D:timeout>` +
    `<D:locktoken><D:href>${escapeXml(lock.token)}</D:href></D:locktoken>` +
    `<D:lockroot><D:href>${escapeXml(root)}</D:href></D:lockroot></D:activelock>`
  );
}
