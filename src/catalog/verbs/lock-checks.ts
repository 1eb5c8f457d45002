// Whether locks stand in the way of a write. Every verb that changes entries asks here, in its own transaction, so that a lock
// binds every node and every protocol. In a space without locks this costs one lookup.

import { Refusal } from '../../domain/refusal.ts';
import { execute, type Origin, row, rows, type Verb } from '../sql.ts';
import { join, sql } from '../statement.ts';
import { requireRow } from './entries.ts';
import { type LocatedEntry, locate, pathOf } from './tree.ts';
import { isFormerWriter } from './writers.ts';

export interface LockRow {
  token: string;
  space: number;
  entry: number;
  is_deep: number;
  is_exclusive: number;
  owner: string | null;
  owner_text: string | null;
  taken_by: string;
  is_new: number;
  expires_at: number;
}

export const lockColumns = sql`token, space, entry, is_deep, is_exclusive, owner, owner_text, taken_by, is_new, expires_at`;

type Holder = Pick<Origin, 'at' | 'by' | 'lockTokens'>;

interface Affected {
  /** Entries whose record or content changes. */
  changed?: readonly LocatedEntry[];
  /** Folders that get a member. */
  folders?: readonly LocatedEntry[];
  /** The top of a tree that leaves its place. */
  leaving?: LocatedEntry;
}

/** Expired locks do not count, whether or not something has removed them. */
export function* hasLocks(space: number, at: number): Verb<boolean> {
  const found = yield* row(sql`SELECT token FROM locks WHERE space = ${space} AND expires_at > ${at} LIMIT 1`);
  return found !== undefined;
}

/** Refuses unless the caller holds a lock wherever there is one, and has sent its token. */
export function* checkLocks(holder: Holder, space: number, affected: Affected): Verb<void> {
  if (!(yield* hasLocks(space, holder.at))) return;
  const { changed = [], folders = [], leaving } = affected;
  const singles = [...changed, ...folders, ...(leaving === undefined ? [] : [leaving, ...holderOf(leaving)])];
  for (const single of singles) yield* checkHeld(holder, yield* findCovering(single, holder.at));
  if (leaving === undefined) return;
  const byEntry = Map.groupBy(yield* findBeneath(space, leaving, holder.at), ({ entry }) => entry);
  for (const locks of byEntry.values()) yield* checkHeld(holder, locks);
}

/** The folder that loses a member. */
function holderOf({ above }: LocatedEntry): Pick<LocatedEntry, 'entry' | 'above'>[] {
  const [folder, ...rest] = above;
  return folder === undefined ? [] : [{ entry: folder.entry, above: rest }];
}

/** Of several shared locks, one is enough; beside an exclusive one there is no other. */
function* checkHeld({ by, lockTokens = [] }: Holder, locks: readonly LockRow[]): Verb<void> {
  const [first] = locks;
  if (first === undefined || locks.some((lock) => lock.taken_by === by && lockTokens.includes(lock.token))) return;
  throw yield* locked(first);
}

export function* locked({ entry, taken_by, owner_text }: LockRow): Verb<Refusal> {
  const owner = owner_text === null || owner_text === '' ? '' : ` (${owner_text})`;
  const on = yield* locate(yield* requireRow(entry));
  return new Refusal('Locked', `It is locked by ${taken_by}${owner}.`, {
    target: 'If',
    hint: 'Wait until the lock ends. Its holder sends the token: If: (<token>).',
    locked: { path: pathOf(on), isFolder: on.kind === 0 },
  });
}

/** The locks on an entry, and those from above that cover it. */
export function* findCovering({ entry, above }: Pick<LocatedEntry, 'entry' | 'above'>, at: number): Verb<LockRow[]> {
  const path = join(
    [entry, ...above.map((folder) => folder.entry)].map((one) => sql`${one}`),
    ', ',
  );
  const found = yield* rows<LockRow>(
    sql`SELECT ${lockColumns} FROM locks WHERE entry IN (${path}) AND expires_at > ${at} ORDER BY token`,
  );
  return yield* withoutFormer(found.filter((lock) => lock.entry === entry || lock.is_deep === 1));
}

/** A lock counts only while its holder may change what is locked: nobody who was shut out shuts out others. */
export function* withoutFormer(locks: readonly LockRow[]): Verb<LockRow[]> {
  const inForce: LockRow[] = [];
  for (const lock of locks) {
    const { id } = yield* requireRow(lock.entry);
    if (!(yield* isFormerWriter(lock.taken_by, { space: lock.space, id }))) inForce.push(lock);
  }
  return inForce;
}

/** Locks on entries beneath, without its own. */
export function* findBeneath(space: number, top: Pick<LocatedEntry, 'entry'>, at: number): Verb<LockRow[]> {
  return yield* withoutFormer(yield* listBeneath(space, top, at));
}

function* listBeneath(space: number, top: Pick<LocatedEntry, 'entry'>, at: number): Verb<LockRow[]> {
  return yield* rows<LockRow>(sql`WITH RECURSIVE up (token, entry) AS (
       SELECT locks.token, entries.parent FROM locks JOIN entries ON entries.entry = locks.entry
       WHERE locks.space = ${space} AND locks.expires_at > ${at}
       UNION ALL
       SELECT up.token, entries.parent FROM up JOIN entries ON entries.entry = up.entry WHERE entries.parent IS NOT NULL
     )
     SELECT ${lockColumns} FROM locks WHERE token IN (SELECT token FROM up WHERE entry = ${top.entry}) ORDER BY token`);
}

/** Locks stay where they were taken: they do not follow a tree that leaves its place (RFC 4918, section 7.7). */
export function* dropLocks(space: number, top: Pick<LocatedEntry, 'entry'>, at: number): Verb<void> {
  if (!(yield* hasLocks(space, at))) return;
  yield* execute(sql`DELETE FROM locks WHERE entry = ${top.entry}`);
  for (const { token } of yield* listBeneath(space, top, at)) {
    yield* execute(sql`DELETE FROM locks WHERE token = ${token}`);
  }
}
