// Verbs of resumable uploads. A row says how many bytes of an upload are durable, whatever else the blob contains. A writer
// holds a turn, and a later turn ends an earlier one: a request that has lost its turn, on any node, can no longer write.

import { Fault } from '../../domain/fault.ts';
import { Refusal } from '../../domain/refusal.ts';
import { noSpace, read, write } from '../declaration.ts';
import { execute, insert, returning, returningRow, row, type Verb } from '../sql.ts';
import { insertInto, raw, sql } from '../statement.ts';
import { checkQuota, type FinishingUpload } from './usage.ts';

/** The name of this column in the schema. */
const requestColumn = 'asked';

const intoUploads = insertInto(
  'uploads',
  `id app_key actor protocol kind ${requestColumn} length size blob grown turn is_busy is_last result expires_at space`,
);
/** An actor whose bytes count is listed, even before the first file. */
const intoUsage = insertInto('usage', 'space actor entries bytes', {
  onConflict: 'ON CONFLICT (space, actor) DO NOTHING',
});
const columns = raw(intoUploads.columns.join(', '));

/** Unfinished uploads of an actor, in all spaces and with all applications. */
const maxOpen = 1000;
/** Uploads that one write deletes, so that no save waits long. */
const maxExpired = 500;

export const uploadProtocols = ['ietf', 'tus'] as const;
export type UploadProtocol = (typeof uploadProtocols)[number];

export interface UploadOwner {
  appKey: string;
  actor: string;
}

export interface Upload extends UploadOwner {
  id: string;
  protocol: UploadProtocol;
  /** A `part` belongs to a `final` upload, which concatenates parts. */
  kind: 'whole' | 'part' | 'final';
  /** The parameters of the save, as JSON. */
  request: string;
  /** Null: not known yet. */
  lengthBytes: number | null;
  /** How many bytes are durable. */
  sizeBytes: number;
  /** Null: a record refers to it, or no bytes were stored. */
  blob: string | null;
  /** The blob store's state for appending. */
  grown: string;
  turn: number;
  /** A request may be writing. */
  isBusy: boolean;
  /** The sender of the last bytes declared the upload complete. */
  isLast: boolean;
  /** The id of the saved file; for a part, the id of the final upload that has its bytes. */
  result: string | null;
  expiresAt: number;
  /** The number of the space where its bytes count until it is finished. Null: an earlier release began it. */
  space: number | null;
}

interface UploadRow {
  id: string;
  app_key: string;
  actor: string;
  protocol: UploadProtocol;
  kind: Upload['kind'];
  [requestColumn]: string;
  length: number | null;
  size: number;
  blob: string | null;
  grown: string;
  turn: number;
  is_busy: number;
  is_last: number;
  result: string | null;
  expires_at: number;
  space: number | null;
}

function toUpload({
  app_key,
  [requestColumn]: request,
  length,
  size,
  is_busy,
  is_last,
  expires_at,
  ...rest
}: UploadRow): Upload {
  return {
    ...rest,
    appKey: app_key,
    request,
    lengthBytes: length,
    sizeBytes: size,
    isBusy: is_busy === 1,
    isLast: is_last === 1,
    expiresAt: expires_at,
  };
}

export type BeginUpload = Omit<Upload, 'sizeBytes' | 'grown' | 'turn' | 'isBusy' | 'isLast' | 'result'>;

export const beginUpload = write(
  { space: () => noSpace, lock: 'shared', pages: 'unchanged' },
  function* beginUpload(begun: BeginUpload): Verb<void> {
    const open = yield* row<{ count: number }>(
      sql`SELECT count(*) AS count FROM uploads WHERE actor = ${begun.actor} AND result IS NULL`,
    );
    if (Number(open?.count) >= maxOpen) throw tooManyUploads();
    yield* insert(intoUploads, [
      begun.id,
      begun.appKey,
      begun.actor,
      begun.protocol,
      begun.kind,
      begun.request,
      begun.lengthBytes,
      0,
      begun.blob,
      '',
      0,
      0,
      0,
      null,
      begun.expiresAt,
      begun.space,
    ]);
    if (begun.space !== null) yield* insert(intoUsage, [begun.space, begun.actor, 0, 0]);
  },
);

function tooManyUploads(): Refusal {
  return new Refusal('TooManyUploads', `There are ${maxOpen} unfinished uploads already.`, {
    hint: 'Finish some of them, or remove them with DELETE on their addresses.',
  });
}

/** Null if there is none, or if it has another owner. */
export const findUpload = read(
  {},
  function* findUpload({ id, appKey, actor }: UploadOwner & { id: string }): Verb<Upload | null> {
    const found = yield* row<UploadRow>(
      sql`SELECT ${columns} FROM uploads WHERE id = ${id} AND app_key = ${appKey} AND actor = ${actor}`,
    );
    return found === undefined ? null : toUpload(found);
  },
);

