// The lists of a person: starred entries, and those opened or saved last. They show only what the person may see now.

import type { ListedEntry, ListPersonal, PersonalCursor } from '../catalog/verbs/starred.ts';
import type { EntryDetails } from '../catalog/verbs/tree.ts';
import type { Caller } from '../domain/caller.ts';
import { entryNotFound } from '../domain/missing.ts';
import { authorize } from '../domain/permission.ts';
import { Refusal } from '../domain/refusal.ts';
import { requireAccess } from './access.ts';
import type { Cabinet } from './cabinet.ts';
import { admitSelf, requirePerson } from './me.ts';
import { showEntry } from './show-entry.ts';

export interface PersonalPage {
  entries: { details: EntryDetails; at: number }[];
  next: PersonalCursor | null;
}

type ListRequest = Omit<ListPersonal, 'user'>;

/** The newest first. A page can have fewer entries than its limit: what the person no longer sees is left out. */
export async function listPersonal(cabinet: Cabinet, caller: Caller, request: ListRequest): Promise<PersonalPage> {
  authorize(caller, 'read');
  const user = requirePerson(caller);
  const { limit } = request;
  const found = await cabinet.catalog.listPersonal({ ...request, user, limit: limit + 1 });
  const listed = found.slice(0, limit);
  const shown = await Promise.all(listed.map((one) => show(cabinet, caller, one)));
  const last = found.length > limit ? listed.at(-1) : undefined;
  return {
    entries: shown.filter((one) => one !== null),
    next: last === undefined ? null : [last.at, last.id],
  };
}

async function show(
  cabinet: Cabinet,
  caller: Caller,
  { id, at }: ListedEntry,
): Promise<PersonalPage['entries'][0] | null> {
  try {
    return { details: await showEntry(cabinet, { ...caller, spaceId: null }, { id }), at };
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

export async function starEntry(cabinet: Cabinet, caller: Caller, id: string): Promise<void> {
  const user = admitSelf(caller);
  const { space } = await requireAccess(cabinet, caller, { action: 'read', id, missing: entryNotFound });
  if ((await cabinet.catalog.findEntry({ space, id })) === null) throw entryNotFound();
  await cabinet.catalog.starEntry({ user, space, id, at: cabinet.clock.now() });
}

/** A star of an entry that is in the trash, or no longer visible, can be removed too. An entry without one is no error. */
export async function unstarEntry(cabinet: Cabinet, caller: Caller, id: string): Promise<void> {
  if (!(await cabinet.catalog.unstarEntry({ user: admitSelf(caller), id }))) await showEntry(cabinet, caller, { id });
}
