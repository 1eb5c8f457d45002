// Changes the dead properties of an entry: all of the changes, or none.

import type { DeadChange } from '../catalog/verbs/dead-properties.ts';
import type { Caller } from '../domain/caller.ts';
import { entryNotFound } from '../domain/missing.ts';
import type { Precondition } from '../domain/precondition.ts';
import { requireAccess } from './access.ts';
import type { Cabinet } from './cabinet.ts';
import { checkFree } from './free-space.ts';
import { byCaller } from './origin.ts';

/** `too large`: nothing was changed. */
export async function changeDeadProperties(
  cabinet: Cabinet,
  caller: Caller,
  { id, changes, precondition }: { id: string; changes: readonly DeadChange[]; precondition: Precondition | null },
): Promise<'done' | 'too large'> {
  const { space } = await requireAccess(cabinet, caller, { action: 'write', id, missing: entryNotFound });
  checkFree(cabinet, null);
  const change = { space, id, changes, precondition, ...byCaller(cabinet, caller) };
  const done = await cabinet.catalog.changeDeadProperties(change);
  if (done === null) throw entryNotFound();
  return done;
}
