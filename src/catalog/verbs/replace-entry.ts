// Copies or moves an entry over another one. A file over a file is a new version of the other file, which keeps its id and its
// history: programs save by writing a temporary file and moving it over the old one. Anything else that is replaced goes to
// the trash, in the same commit.

import { entryNotFound } from '../../domain/missing.ts';
import { checkEntryPrecondition } from '../../domain/precondition.ts';
import { write } from '../declaration.ts';
import { note, type Verb } from '../sql.ts';
import { type ChangeEntry, changeEntry } from './change-entry.ts';
import { replaceDeadProperties } from './dead-properties.ts';
import { updateRow } from './entries.ts';
import { checkLocks, dropLocks } from './lock-checks.ts';
import { remove } from './removal.ts';
import { trashEntry } from './trash.ts';
import { addToSizes, type EntryDetails, findHolder, findVisible, type LocatedEntry, toDetails } from './tree.ts';
import { addUsage, checkQuota } from './usage.ts';
import { dropOldVersions, insertVersion, requireVersion, supersede } from './versions.ts';

export interface MoveOver extends ChangeEntry {
  /** The id of the entry that is replaced. */
  replaced: string;
}

/** Null if there is no such entry. */
export const moveOver = write(
  { space: ({ space }) => space, lock: 'exclusive', pages: 'all' },
  function* moveOver({ replaced, ...input }: MoveOver): Verb<EntryDetails | null> {
    if ((yield* findVisible(input.space, input.id)) === undefined) return null;
    yield* trashEntry({ ...input, id: replaced, precondition: null });
    const moved = yield* changeEntry(input);
    // It was in what was replaced. Thrown, so that nothing is.
    if (moved === null) throw entryNotFound();
    return moved;
  },
);

export interface ReplaceFile extends Omit<ChangeEntry, 'name' | 'parent' | 'properties' | 'objectType' | 'conflict'> {
  /** The id of the file that gets the new version. */
  replaced: string;
  isMove: boolean;
  keptVersions: number | null;
}

/** Null if one of the files is gone. */
export const replaceFile = write(
  { space: ({ space }) => space, lock: 'exclusive', pages: 'all' },
  function* replaceFile(input: ReplaceFile): Verb<{ details: EntryDetails; freedBlobs: string[] } | null> {
    const { space, precondition } = input;
    const source = yield* findVisible(space, input.id);
    const target = yield* findVisible(space, input.replaced);
    if (source?.kind !== 1 || target?.kind !== 1) return null;
    if (precondition) checkEntryPrecondition(precondition, yield* toDetails(source));
    yield* checkLocks(input, space, { changed: [target], ...(input.isMove && { leaving: source }) });
    yield* replaceDeadProperties(source.entry, target.entry);
    const freedBlobs = yield* addVersion(input, source, target);
    if (input.isMove) yield* discardSource(input, source);
    const now = yield* findVisible(space, target.id);
    return now === undefined ? null : { details: yield* toDetails(now), freedBlobs };
  },
);

function* addVersion(input: ReplaceFile, source: LocatedEntry, target: LocatedEntry): Verb<string[]> {
  const { space, at, by } = input;
  const version = yield* requireVersion(source, source.version);
  const current = yield* requireVersion(target, target.version);
  const isSame = Buffer.compare(version.sha256, current.sha256) === 0 && source.content_type === target.content_type;
  if (isSame) return [];
  const added = { entries: 0, bytes: version.size };
  // The bytes of a source that is removed are counted already.
  const isCounted = input.isMove && source.version === 1 && version.created_by === by;
  if (!isCounted) yield* checkQuota(space, by, added);
  const replaced = {
    ...target,
    version: target.version + 1,
    size: version.size,
    content_type: version.content_type,
    modified_at: Math.max(at, target.modified_at),
    modified_by: by,
  };
  yield* updateRow(target, replaced);
  yield* insertVersion({
    ...version,
    entry: target.entry,
    version: replaced.version,
    created_at: replaced.modified_at,
    created_by: by,
    comment: null,
  });
  yield* supersede(replaced, at);
  yield* addUsage(space, by, added);
  const folder = yield* findHolder(target);
  if (folder !== null) yield* addToSizes(folder, version.size - target.size);
  const details = { parent: folder?.id, name: target.name, version: replaced.version, size: replaced.size };
  yield* note(input, space, 'file.saved', target.id, details);
  return yield* dropOldVersions(input, replaced);
}

/** A source with one version lives on as the new version of the other file. One with more goes to the trash, with its history. */
function* discardSource(input: ReplaceFile, source: LocatedEntry): Verb<void> {
  const { space } = input;
  yield* dropLocks(space, source, input.at);
  if (source.version > 1) yield* trashEntry({ ...input, id: source.id, precondition: null });
  else yield* remove({ reason: 'entry-removed', origin: input, space, tree: source });
}
