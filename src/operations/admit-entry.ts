// What can be said of a request for one entry before its body is read: whether the entry is there, whether the caller may do that, and
// whether it is still what the caller knows. Whoever carries the request out looks again.

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
  const found = await cabinet.catalog.findDetails({ space, id });
  if (found === null) throw entryNotFound();
  checkMatch(ifMatch, found.etag);
}

/** One that is in the trash. */
export async function admitTrashed(cabinet: Cabinet, caller: Caller, { id }: { id: string }): Promise<void> {
  const { space } = await requireAccess(cabinet, caller, {
    action: 'write',
    id,
    missing: entryNotFound,
    isTrashMeant: true,
  });
  if (!(await cabinet.catalog.isInTrash({ space, id }))) throw entryNotFound();
}
