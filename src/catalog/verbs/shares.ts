// Shares: links to entries for whoever has their secret. The state is computed when it is needed, so that nothing has to be changed
// when the maker loses a role, the entry is trashed, or the time is over. Ids are in the order of their making.

import { entryNotFound } from '../../domain/missing.ts';
import { Refusal } from '../../domain/refusal.ts';
import type { Share, ShareAccess, ShareState } from '../../domain/share.ts';
import { noSpace, read, write } from '../declaration.ts';
import { execute, insert, note, type Origin, returning, row, rows, type Verb } from '../sql.ts';
import { insertInto, type Sql, sql } from '../statement.ts';
import { toList } from './granted-access.ts';
import { isOffInSpace } from './share-rules.ts';
import { findVisible } from './tree.ts';
import { mayApplicationWrite, mayPersonWrite } from './writers.ts';

const intoShares = insertInto(
  'shares',
  `id secret_hash secret space entry access name note password expires_at max_downloads downloads uploads created_at created_by
    user_id app_key`,
);

/** How long a share is listed after its end. */
const listedMs = 30 * 24 * 60 * 60 * 1000;

export interface StoredShare extends Share {
  /** Encrypted. */
  secret: string;
  /** The hash; null: there is none. */
  password: string | null;
}

export interface ShareRow {
  id: string;
  secret: string;
  space: number;
  entry: string;
  access: ShareAccess;
  name: string;
  note: string | null;
  password: string | null;
  expires_at: number;
  max_downloads: number | null;
  downloads: number;
  uploads: number;
  created_at: number;
  created_by: string;
  user_id: string | null;
  app_key: string;
  last_used_at: number | null;
  revoked_at: number | null;
}

export const shareColumns = sql`id, secret, space, entry, access, name, note, password, expires_at, max_downloads, downloads,
  uploads, created_at, created_by, user_id, app_key, last_used_at, revoked_at`;

/** The state as far as the row says it; null: it depends on the entry and on the maker. */
export function findOwnState(
  { revoked_at, expires_at, max_downloads, downloads }: ShareRow,
  at: number,
): Exclude<ShareState, 'active' | 'suspended'> | null {
  if (revoked_at !== null) return 'revoked';
  if (expires_at <= at) return 'expired';
  return max_downloads !== null && downloads >= max_downloads ? 'exhausted' : null;
}

export function* toShare(found: ShareRow, at: number): Verb<StoredShare> {
  return toStored(found, findOwnState(found, at) ?? ((yield* isSupported(found)) ? 'active' : 'suspended'));
}

export function toStored(found: ShareRow, state: ShareState): StoredShare {
  const { id, secret, space, access, name, note, password, downloads, uploads } = found;
  return {
    ...{ id, secret, space, entryId: found.entry, access, name, note, password, hasPassword: password !== null },
    expiresAt: found.expires_at,
    maxDownloads: found.max_downloads,
    ...{ downloads, uploads },
    createdAt: found.created_at,
    createdBy: found.created_by,
    user: found.user_id,
    appKey: found.app_key,
    lastUsedAt: found.last_used_at,
    state,
  };
}

/** Whether the entry is visible, the maker may change it, and the space has links. All are looked at: what is missing takes no less time. */
export function* isSupported({ space, entry: id, user_id, app_key }: ShareRow): Verb<boolean> {
  const isThere = (yield* findVisible(space, id)) !== undefined;
  const mayWrite =
    user_id === null ? yield* mayApplicationWrite(app_key, space) : yield* mayPersonWrite(user_id, { space, id });
  const isOff = yield* isOffInSpace(space);
  return isThere && mayWrite && !isOff;
}

export interface AddShare extends Origin {
  id: string;
  secretHash: string;
  /** Encrypted. */
  secret: string;
  space: number;
  entry: string;
  access: ShareAccess;
  /** Null: the name of the entry. */
  name: string | null;
  note: string | null;
  /** The hash. */
  password: string | null;
  expiresAt: number;
  maxDownloads: number | null;
  user: string | null;
  appKey: string;
}

