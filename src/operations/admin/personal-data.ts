// Exports what is stored about a person, and erases it. Content belongs to its space and is neither exported nor erased.

import type { Value } from '../../catalog/statement.ts';
import type { JournalRow } from '../../catalog/verbs/journal.ts';
import type { User } from '../../catalog/verbs/people.ts';
import type { PersonalRow } from '../../catalog/verbs/personal-data.ts';
import { Refusal } from '../../domain/refusal.ts';
import { yieldToOthers } from '../../runtime/pacing.ts';
import type { Cabinet } from '../cabinet.ts';
import { byOperator } from '../origin.ts';
import { toUserId } from './people.ts';

const sliceRows = 500;

export interface PersonalAccount {
  id: string;
  /** Null: a person of an outside issuer without a role. */
  user: User | null;
  recoveryCodes: number;
  /** An erasure was interrupted: the sweep or the same command removes what is left. */
  isBeingErased: boolean;
}

export type PersonalPart =
  | { account: PersonalAccount }
  /** The next rows of a section; sections come one after the other, each at least once. */
  | { section: string; rows: PersonalRow[] }
  | { journal: JournalRow[] };

/** A part at a time, so that a large journal does not fill the memory. Works for erased people too: it shows what stayed. */
export async function* exportPerson(cabinet: Cabinet, name: string): AsyncGenerator<PersonalPart> {
  const id = toUserId(name);
  const { catalog } = cabinet;
  const user = await catalog.findUser({ id });
  if (user === null && !(id.includes(':') && (await catalog.hasPersonalRows({ id })))) throw unknown(id);
  const { recoveryCodes } = await catalog.findSecondFactors({ user: id });
  const isBeingErased = user !== null && user.erasedAt !== null && (await catalog.hasRowsToErase({ id }));
  yield { account: { id, user, recoveryCodes, isBeingErased } };
  for (const section of await catalog.listPersonalSections({})) {
    let after: readonly Value[] | null = null;
    do {
      const slice: { rows: PersonalRow[]; next: readonly Value[] | null } = await catalog.listPersonalRows({
        id,
        section,
        after,
      });
      yield { section, rows: slice.rows };
      after = slice.next;
    } while (after !== null);
  }
  yield* exportJournal(cabinet, id);
}

function unknown(id: string): Refusal {
  return new Refusal('UserNotFound', `There is no user ${JSON.stringify(id)}.`);
}

/** The rows that name the person, oldest first: of the archive files, then of the table. */
async function* exportJournal({ catalog, journalFiles }: Cabinet, id: string): AsyncGenerator<PersonalPart> {
  yield { journal: [] };
  let from = 1;
  for (;;) {
    const next = from;
    const range = (await journalFiles.list()).find(({ last }) => last >= next);
    const [first] = await catalog.listJournal({ from, to: Number.MAX_SAFE_INTEGER, limit: 1 });
    // Rows that are archived meanwhile are in a file before they leave the table.
    if (range !== undefined && (first === undefined || first.position >= range.first)) {
      const archived = (await journalFiles.read(range)).filter(({ position }) => position >= next);
      for (let at = 0; at < archived.length; at += sliceRows) {
        yield { journal: archived.slice(at, at + sliceRows).filter((row) => isAbout(row, id)) };
        await yieldToOthers();
      }
      from = range.last + 1;
      continue;
    }
    if (first === undefined) return;
    const to = range === undefined ? Number.MAX_SAFE_INTEGER : range.first - 1;
    const slice = await catalog.listJournal({ from, to, limit: sliceRows });
    yield { journal: slice.filter((row) => isAbout(row, id)) };
    from = (slice.at(-1)?.position ?? to) + 1;
    await yieldToOthers();
  }
}

/** Actions with the id of a person where those of entries have the id of an entry. Groups can be called like a person. */
const ofPeople = /^(user|sign-in|device|session|sessions|consent|app-password|second-factor|quota)\./;

function isAbout({ by, entry, action, details }: JournalRow, id: string): boolean {
  if (by === id || (entry === id && ofPeople.test(action))) return true;
  if (!details.includes(JSON.stringify(id).slice(1, -1))) return false;
  const { member, principal } = JSON.parse(details) as { member?: unknown; principal?: unknown };
  return member === id || principal === `user:${id}`;
}

export interface Erasure {
  id: string;
  /** False: the account was erased before; what was left is removed now. */
  isNew: boolean;
}

/** May be repeated: it then finishes what was interrupted. */
export async function erasePerson(cabinet: Cabinet, name: string): Promise<Erasure> {
  const { catalog } = cabinet;
  const id = toUserId(name);
  const isNew = await catalog.erasePerson({ id, ...byOperator(cabinet) });
  while ((await catalog.eraseRows({ id })) > 0) await yieldToOthers();
  return { id, isNew };
}
