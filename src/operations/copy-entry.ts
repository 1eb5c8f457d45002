// Copies an entry with everything beneath it into a folder. A large tree is copied in slices, with pauses in which saves
// go on, and is seen when it is whole. Whoever asked waits; if they go away, it is finished all the same.

import { type Caller, toFolderIdIn } from '../domain/caller.ts';
import type { ConflictBehavior } from '../domain/entry.ts';
import { entryNotFound } from '../domain/missing.ts';
import { checkName } from '../domain/name.ts';
import { runSlice } from '../runtime/pacing.ts';
import { requireAccess } from './access.ts';
import type { Cabinet } from './cabinet.ts';
import { byCaller } from './origin.ts';
import { checkFree } from './save-file.ts';
import type { EntryView } from './show-entry.ts';

export interface CopyRequest {
  id: string;
  /** Null, empty or `-root-`: the root. */
  parentFolderId: string | null;
  /** Null: the name that it has. */
  name: string | null;
  conflict: ConflictBehavior;
}

export async function copyEntry(cabinet: Cabinet, caller: Caller, request: CopyRequest): Promise<EntryView> {
  const { id, conflict } = request;
  const { catalog, clock } = cabinet;
  const access = await requireAccess(cabinet, caller, { action: 'write', id, missing: entryNotFound });
  checkFree(cabinet, null);
  const name = request.name === null ? null : checkName(request.name, 'Name', cabinet.names);
  const parent = toFolderIdIn(access, request.parentFolderId);
  const asked = { space: access.space, id, parent, name, conflict, ...byCaller(cabinet, caller) };
  const begun = await catalog.beginCopy(asked);
  if (begun === null) throw entryNotFound();
  if ('details' in begun) return begun.details;
  const { top } = begun;
  try {
    for (let stack = begun.stack; stack.length > 0; ) {
      stack = await runSlice(() => catalog.continueCopy({ asked, top, stack, at: clock.now() }));
    }
    return await catalog.finishCopy({ asked: { ...asked, at: clock.now() }, top });
  } catch (error) {
    await catalog.abandonCopy({ top }).catch(() => undefined);
    cabinet.purger.nudge();
    throw error;
  }
}