export const addShare = write(
  { space: ({ space }) => space, lock: 'exclusive', pages: 'unchanged', isAnnounced: false },
  function* addShare(input: AddShare): Verb<StoredShare> {
    const { id, space, entry, access, expiresAt, maxDownloads } = input;
    checkCombination({ access, max_downloads: maxDownloads });
    const found = yield* findVisible(space, entry);
    if (found === undefined) throw entryNotFound();
    if (access === 'upload' && found.kind !== 0) throw needsFolder();
    const added: ShareRow = {
      ...{ id, secret: input.secret, space, entry, access, name: input.name ?? found.name, note: input.note },
      ...{ password: input.password, expires_at: expiresAt, max_downloads: maxDownloads, downloads: 0, uploads: 0 },
      ...{ created_at: input.at, created_by: input.by, user_id: input.user, app_key: input.appKey },
      ...{ last_used_at: null, revoked_at: null },
    };
    if (!(yield* isSupported(added))) throw notLasting();
    const { name, note: text, password, created_at, created_by, user_id, app_key } = added;
    yield* insert(intoShares, [
      ...[
        id,
        input.secretHash,
        input.secret,
        space,
        entry,
        access,
        name,
        text,
        password,
        expiresAt,
        maxDownloads,
        0,
        0,
      ],
      ...[created_at, created_by, user_id, app_key],
    ]);
    yield* note(input, space, 'share.created', entry, toDetails(added));
    return yield* toShare(added, input.at);
  },
);

/** The right comes from a group that an outside issuer names in its tokens, and so is known only while such a token is shown. */
function notLasting(): Refusal {
  return new Refusal('Forbidden', 'You need the role "editor" here by the space or by a grant, not by a token alone.', {
    target: 'editor',
  });
}

function toDetails({ id, access, password, expires_at, max_downloads }: ShareRow): object {
  return {
    ...{ share: id, access, hasPassword: password !== null },
    ...{ expiresAt: new Date(expires_at).toISOString(), maxDownloads: max_downloads },
  };
}

export interface FindShare {
  id: string;
  at: number;
}

export const findShare = read({}, function* findShare({ id, at }: FindShare): Verb<StoredShare | null> {
  const found = yield* findShareRow(id, at);
  return found === undefined ? null : yield* toShare(found, at);
});

function* findShareRow(id: string, at: number): Verb<ShareRow | undefined> {
  return yield* row<ShareRow>(sql`SELECT ${shareColumns} FROM shares WHERE id = ${id} AND ${isListed(at)}`);
}

function isListed(at: number): Sql {
  return sql`expires_at > ${at - listedMs} AND (revoked_at IS NULL OR revoked_at > ${at - listedMs})`;
}

export interface ListShares {
  /** Null: of all. */
  spaces: readonly number[] | null;
  /** Null: of all entries. */
  entry: string | null;
  /** Only theirs; null: everybody's. */
  maker: ShareMaker | null;
  /** The id of the last one of the previous page. */
  after: string | null;
  limit: number;
  at: number;
}

export interface ShareMaker {
  /** Null: the application, for itself. */
  user: string | null;
  appKey: string;
}

/** The newest first. */
export const listShares = read({}, function* listShares(input: ListShares): Verb<StoredShare[]> {
  const { spaces, entry, maker, after, limit, at } = input;
  if (spaces?.length === 0) return [];
  const ofSpaces = spaces === null ? sql`` : sql`AND space IN (${toList(spaces)})`;
  const ofEntry = entry === null ? sql`` : sql`AND entry = ${entry}`;
  const before = after === null ? sql`` : sql`AND id < ${after}`;
  const found = yield* rows<ShareRow>(sql`SELECT ${shareColumns} FROM shares WHERE ${isListed(at)} ${ofSpaces}
    ${ofEntry} ${toMakerFilter(maker)} ${before} ORDER BY id DESC LIMIT ${limit}`);
  const shares: StoredShare[] = [];
  for (const one of found) shares.push(yield* toShare(one, at));
  return shares;
});

function toMakerFilter(maker: ShareMaker | null): Sql {
  if (maker === null) return sql``;
  if (maker.user !== null) return sql`AND user_id = ${maker.user}`;
  return sql`AND user_id IS NULL AND app_key = ${maker.appKey}`;
}

