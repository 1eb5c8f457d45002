// Copies an entry with its whole tree into a folder. A large tree is copied in slices, with pauses for saves, and becomes visible
// when it is complete. The request waits for it; if the client disconnects, the copy is completed nevertheless.

import { type Caller, toFolderIdIn } from '../domain/caller.ts';
import type { ConflictBehavior } from '../domain/entry.ts';
import { entryNotFound } from '../domain/missing.ts';
import { checkName } from '../domain/name.ts';
import type { Precondition } from '../domain/precondition.ts';
import { runSlice } from '../runtime/pacing.ts';
import { requireSource, requireTarget, toVisible } from './access.ts';
import type { Cabinet } from './cabinet.ts';
import { checkFree } from './free-space.ts';
import { byCaller } from './origin.ts';
import type { EntryView } from './show-entry.ts';

interface CopyRequest {
  id: string;
  /** Null, empty or `-root-` for the root. */
  parentFolderId: string | null;
  /** Null keeps the name. */
  name: string | null;
  conflict: ConflictBehavior;
  precondition: Precondition | null;
  /** An entry that has the name, and goes to the trash in the commit that attaches the copy. */
  replaced?: string | null;
  /** A folder is copied without what is in it. */
  isShallow?: boolean;
}

export async function copyEntry(cabinet: Cabinet, caller: Caller, request: CopyRequest): Promise<EntryView> {
  const { id, conflict, precondition } = request;
  const { catalog, clock } = cabinet;
  const access = await requireSource(cabinet, caller, id);
  const parent = toFolderIdIn(access, request.parentFolderId);
  await requireTarget(cabinet, caller, { access, parent });
  checkFree(cabinet, null);
  const name = request.name === null ? null : checkName(request.name, 'Name', cabinet.names);
  const { replaced = null, isShallow = false } = request;
  const source = { space: access.space, id, precondition, isShallow };
  const copy = { ...source, parent, name, conflict, replaced, ...byCaller(cabinet, caller) };
  const started = await catalog.beginCopy(copy);
  if (started === null) throw entryNotFound();
  if ('details' in started) return await toVisible(cabinet, access, started.details);
  const { top } = started;
  try {
    for (let stack = started.stack; stack.length > 0; ) {
      stack = await runSlice(() => catalog.continueCopy({ copy, top, stack, at: clock.now() }));
    }
    const copied = await catalog.finishCopy({ copy: { ...copy, at: clock.now() }, top });
    return await toVisible(cabinet, access, copied);
  } catch (error) {
    await catalog.abandonCopy({ top }).catch(() => undefined);
    cabinet.purger.nudge();
    throw error;
  }
}
