// Does the same to many entries: moves, copies, trashes, restores or deletes them. Each by itself, as if it were requested alone: one
// that is refused leaves the others.

import { type Caller, toFolderId } from '../domain/caller.ts';
import type { ConflictBehavior, Entry } from '../domain/entry.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Cabinet } from './cabinet.ts';
import { changeEntry } from './change-entry.ts';
import { copyEntry } from './copy-entry.ts';
import type { EntryView } from './show-entry.ts';
import { deleteEntry, restoreEntry } from './trash.ts';

export const entryActions = ['move', 'copy', 'trash', 'restore', 'delete'] as const;
export type EntryAction = (typeof entryActions)[number];

export const maxEntriesAtOnce = 5000;
/** Changes that run at the same time share commits. */
const changesAtOnce = 32;
/** Of large trees a copy takes long, and the blocks of other requests wait for it. */
const copiesAtOnce = 2;

export interface EntryBatch {
  action: EntryAction;
  entryIds: readonly string[];
  /** Where to. Null: the root for copies, and the folder where it was for what is restored. */
  parentFolderId: string | null;
  conflict: ConflictBehavior;
}

/** What became of one entry. */
export interface EntryOutcome {
  id: string;
  result: Entry | Refusal;
}

interface BatchRun {
  /** The caller as of now. */
  renewCaller(): Promise<Caller>;
  onProgress?(done: number): void;
}

/** The outcomes are in the order of the ids. A fault, unlike a refusal, ends the whole: what was done until then stays. */
export async function changeEntries(cabinet: Cabinet, batch: EntryBatch, run: BatchRun): Promise<EntryOutcome[]> {
  checkBatch(batch);
  const { entryIds: ids, action } = batch;
  const outcomes: EntryOutcome[] = [];
  let next = 0;
  let done = 0;
  let isBroken = false;
  const work = async () => {
    while (next < ids.length && !isBroken) {
      const index = next++;
      const id = ids[index] as string;
      outcomes[index] = { id, result: await changeOne(cabinet, batch, id, run) };
      done += 1;
      run.onProgress?.(done);
    }
  };
  const lanes = Math.min(ids.length, action === 'copy' ? copiesAtOnce : changesAtOnce);
  const ended = await Promise.allSettled(
    Array.from({ length: lanes }, () =>
      work().catch((error) => {
        isBroken = true;
        throw error;
      }),
    ),
  );
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
  return outcomes;
}

/** Where an entry is moved to must be said: nobody means the root by saying nothing. */
export function checkBatch({ action, parentFolderId }: EntryBatch): void {
  if (action === 'move' && parentFolderId === null) {
    throw new Refusal('InvalidField', 'ParentFolderId is missing.', {
      target: 'ParentFolderId',
      hint: 'Send the id of the folder to move the entries to; -root- is the root folder.',
    });
  }
}

async function changeOne(
  cabinet: Cabinet,
  batch: EntryBatch,
  id: string,
  { renewCaller }: BatchRun,
): Promise<Entry | Refusal> {
  try {
    const caller = await renewCaller();
    return (await apply(cabinet, caller, batch, toFolderId(caller, id))).entry;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

function apply(
  cabinet: Cabinet,
  caller: Caller,
  { action, parentFolderId, conflict }: EntryBatch,
  id: string,
): Promise<EntryView> {
  const change = { id, parentFolderId, name: null, conflict, precondition: null };
  if (action === 'move') return changeEntry(cabinet, caller, { ...change, properties: null, objectType: null });
  if (action === 'copy') return copyEntry(cabinet, caller, change);
  if (action === 'restore') return restoreEntry(cabinet, caller, change);
  return deleteEntry(cabinet, caller, { id, isPermanent: action === 'delete', precondition: null });
}