export interface ChangeShare extends Origin {
  id: string;
  space: number;
  /** Undefined, here and in the next: it stays. */
  access: ShareAccess | undefined;
  /** Null: the name of the entry. */
  name: string | null | undefined;
  note: string | null | undefined;
  password: string | null | undefined;
  expiresAt: number | undefined;
  maxDownloads: number | null | undefined;
}

/** Null: there is no such share any more. */
export const changeShare = write(
  { space: ({ space }) => space, lock: 'exclusive', pages: 'unchanged', isAnnounced: false },
  function* changeShare(input: ChangeShare): Verb<StoredShare | null> {
    const { id, space, at } = input;
    const before = yield* findShareRow(id, at);
    if (before === undefined) return null;
    if (before.revoked_at !== null) {
      throw new Refusal('Forbidden', 'A revoked link cannot be restored.', { hint: 'Create a new link.' });
    }
    const changed = yield* applyChange(before, input);
    checkCombination(changed);
    const { access, name, note: text, password, expires_at, max_downloads } = changed;
    yield* execute(sql`UPDATE shares SET access = ${access}, name = ${name}, note = ${text}, password = ${password},
      expires_at = ${expires_at}, max_downloads = ${max_downloads} WHERE id = ${id}`);
    yield* note(input, space, 'share.changed', before.entry, toDetails(changed));
    return yield* toShare(changed, at);
  },
);

function* applyChange(before: ShareRow, change: ChangeShare): Verb<ShareRow> {
  const { access, note: text, password, expiresAt, maxDownloads } = change;
  return {
    ...before,
    ...(access !== undefined && access !== before.access && { access: yield* toAccess(before, access) }),
    ...(change.name !== undefined && { name: change.name ?? (yield* findEntryName(before)) }),
    ...(text !== undefined && { note: text }),
    ...(password !== undefined && { password }),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
    ...(maxDownloads !== undefined && { max_downloads: maxDownloads }),
  };
}

function needsFolder(): Refusal {
  return new Refusal('NotAFolder', 'Files can be sent into folders only. This entry is a file.', {
    target: 'Access',
    hint: 'Send the access "read", or make the link on a folder.',
  });
}

function* toAccess({ space, entry }: ShareRow, access: ShareAccess): Verb<ShareAccess> {
  if (access === 'read') return access;
  const found = yield* findVisible(space, entry);
  if (found === undefined) throw entryNotFound();
  if (found.kind !== 0) throw needsFolder();
  return access;
}

function* findEntryName({ space, entry, name }: ShareRow): Verb<string> {
  return (yield* findVisible(space, entry))?.name ?? name;
}

export function checkCombination({ access, max_downloads }: Pick<ShareRow, 'access' | 'max_downloads'>): void {
  if (access !== 'upload' || max_downloads === null) return;
  throw new Refusal('InvalidField', 'Only links with the access "read" can limit downloads.', {
    target: 'MaxDownloads',
  });
}

/** Null: there is no such share any more. Revoking again changes nothing. */
export const revokeShare = write(
  { space: ({ space }) => space, lock: 'exclusive', pages: 'unchanged', isAnnounced: false },
  function* revokeShare({ id, space, ...origin }: Origin & { id: string; space: number }): Verb<StoredShare | null> {
    const { at } = origin;
    const found = yield* findShareRow(id, at);
    if (found === undefined) return null;
    if (found.revoked_at !== null) return yield* toShare(found, at);
    yield* execute(sql`UPDATE shares SET revoked_at = ${at} WHERE id = ${id}`);
    yield* note(origin, space, 'share.revoked', found.entry, { share: id });
    return yield* toShare({ ...found, revoked_at: at }, at);
  },
);

/** Deletes at most 1,000 that ended long ago; returns how many. */
export const forgetShares = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged', isAnnounced: false },
  function* forgetShares({ at }: { at: number }): Verb<number> {
    const before = at - listedMs;
    const forgotten = yield* returning(sql`DELETE FROM shares WHERE id IN
      (SELECT id FROM shares WHERE expires_at <= ${before} OR revoked_at <= ${before} LIMIT 1000) RETURNING id`);
    return forgotten.length;
  },
);
