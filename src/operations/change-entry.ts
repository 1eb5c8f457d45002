// Changes an entry's record: renames it, moves it with all beneath it, changes its properties or its object type.

import { type Caller, toFolderIdIn } from '../domain/caller.ts';
import type { ConflictBehavior } from '../domain/entry.ts';
import { entryNotFound } from '../domain/missing.ts';
import { checkName, toNameKey } from '../domain/name.ts';
import type { Precondition } from '../domain/precondition.ts';
import type { PropertyChanges } from '../domain/properties.ts';
import { requireAccess } from './access.ts';
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
  const name = request.name === null ? null : checkName(request.name, 'Name', cabinet.names);
  const changed = await cabinet.catalog.changeEntry({
    space: access.space,
    id,
    name: name === null ? null : { name, nameKey: toNameKey(name) },
    parent: parentFolderId === null ? null : toFolderIdIn(access, parentFolderId),
    properties,
    objectType,
    precondition,
    conflict,
    ...byCaller(cabinet, caller),
  });
  if (changed === null) throw entryNotFound();
  return changed;
}
