// Changes an entry's record: renames it, moves it with all beneath it, changes its properties or its object type.

import { type Caller, type SpaceAccess, toFolderIdIn } from '../domain/caller.ts';
import type { ConflictBehavior } from '../domain/entry.ts';
import { entryNotFound } from '../domain/missing.ts';
import { checkName, toNameKey } from '../domain/name.ts';
import type { Precondition } from '../domain/precondition.ts';
import type { PropertyChanges } from '../domain/properties.ts';
import { Refusal } from '../domain/refusal.ts';
import { requireAccess, requireMove, toVisible } from './access.ts';
import type { Cabinet } from './cabinet.ts';
import { byCaller } from './origin.ts';
import type { EntryView } from './show-entry.ts';

interface ChangeRequest {
  id: string;
  /** Null, here and below: unchanged. */
  name: string | null;
  parentFolderId: string | null;
  properties: PropertyChanges | null;
  objectType: string | null;
  precondition: Precondition | null;
  conflict: ConflictBehavior;
}

export async function changeEntry(cabinet: Cabinet, caller: Caller, request: ChangeRequest): Promise<EntryView> {
  const { id, properties, objectType, precondition, conflict, parentFolderId } = request;
  const access = await requireAccess(cabinet, caller, { action: 'write', id, missing: entryNotFound });
  const parent = parentFolderId === null ? null : toFolderIdIn(access, parentFolderId);
  if (parent !== null) await requireMove(cabinet, caller, { access, id, parent });
  const name = request.name === null ? null : checkName(request.name, 'Name', cabinet.names);
  const change = {
    space: access.space,
    id,
    name: name === null ? null : { name, nameKey: toNameKey(name) },
    parent,
    properties,
    objectType,
    precondition,
    conflict,
    ...byCaller(cabinet, caller),
  };
  const changed = await cabinet.catalog.changeEntry(change).catch((error) => hideSiblings(access, error));
  if (changed === null) throw entryNotFound();
  return await toVisible(cabinet, access, changed);
}

/** Whoever does not see the folder learns that a name is taken there, not by what. */
function hideSiblings({ view }: SpaceAccess, error: unknown): never {
  const isHidden = view !== undefined && view.parentRole === null && error instanceof Refusal;
  if (!isHidden || error.details.conflicts === undefined) throw error;
  const { conflicts: _, ...details } = error.details;
  throw new Refusal(error.code, error.message, details);
}
