// The verb that creates a folder.

import type { ConflictBehavior, Entry, EntryTimes } from '../domain/entry.ts';
import { insertRow, type NewEntry, toEntry, toNewFolder, toStoredProperties } from './entries.ts';
import { type Idempotency, recall, remember } from './idempotency.ts';
import { settleName } from './naming.ts';
import { append, type Verb } from './sql.ts';
import { checkLevel, raiseHeights, requireFolder } from './tree.ts';
import { addUsage, checkQuota } from './usage.ts';

export interface CreateFolder {
  space: number;
  parent: string;
  id: string;
  name: string;
  nameKey: string;
  objectType: string | null;
  properties: Record<string, string> | null;
  conflict: ConflictBehavior;
  /** For what comes from elsewhere; otherwise the time of creating. */
  times?: EntryTimes;
  by: string;
  at: number;
  request: string;
  idempotency: Idempotency | null;
}

export interface CreatedFolder {
  folder: Entry;
  isExisting: boolean;
  isReplayed: boolean;
  /** The place of the change in the journal; null when nothing changed. */
  position: number | null;
}

export function* createFolder(asked: CreateFolder): Verb<CreatedFolder> {
  const earlier = yield* recall<CreatedFolder>(asked.idempotency, asked.at);
  if (earlier !== null) return { ...earlier, isReplayed: true };
  const created = yield* create(asked);
  yield* remember(asked.idempotency, asked.at, created);
  return created;
}

const oneEntry = { entries: 1, bytes: 0 };

function* create(asked: CreateFolder): Verb<CreatedFolder> {
  const { space, name, nameKey, conflict, at, by } = asked;
  const parent = yield* requireFolder(space, asked.parent, 'ParentFolderId');
  const wanted = {
    space,
    parent: parent.entry,
    name,
    nameKey,
    conflict,
    kind: 'folder',
    target: 'FolderName',
  } as const;
  const naming = yield* settleName(wanted);
  if ('taken' in naming) return { folder: toEntry(naming.taken), isExisting: true, isReplayed: false, position: null };
  checkLevel(parent, 'ParentFolderId');
  yield* checkQuota(space, by, oneEntry);
  const folder: NewEntry = {
    ...toNewFolder({ id: asked.id, parent: parent.entry, ...naming.free, at, by }),
    object_type: asked.objectType,
    properties: toStoredProperties(asked.properties),
    created_at: asked.times?.createdAt ?? at,
    modified_at: asked.times?.modifiedAt ?? at,
  };
  yield* insertRow(space, folder);
  yield* raiseHeights(parent, 0);
  yield* addUsage(space, by, oneEntry);
  const details = JSON.stringify({ parent: parent.id, name: folder.name });
  const position = yield* append({
    at,
    space,
    by,
    action: 'folder.created',
    entry: folder.id,
    request: asked.request,
    details,
  });
  return { folder: toEntry(folder), isExisting: false, isReplayed: false, position };
}