export interface TakeTurn {
  id: string;
  /** The turn that the caller has read; it fails if there is a newer one. */
  turn: number;
  isBusy: boolean;
  isLast: boolean;
  lengthBytes: number | null;
}

/** Ends the turn of the current writer. Returns the new turn, or null if another request was first. */
export const takeTurn = write(
  { space: () => noSpace, lock: 'shared', pages: 'unchanged' },
  function* takeTurn({ id, turn, isBusy, isLast, lengthBytes }: TakeTurn): Verb<number | null> {
    const taken = yield* returningRow<{ turn: number }>(sql`UPDATE uploads
      SET turn = turn + 1, is_busy = ${isBusy ? 1 : 0}, is_last = ${isLast ? 1 : 0}, length = ${lengthBytes}
      WHERE id = ${id} AND turn = ${turn} AND result IS NULL RETURNING turn`);
    return taken?.turn ?? null;
  },
);

export interface KeepUpload {
  id: string;
  turn: number;
  sizeBytes: number;
  lengthBytes: number | null;
  grown: string;
  isBusy: boolean;
  expiresAt: number;
}

/** Records how many bytes are durable; refuses more than the quotas allow. False: the turn has ended, and nothing was written. */
export const keepUpload = write(
  { space: () => noSpace, lock: 'shared', pages: 'unchanged' },
  function* keepUpload(kept: KeepUpload): Verb<boolean> {
    const { id, turn, sizeBytes, lengthBytes, grown, isBusy, expiresAt } = kept;
    const before = yield* row<Pick<UploadRow, 'space' | 'actor' | 'kind' | 'size'>>(
      sql`SELECT space, actor, kind, size FROM uploads WHERE id = ${id} AND turn = ${turn} AND result IS NULL`,
    );
    if (before === undefined) return false;
    const { space, actor, kind, size } = before;
    if (space !== null && kind !== 'final') yield* checkQuota(space, actor, { entries: 0, bytes: sizeBytes - size });
    const found = yield* returningRow(sql`UPDATE uploads
      SET size = ${sizeBytes}, length = ${lengthBytes}, grown = ${grown},
        is_busy = ${isBusy ? 1 : 0}, expires_at = ${expiresAt} WHERE id = ${id} AND turn = ${turn}
        AND result IS NULL RETURNING id`);
    return found !== undefined;
  },
);

/** Part of the transaction that saves the file: the upload ends together with it. */
export function* settleUpload({ id, turn }: FinishingUpload, entry: string): Verb<void> {
  const settled = yield* returningRow(sql`UPDATE uploads
    SET result = ${entry}, blob = NULL, grown = '', is_busy = 0
     WHERE id = ${id} AND turn = ${turn} AND result IS NULL RETURNING id`);
  if (settled === undefined) throw new Fault('other', `upload ${id} was taken over before its file was saved`);
}

/** Marks parts whose bytes belong to a final upload now. */
export const spendUploads = write(
  { space: () => noSpace, lock: 'shared', pages: 'unchanged' },
  function* spendUploads({ ids, final }: { ids: readonly string[]; final: string }): Verb<void> {
    for (const id of ids) {
      yield* execute(sql`UPDATE uploads SET result = ${final}, blob = NULL, grown = '' WHERE id = ${id}`);
    }
  },
);

/** Bytes that an upload has left in the blob store. */
export interface LeftBytes {
  blob: string;
  sizeBytes: number;
  grown: string;
}

/** Null: there are no bytes to discard. */
export const dropUpload = write(
  { space: () => noSpace, lock: 'shared', pages: 'unchanged' },
  function* dropUpload({ id }: { id: string }): Verb<LeftBytes | null> {
    const dropped = yield* returningRow<UploadRow>(sql`DELETE FROM uploads WHERE id = ${id} RETURNING ${columns}`);
    return dropped === undefined ? null : (toLeft(dropped)[0] ?? null);
  },
);

/** Deletes expired uploads, some at a time. */
export const expireUploads = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* expireUploads({ at }: { at: number }): Verb<{ count: number; left: LeftBytes[] }> {
    // The time is checked twice: an upload that continues while this waits for its row must stay.
    const expired = yield* returning<UploadRow>(sql`DELETE FROM uploads WHERE expires_at < ${at} AND id IN
       (SELECT id FROM uploads WHERE expires_at < ${at} ORDER BY expires_at LIMIT ${maxExpired})
     RETURNING ${columns}`);
    return { count: expired.length, left: expired.flatMap(toLeft) };
  },
);

function toLeft({ blob, size, grown }: UploadRow): LeftBytes[] {
  return blob === null ? [] : [{ blob, sizeBytes: size, grown }];
}

/** The number of unfinished uploads. */
export function* countOpenUploads(): Verb<number> {
  const open = yield* row<{ count: number }>(sql`SELECT count(*) AS count FROM uploads WHERE result IS NULL`);
  return Number(open?.count);
}
