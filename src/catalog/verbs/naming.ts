// Resolves name conflicts: the same for folders and files, everywhere.

import type { ConflictBehavior, Kind } from '../../domain/entry.ts';
import { toNameKey, toRenamed } from '../../domain/name.ts';
import { Refusal } from '../../domain/refusal.ts';
import type { Verb } from '../sql.ts';
import { type EntryRow, findRowByName, toEntry } from './entries.ts';

export function nameAlreadyExists(taken: EntryRow, target: string): Refusal {
  const hint =
    taken.kind === 0 && (target === 'FolderName' || target === 'RelativePath')
      ? 'Send ConflictBehavior: Existing to get the existing folder, or Rename to get another name.'
      : 'Choose another name, or send ConflictBehavior: Rename.';
  const what = taken.kind === 0 ? 'folder' : 'file';
  return new Refusal('NameAlreadyExists', `A ${what} named ${JSON.stringify(taken.name)} already exists here.`, {
    target,
    hint,
    conflicts: [toEntry(taken)],
  });
}

export interface FreeName {
  name: string;
  nameKey: string;
}

/** `Name (2)`, `Name (3)`, … The number of lookups grows with the logarithm of how many are taken. */
export function* findFreeName(space: number, parent: number, name: string, kind: Kind): Verb<FreeName> {
  let taken = 1;
  let free = 2;
  while (yield* isTaken(space, parent, toRenamed(name, free, kind))) {
    taken = free;
    free = free < 8 ? free + 1 : free * 2;
  }
  while (free - taken > 1) {
    const middle = (taken + free) >>> 1;
    if (yield* isTaken(space, parent, toRenamed(name, middle, kind))) taken = middle;
    else free = middle;
  }
  const renamed = toRenamed(name, free, kind);
  return { name: renamed, nameKey: toNameKey(renamed) };
}

function* isTaken(space: number, parent: number, name: string): Verb<boolean> {
  return (yield* findRowByName(space, parent, toNameKey(name))) !== undefined;
}

/** The claim of a verb that wants this name in this folder. */
export function toNameClaim(space: number, folder: string, nameKey: string): string {
  return `${space} name ${folder} ${nameKey}`;
}

/** The result: a free name, or the entry that keeps the name. */
export type Naming = { free: FreeName } | { taken: EntryRow };

export interface NameRequest {
  space: number;
  parent: number;
  name: string;
  nameKey: string;
  kind: Kind;
  conflict: ConflictBehavior;
  target: string;
}

export function* settleName(wanted: NameRequest): Verb<Naming> {
  const { space, parent, name, nameKey, kind, conflict, target } = wanted;
  const taken = yield* findRowByName(space, parent, nameKey);
  if (taken === undefined) return { free: { name, nameKey } };
  if (conflict === 'Rename') return { free: yield* findFreeName(space, parent, name, kind) };
  const isSameKind = (taken.kind === 0) === (kind === 'folder');
  if (conflict === 'Fail' || !isSameKind) throw nameAlreadyExists(taken, target);
  return { taken };
}
