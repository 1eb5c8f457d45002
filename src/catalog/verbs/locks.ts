// Locks of WebDAV (RFC 4918, section 6): taking, refreshing, releasing and finding them. They are rows of the catalog, so that they
// hold on every node and survive restarts. An expired lock is none; its row is removed when somebody takes another one.

import { entryNotFound } from '../../domain/missing.ts';
import { Refusal } from '../../domain/refusal.ts';
import { read, write } from '../declaration.ts';
import { execute, insert, note, type Origin, row, rows, type Verb } from '../sql.ts';
import { insertInto, sql } from '../statement.ts';
import { requireRow, toKind } from './entries.ts';
import {
  checkLocks,
  findBeneath,
  findCovering,
  hasLocks,
  type LockRow,
  lockColumns,
  locked,
  withoutFormer,
} from './lock-checks.ts';
import { type SaveFile, saveFile } from './save-file.ts';
import type { StoredContent } from './stored-content.ts';
import { findVisible, type LocatedEntry, locate, pathOf } from './tree.ts';

const intoLocks = insertInto(
  'locks',
  'token space entry is_deep is_exclusive owner owner_text taken_by is_new taken_at expires_at',
);

/** Active locks of one space: each costs a lookup when a tree is moved. */
const maxPerSpace = 10_000;

export interface Lock {
  token: string;
  /** The id and the path of the entry that it was taken on. */
  entryId: string;
  path: string;
  isFolder: boolean;
  isDeep: boolean;
  isExclusive: boolean;
  /** The element `DAV:owner` as XML. */
  owner: string | null;
  /** The text in it. */
  ownerText: string | null;
  takenBy: string;
  expiresAt: number;
}

function* toLock(found: LockRow): Verb<Lock> {
  const on = yield* locate(yield* requireRow(found.entry));
  return {
    token: found.token,
    entryId: on.id,
    path: pathOf(on),
    isFolder: on.kind === 0,
    isDeep: found.is_deep === 1,
    isExclusive: found.is_exclusive === 1,
    owner: found.owner,
    ownerText: found.owner_text,
    takenBy: found.taken_by,
    expiresAt: found.expires_at,
  };
}

function* toLocks(found: readonly LockRow[]): Verb<Lock[]> {
  const locks: Lock[] = [];
  for (const one of found) locks.push(yield* toLock(one));
  return locks;
}

export interface TakeLock extends Origin {
  space: number;
  /** The entry, or the empty file to make for the lock. */
  on: { id: string } | { file: Omit<SaveFile, 'content'> };
  /** The empty content of that file. */
  content?: StoredContent;
  token: string;
  isDeep: boolean;
  isExclusive: boolean;
  owner: string | null;
  ownerText: string | null;
  expiresAt: number;
}

export const takeLock = write(
  { space: ({ space }) => space, lock: 'exclusive', pages: 'all', newRows: () => 2 },
  function* takeLock(input: TakeLock): Verb<Lock> {
    const { space, at, by, on } = input;
    const id = 'file' in on ? yield* saveEmpty(on.file, input.content) : on.id;
    const entry = yield* findVisible(space, id);
    if (entry === undefined) throw entryNotFound();
    yield* execute(sql`DELETE FROM locks WHERE space = ${space} AND expires_at <= ${at}`);
    yield* checkConflict(input, entry);
    const isDeep = input.isDeep && entry.kind === 0;
    const lock = { token: input.token, is_deep: isDeep ? 1 : 0, is_exclusive: input.isExclusive ? 1 : 0 };
    const { owner, ownerText, expiresAt } = input;
    const isNew = 'file' in on ? 1 : 0;
    const row = { ...lock, space, entry: entry.entry, owner, owner_text: ownerText, taken_by: by, is_new: isNew };
    yield* insert(intoLocks, [
      row.token,
      space,
      row.entry,
      row.is_deep,
      row.is_exclusive,
      owner,
      ownerText,
      by,
      isNew,
      at,
      expiresAt,
    ]);
    yield* note(input, space, 'entry.locked', entry.id, {
      kind: toKind(entry.kind),
      depth: isDeep ? 'infinity' : '0',
      expiresAt,
    });
    return yield* toLock({ ...row, expires_at: expiresAt });
  },
);

function* saveEmpty(file: Omit<SaveFile, 'content'>, content: StoredContent | undefined): Verb<string> {
  if (content === undefined) throw new Error('the content of an empty file is missing');
  return (yield* saveFile({ ...file, content })).file.id;
}

