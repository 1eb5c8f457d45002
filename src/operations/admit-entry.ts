// Checks a request for one entry before its body is read: whether the entry exists, whether the caller may change or copy it, and whether
// the precondition of the request is met. The operation itself checks again.

import type { Caller } from '../domain/caller.ts';
import { entryNotFound } from '../domain/missing.ts';
import { checkEntryPrecondition, type Precondition } from '../domain/precondition.ts';
import { requireAccess, requireSource } from './access.ts';
import type { Cabinet } from './cabinet.ts';

export async function admitEntry(
  cabinet: Cabinet,
  caller: Caller,
  { id, precondition, isCopied = false }: { id: string; precondition: Precondition | null; isCopied?: boolean },
): Promise<void> {
  const { space } = isCopied
    ? await requireSource(cabinet, caller, id)
    : await requireAccess(cabinet, caller, { action: 'write', id, missing: entryNotFound });
  const details = await cabinet.catalog.findDetails({ space, id });
  if (details === null) throw entryNotFound();
  checkEntryPrecondition(precondition, details);
}

/** The same for an entry in the trash. */
export async function admitTrashed(
  cabinet: Cabinet,
  caller: Caller,
  { id, precondition }: { id: string; precondition: Precondition | null },
): Promise<void> {
  const { space } = await requireAccess(cabinet, caller, {
    action: 'write',
    id,
    missing: entryNotFound,
    isTrashMeant: true,
    isLeaving: true,
  });
  const details = await cabinet.catalog.findInTrash({ space, id });
  if (details === null) throw entryNotFound();
  checkEntryPrecondition(precondition, details);
}
