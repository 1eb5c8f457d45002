// Records of the token issuer about sign-ins: sessions, grants, authorization codes, refresh tokens. Ids are secrets, so
// callers pass hashes of them. A record that was ended stays ended: a request that started before cannot revive it, neither
// by writing it again (it stays marked as ended) nor by writing a new one for a user who was signed out meanwhile (it is
// too old when it is read).

import { noSpace, read, write } from '../declaration.ts';
import { execute, insert, returning, row, type Verb } from '../sql.ts';
import { insertInto, raw, sql } from '../statement.ts';

const intoIssuerRecords = insertInto('issuer_records', 'model id uid grant_id user_id since payload expires_at', {
  onConflict: `ON CONFLICT (model, id) DO UPDATE SET uid = excluded.uid, grant_id = excluded.grant_id, user_id = excluded.user_id,
       since = excluded.since, payload = excluded.payload, expires_at = excluded.expires_at
     WHERE issuer_records.payload IS NOT NULL`,
});

export interface IssuerRecord {
  /** The issuer's name for the kind of record: Session, Grant, RefreshToken, … */
  model: string;
  id: string;
  uid: string | null;
  grant: string | null;
  user: string | null;
  /** For sessions and grants: when the user signed in, in seconds since 1970. */
  since: number | null;
  /** JSON, without anything that could replace the id. */
  payload: string;
  consumedAt: number | null;
  expiresAt: number;
}

export const putIssuerRecord = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* putIssuerRecord(record: Omit<IssuerRecord, 'consumedAt'>): Verb<void> {
    const payload = record.model === 'Session' ? yield* keepState(record) : record.payload;
    yield* insert(intoIssuerRecords, [
      record.model,
      record.id,
      record.uid,
      record.grant,
      record.user,
      record.since,
      payload,
      record.expiresAt,
    ]);
  },
);

/** The `state` of a session says that the user is signing out. A request that read the session earlier must not erase it by
 *  writing the session back without it. */
function* keepState({ model, id, payload }: { model: string; id: string; payload: string }): Verb<string> {
  const written = JSON.parse(payload) as { state?: unknown };
  if (written.state !== undefined) return payload;
  const stored = yield* row<{ payload: string | null }>(
    sql`SELECT payload FROM issuer_records WHERE model = ${model} AND id = ${id}`,
  );
  const { state } = JSON.parse(stored?.payload ?? '{}') as { state?: unknown };
  return state === undefined ? payload : JSON.stringify({ ...written, state });
}

export interface FindIssuerRecord {
  model: string;
  /** Find it by its id or by its `uid`. */
  by: 'id' | 'uid';
  value: string;
  at: number;
}

export const findIssuerRecord = read(
  {},
  function* findIssuerRecord({ model, by, value, at }: FindIssuerRecord): Verb<IssuerRecord | null> {
    const found =
      yield* row<IssuerRecordRow>(sql`SELECT model, issuer_records.id AS id, uid, grant_id, user_id, since, payload, consumed_at, expires_at
        FROM issuer_records LEFT JOIN users ON users.id = user_id WHERE model = ${model}
        AND ${raw(by === 'id' ? 'issuer_records.id' : 'uid')} = ${value} AND payload IS NOT NULL
        AND expires_at > ${at} AND (since IS NULL OR signed_out_at IS NULL OR since > signed_out_at)`);
    if (found === undefined) return null;
    const { grant_id: grant, user_id: user, consumed_at: consumedAt, expires_at: expiresAt, ...rest } = found;
    return { ...rest, grant, user, consumedAt, expiresAt };
  },
);

interface IssuerRecordRow {
  model: string;
  id: string;
  uid: string | null;
  grant_id: string | null;
  user_id: string | null;
  since: number | null;
  payload: string;
  consumed_at: number | null;
  expires_at: number;
}

/** Returns whether this call consumed the record: of several concurrent calls only one does. */
export const consumeIssuerRecord = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* consumeIssuerRecord(input: { model: string; id: string; at: number }): Verb<boolean> {
    const consumed = yield* returning(
      sql`UPDATE issuer_records SET consumed_at = ${input.at} WHERE model = ${input.model} AND id = ${input.id}
        AND consumed_at IS NULL RETURNING id`,
    );
    return consumed.length > 0;
  },
);

export const endIssuerRecord = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* endIssuerRecord({ model, id }: { model: string; id: string }): Verb<void> {
    yield* execute(sql`UPDATE issuer_records SET payload = NULL WHERE model = ${model} AND id = ${id}`);
  },
);

/** Ends all records of this kind that belong to a grant. */
export const endGrant = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* endGrant({ model, grant }: { model: string; grant: string }): Verb<void> {
    yield* execute(sql`UPDATE issuer_records SET payload = NULL WHERE model = ${model} AND grant_id = ${grant}`);
  },
);

/** A device asked for its token while nobody had allowed it yet. */
export interface NotePoll {
  /** Of the device's code. */
  id: string;
  at: number;
  /** Of the answer that is given. */
  expiresAt: number;
  firstIntervalSeconds: number;
  /** What a poll that came too early adds. */
  stepSeconds: number;
  maxIntervalSeconds: number;
  /** So much earlier is not too early: clocks of nodes and the network differ. */
  toleranceMs: number;
}

export interface Poll {
  isTooEarly: boolean;
  /** From now on. */
  intervalSeconds: number;
}

const pollModel = 'DevicePoll';

/** A row of its own beside that of the code, which the issuer writes as a whole. Once the interval is at its maximum, polls that come too
 *  early write nothing. */
export const notePoll = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* notePoll({ id, at, expiresAt, ...limits }: NotePoll): Verb<Poll> {
    const found = yield* row<{ payload: string }>(
      sql`SELECT payload FROM issuer_records WHERE model = ${pollModel} AND id = ${id}`,
    );
    const last = found === undefined ? null : (JSON.parse(found.payload) as { at: number; seconds: number });
    const seconds = last?.seconds ?? limits.firstIntervalSeconds;
    const isTooEarly = last !== null && at - last.at < seconds * 1000 - limits.toleranceMs;
    if (isTooEarly && seconds >= limits.maxIntervalSeconds) return { isTooEarly, intervalSeconds: seconds };
    const intervalSeconds = isTooEarly ? Math.min(seconds + limits.stepSeconds, limits.maxIntervalSeconds) : seconds;
    const payload = JSON.stringify({ at, seconds: intervalSeconds });
    yield* insert(intoIssuerRecords, [pollModel, id, null, null, null, null, payload, expiresAt]);
    return { isTooEarly, intervalSeconds };
  },
);

/** Deletes at most 1,000 expired records; returns how many. */
export const forgetIssuerRecords = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* forgetIssuerRecords({ at }: { at: number }): Verb<number> {
    const forgotten = yield* returning(sql`DELETE FROM issuer_records WHERE (model, id) IN
       (SELECT model, id FROM issuer_records WHERE expires_at <= ${at} ORDER BY expires_at LIMIT 1000)
     RETURNING id`);
    return forgotten.length;
  },
);
