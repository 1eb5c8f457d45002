// The use of shares by whoever has their secret: finding one, what is beneath its entry, and the counters. The limit of downloads is
// exact: each download is counted by a change of the row that allows it.

import type { Entry } from '../../domain/entry.ts';
import { noSpace, read, write } from '../declaration.ts';
import { execute, insert, note, type Origin, returning, returningRow, row, type Verb } from '../sql.ts';
import { insertInto, sql } from '../statement.ts';
import { toEntry } from './entries.ts';
import { findOwnState, isSupported, type ShareRow, type StoredShare, shareColumns, toStored } from './shares.ts';
import { findVisible } from './tree.ts';

const intoDownloads = insertInto('share_downloads', 'share entry address begun_at', {
  onConflict: 'ON CONFLICT (share, entry, address) DO UPDATE SET begun_at = excluded.begun_at',
});

/** How long a download may be resumed. */
const resumeMs = 60 * 60 * 1000;

export interface OpenedShare {
  share: StoredShare;
  entry: Entry;
  space: { id: string; name: string; root: string };
}

export interface OpenShare {
  /** Of the secret. */
  hash: string;
  /** Also if all downloads are used up: some were begun, and may be resumed. */
  isExhaustedMeant: boolean;
  at: number;
}

/**
 * Null: there is no such share, or it cannot be used. Both take the same work, so that time does not tell which secrets there were:
 * in place of an unknown one its neighbour is looked at, and what has ended is looked at as if it had not.
 */
export const openShare = read({}, function* openShare(input: OpenShare): Verb<OpenedShare | null> {
  const { hash, isExhaustedMeant, at } = input;
  const found = yield* findNearest(hash);
  if (found === undefined) return null;
  const isUsable = yield* isSupported(found);
  const state = findOwnState(found, at);
  const isEnded = state !== null && !(isExhaustedMeant && state === 'exhausted');
  if (found.secret_hash !== hash || isEnded || !isUsable) return null;
  const entry = yield* findVisible(found.space, found.entry);
  const space = yield* row<OpenedShare['space']>(sql`SELECT id, name, root FROM spaces WHERE space = ${found.space}`);
  if (entry === undefined || space === undefined) return null;
  return { share: toStored(found, state ?? 'active'), entry: toEntry(entry), space };
});

type NearestShare = ShareRow & { secret_hash: string };

/** The share with this hash; else the next one. Undefined: there are no shares. */
function* findNearest(hash: string): Verb<NearestShare | undefined> {
  const next = sql`SELECT ${shareColumns}, secret_hash FROM shares`;
  const found = yield* row<NearestShare>(sql`${next} WHERE secret_hash >= ${hash} ORDER BY secret_hash LIMIT 1`);
  return found ?? (yield* row<NearestShare>(sql`${next} ORDER BY secret_hash LIMIT 1`));
}

export interface FindBeneath {
  space: number;
  /** The shared entry. */
  top: string;
  id: string;
}

/** Null: there is no such entry at or beneath the shared one. */
export const findBeneath = read({}, function* findBeneath({ space, top, id }: FindBeneath): Verb<Entry | null> {
  const found = yield* findVisible(space, id);
  if (found === undefined) return null;
  return found.id === top || found.above.some((folder) => folder.id === top) ? toEntry(found) : null;
});

interface ShareUse extends Origin {
  id: string;
  space: number;
  /** Of whoever uses it. */
  address: string;
  /** The id of the entry that is opened, downloaded or saved. */
  entry: string;
}

export const noteShareOpened = write(
  { space: ({ space }) => space, lock: 'shared', pages: 'unchanged', isAnnounced: false, claims: toClaims },
  function* noteShareOpened(input: ShareUse): Verb<void> {
    const { id, space, at, entry, address } = input;
    yield* execute(sql`UPDATE shares SET last_used_at = ${at} WHERE id = ${id}`);
    yield* note(input, space, 'share.opened', entry, { share: id, address });
  },
);

export interface CountDownload extends ShareUse {
  /** Whether it can be resumed: an archive cannot. */
  isResumable: boolean;
}

/** False: no download is left, or the share has ended, and nothing was counted. */
export const countDownload = write(
  { space: ({ space }) => space, lock: 'shared', pages: 'unchanged', isAnnounced: false, claims: toClaims },
  function* countDownload(input: CountDownload): Verb<boolean> {
    const { id, space, at, entry, address, isResumable } = input;
    const counted = yield* returningRow(sql`UPDATE shares SET downloads = downloads + 1, last_used_at = ${at}
      WHERE id = ${id} AND revoked_at IS NULL AND expires_at > ${at}
        AND (max_downloads IS NULL OR downloads < max_downloads) RETURNING id`);
    if (counted === undefined) return false;
    if (isResumable) yield* insert(intoDownloads, [id, entry, address, at]);
    yield* note(input, space, 'share.downloaded', entry, { share: id, address });
    return true;
  },
);

export interface FindDownload {
  id: string;
  entry: string;
  address: string;
  at: number;
}

/** Whether a download of the file was begun at this address less than an hour ago. */
export const isDownloadBegun = read({}, function* isDownloadBegun(input: FindDownload): Verb<boolean> {
  const { id, entry, address, at } = input;
  const begun = yield* row(sql`SELECT begun_at FROM share_downloads WHERE share = ${id} AND entry = ${entry}
    AND address = ${address} AND begun_at > ${at - resumeMs}`);
  return begun !== undefined;
});

export const countUpload = write(
  { space: ({ space }) => space, lock: 'shared', pages: 'unchanged', isAnnounced: false, claims: toClaims },
  function* countUpload(input: ShareUse): Verb<void> {
    const { id, space, at, entry, address } = input;
    yield* execute(sql`UPDATE shares SET uploads = uploads + 1, last_used_at = ${at} WHERE id = ${id}`);
    yield* note(input, space, 'share.uploaded', entry, { share: id, address });
  },
);

function toClaims({ id }: { id: string }): string[] {
  return [`share ${id}`];
}

/** Deletes at most 1,000 that can no longer be resumed; returns how many. */
export const forgetShareDownloads = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged', isAnnounced: false },
  function* forgetShareDownloads({ at }: { at: number }): Verb<number> {
    const before = at - resumeMs;
    const forgotten = yield* returning(sql`DELETE FROM share_downloads WHERE (share, entry, address) IN
      (SELECT share, entry, address FROM share_downloads WHERE begun_at <= ${before} LIMIT 1000) RETURNING share`);
    return forgotten.length;
  },
);
