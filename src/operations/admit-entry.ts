// Checks a request for one entry before its body is read: whether the entry exists, whether the caller may change it, and whether
// it still matches the caller's ETag. The operation itself checks again.

import type { Caller } from '../domain/caller.ts';
import { checkMatch } from '../domain/match.ts';
import { entryNotFound } from '../domain/missing.ts';
import { requireAccess } from './access.ts';
import type { Cabinet } from './cabinet.ts';

export async function admitEntry(
  cabinet: Cabinet,
  caller: Caller,
  { id, ifMatch = null }: { id: string; ifMatch?: readonly string[] | null },
): Promise<void> {
  const { space } = await requireAccess(cabinet, caller, { action: 'write', id, missing: entryNotFound });
  const details = await cabinet.catalog.findDetails({ space, id });
  if (details === null) throw entryNotFound();
  checkMatch(ifMatch, details.etag);
}

/** The same for an entry in the trash. */
export async function admitTrashed(cabinet: Cabinet, caller: Caller, { id }: { id: string }): Promise<void> {
  const { space } = await requireAccess(cabinet, caller, {
    action: 'write',
    id,
    missing: entryNotFound,
    isTrashMeant: true,
  });
  if (!(await cabinet.catalog.isInTrash({ space, id }))) throw entryNotFound();
}
