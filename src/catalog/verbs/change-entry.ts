// Changes the record of an entry: its name, folder, properties or object type. A tree moves with its top; the sizes of the
// old and new folders follow.

import type { ConflictBehavior } from '../../domain/entry.ts';
import { checkEntryPrecondition, type Precondition } from '../../domain/precondition.ts';
import { mergeProperties, type PropertyChanges, toSortedProperties } from '../../domain/properties.ts';
import { Refusal } from '../../domain/refusal.ts';
import { write } from '../declaration.ts';
import { note, type Origin, type Verb } from '../sql.ts';
import { type EntryRow, toEntry, toKind, toStoredProperties, updateRow } from './entries.ts';
import { checkLocks, dropLocks } from './lock-checks.ts';
import { settleName } from './naming.ts';
import {
  addToSizes,
  checkTreeLevel,
  type EntryDetails,
  findHolder,
  findVisible,
  type LocatedEntry,
  raiseHeights,
  requireFolder,
  toDetails,
} from './tree.ts';

export interface ChangeEntry extends Origin {
  space: number;
  id: string;
  /** Null, here and below: unchanged. */
  name: { name: string; nameKey: string } | null;
  parent: string | null;
  properties: PropertyChanges | null;
  objectType: string | null;
  /** Of the entry. */
  precondition?: Precondition | null;
  conflict: ConflictBehavior;
}

/** Null if there is no such entry. */
export const changeEntry = write(
  { space: ({ space }) => space, lock: 'exclusive', pages: 'all' },
  function* changeEntry(input: ChangeEntry): Verb<EntryDetails | null> {
    const { space, at, by } = input;
    const found = yield* findVisible(space, input.id);
    if (found === undefined) return null;
    const before = yield* toDetails(found);
    checkEntryPrecondition(input.precondition, before);
    const changed: EntryRow = { ...found, object_type: input.objectType ?? found.object_type };
    if (input.properties !== null) {
      changed.properties = toStoredProperties(mergeProperties(before.entry.properties, input.properties));
    }
    const to = yield* findPlace(input, found);
    if (to !== null) Object.assign(changed, yield* settlePlace(input, found, to));
    if (isSame(found, changed)) return before;
    yield* checkLocks(input, space, toAffected(found, to));
    if (to !== null) yield* dropLocks(space, found, at);
    changed.modified_at = Math.max(at, found.modified_at);
    changed.modified_by = by;
    if (to !== null && to.entry !== found.parent) yield* carryOver(found, to);
    // Moving has changed the sizes above; the size of the entry itself stays.
    yield* updateRow(found, changed);
    const from = found.above[0]?.id;
    yield* note(input, space, 'entry.changed', found.id, {
      kind: toKind(found.kind),
      ...(to !== null && { parent: to.id }),
      ...(from !== undefined && { from }),
      name: changed.name,
    });
    const above = to === null ? found.above : [to, ...to.above];
    return yield* toDetails({ ...changed, above });
  },
);

/** The target folder; null if neither name nor folder is to change. */
function* findPlace({ space, name, parent }: ChangeEntry, found: LocatedEntry): Verb<LocatedEntry | null> {
  if (name === null && parent === null) return null;
  const holder = yield* findHolder(found);
  if (holder === null) throw rootStays();
  if (parent === null || parent === holder.id) return holder;
  return yield* requireFolder(space, parent, 'ParentFolderId');
}

/** A rename takes a name away from the folder and adds another one. */
function toAffected(found: LocatedEntry, to: LocatedEntry | null) {
  return to === null ? { changed: [found] } : { leaving: found, folders: [to] };
}

export function checkIsNotRoot({ above }: LocatedEntry): void {
  if (above.length === 0) throw rootStays();
}

export function rootStays(): Refusal {
  return new Refusal('Forbidden', 'The root folder cannot be renamed, moved or deleted.');
}

function* settlePlace(input: ChangeEntry, found: LocatedEntry, to: LocatedEntry): Verb<Partial<EntryRow>> {
  const isMove = to.entry !== found.parent;
  if (isMove) {
    checkMove(found, to);
    yield* checkTreeLevel(to, input.space, found, 'ParentFolderId');
  }
  const { name, nameKey } = input.name ?? { name: found.name, nameKey: found.name_key };
  // An entry may keep its own name, also in another Unicode form.
  if (!isMove && nameKey === found.name_key) return { name, name_key: nameKey };
  const { kind } = toEntry(found);
  const wanted = {
    space: input.space,
    parent: to.entry,
    name,
    nameKey,
    kind,
    conflict: input.conflict,
    target: 'Name',
  };
  const naming = yield* settleName(wanted);
  if ('taken' in naming) throw new Error('a name was taken over');
  return { parent: to.entry, name: naming.free.name, name_key: naming.free.nameKey };
}

function checkMove(found: LocatedEntry, to: LocatedEntry): void {
  if (found.kind !== 0) return;
  if ([to, ...to.above].some(({ entry }) => entry === found.entry)) {
    throw new Refusal('InvalidMove', 'A folder cannot be moved into itself or beneath itself.', {
      target: 'ParentFolderId',
    });
  }
}

/** Updates sizes and heights when an entry moves to another folder. */
function* carryOver(found: LocatedEntry, to: LocatedEntry): Verb<void> {
  const from = yield* findHolder(found);
  if (from !== null) yield* addToSizes(from, -found.size);
  yield* addToSizes(to, found.size);
  if (found.kind === 0) yield* raiseHeights(to, found.height);
}

function isSame(a: EntryRow, b: EntryRow): boolean {
  const [before, after] = [toEntry(a), toEntry(b)];
  return (
    a.parent === b.parent &&
    a.name === b.name &&
    before.objectType === after.objectType &&
    JSON.stringify(toSortedProperties(before.properties)) === JSON.stringify(toSortedProperties(after.properties))
  );
}