/** RFC 4918, section 6.1: an exclusive lock goes with no other, shared ones go with each other. */
function* checkConflict({ space, at, isDeep, isExclusive }: TakeLock, entry: LocatedEntry): Verb<void> {
  if (!(yield* hasLocks(space, at))) return;
  const covering = yield* findCovering(entry, at);
  const beneath = isDeep ? yield* findBeneath(space, entry, at) : [];
  const conflict = [...covering, ...beneath].find((lock) => isExclusive || lock.is_exclusive === 1);
  if (conflict !== undefined) throw yield* locked(conflict);
  const all = yield* row<{ count: number }>(sql`SELECT count(*) AS count FROM locks WHERE space = ${space}`);
  if (Number(all?.count) >= maxPerSpace) {
    throw new Refusal('QuotaExceeded', `A space has at most ${maxPerSpace} locks at a time.`);
  }
}

export interface RefreshLocks extends Origin {
  space: number;
  id: string;
  expiresAt: number;
}

/** Those that cover the entry, and whose tokens the holder has sent. */
export const refreshLocks = write(
  { space: ({ space }) => space, lock: 'exclusive', pages: 'unchanged', isAnnounced: false },
  function* refreshLocks({ space, id, at, by, lockTokens = [], expiresAt }: RefreshLocks): Verb<Lock[]> {
    const entry = yield* findVisible(space, id);
    if (entry === undefined) throw entryNotFound();
    const found = (yield* findCovering(entry, at)).filter(
      (lock) => lock.taken_by === by && lockTokens.includes(lock.token),
    );
    for (const { token } of found)
      yield* execute(sql`UPDATE locks SET expires_at = ${expiresAt} WHERE token = ${token}`);
    return yield* toLocks(found.map((lock) => ({ ...lock, expires_at: expiresAt })));
  },
);

export interface ReleaseLock extends Origin {
  space: number;
  id: string;
  token: string;
}

/** False: the entry has no such lock. */
export const releaseLock = write(
  { space: ({ space }) => space, lock: 'exclusive', pages: 'unchanged' },
  function* releaseLock(input: ReleaseLock): Verb<boolean> {
    const { space, id, token, at, by } = input;
    const entry = yield* findVisible(space, id);
    if (entry === undefined) throw entryNotFound();
    const lock = (yield* findCovering(entry, at)).find((one) => one.token === token);
    if (lock === undefined) return false;
    if (lock.taken_by !== by) {
      throw new Refusal('Forbidden', `The lock belongs to ${lock.taken_by}, and nobody else can release it.`);
    }
    yield* execute(sql`DELETE FROM locks WHERE token = ${token}`);
    const { id: locked, kind } = yield* requireRow(lock.entry);
    yield* note(input, space, 'entry.unlocked', locked, { kind: toKind(kind) });
    return true;
  },
);

export interface FindLocks {
  space: number;
  id: string;
  at: number;
}

/** Those that cover the entry. */
export const findLocks = read({}, function* findLocks({ space, id, at }: FindLocks): Verb<Lock[]> {
  if (!(yield* hasLocks(space, at))) return [];
  const entry = yield* findVisible(space, id);
  return entry === undefined ? [] : yield* toLocks(yield* findCovering(entry, at));
});

/** Those on the entries directly in a folder. */
export const findLocksIn = read({}, function* findLocksIn({ space, id, at }: FindLocks): Verb<Lock[]> {
  if (!(yield* hasLocks(space, at))) return [];
  const folder = yield* findVisible(space, id);
  if (folder === undefined) return [];
  const within = sql`SELECT entry FROM entries WHERE space = ${space} AND parent = ${folder.entry}`;
  const found = yield* rows<LockRow>(
    sql`SELECT ${lockColumns} FROM locks WHERE space = ${space} AND expires_at > ${at} AND entry IN (${within}) ORDER BY token`,
  );
  return yield* toLocks(yield* withoutFormer(found));
});

/** Refuses a save that a lock forbids, before its bytes are sent. */
export const checkUnlocked = read(
  {},
  function* checkUnlocked(input: FindLocks & { by: string; lockTokens: readonly string[] }): Verb<null> {
    const entry = yield* findVisible(input.space, input.id);
    if (entry !== undefined) yield* checkLocks(input, input.space, { changed: [entry] });
    return null;
  },
);
