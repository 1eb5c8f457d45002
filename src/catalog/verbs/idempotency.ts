// Results stored under an Idempotency-Key, written in the transaction of the operation: a repeated request finds either the
// whole result or none.

import { Refusal } from '../../domain/refusal.ts';
import { noSpace, read, write } from '../declaration.ts';
import { insert, returning, row, rows, type Verb } from '../sql.ts';
import { insertInto, sql } from '../statement.ts';

/** A repeated key returns the first result for 24 hours. */
export const rememberedMs = 24 * 60 * 60 * 1000;

const intoIdempotency = insertInto('idempotency', 'app_key operation key fingerprint result at', {
  onConflict: `ON CONFLICT (app_key, operation, key) DO UPDATE
    SET fingerprint = excluded.fingerprint, result = excluded.result, at = excluded.at
    WHERE idempotency.at <= excluded.at - ${rememberedMs}`,
  mustWrite: true,
});

export interface Idempotency {
  appKey: string;
  operation: 'create-folder' | 'save-file' | 'save-batch';
  /** For a file of a batch: the key of the batch, a space (which no key contains), and the file's index. */
  key: string;
  /** SHA-256 of the request's parameters and the file's digest. */
  fingerprint: string;
}

export function* recall<Result>(idempotency: Idempotency | null, at: number): Verb<Result | null> {
  if (idempotency === null) return null;
  const found = yield* row<{ fingerprint: string; result: string }>(
    sql`SELECT fingerprint, result FROM idempotency WHERE app_key = ${idempotency.appKey}
      AND operation = ${idempotency.operation} AND key = ${idempotency.key} AND at > ${at - rememberedMs}`,
  );
  if (found === undefined) return null;
  if (found.fingerprint !== idempotency.fingerprint) throw keyReused();
  return JSON.parse(found.result) as Result;
}

/** If a batch has the same key twice, one save must see the result of the other. */
export function claimsOfKey(idempotency: Idempotency | null): string[] {
  return idempotency === null ? [] : [`key ${idempotency.appKey} ${idempotency.operation} ${idempotency.key}`];
}

export interface IsKeyKnown {
  /** For any request: the fingerprint is not known yet. */
  idempotency: Omit<Idempotency, 'fingerprint'>;
  at: number;
}

/** Whether a result is stored under a key or, for the key of a batch, under the key of any of its files. */
export const isKeyKnown = read({}, function* isKeyKnown({ idempotency, at }: IsKeyKnown): Verb<boolean> {
  // Keys consist of visible characters: the range from the key to the key and `!` has the key and the files of its batch.
  const known = yield* row(sql`SELECT key FROM idempotency WHERE app_key = ${idempotency.appKey}
    AND operation = ${idempotency.operation} AND key >= ${idempotency.key} AND key < ${`${idempotency.key}!`}
    AND at > ${at - rememberedMs} LIMIT 1`);
  return known !== undefined;
});

function keyReused(): Refusal {
  const message = 'This Idempotency-Key was used with another request in the last 24 hours.';
  return new Refusal('IdempotencyKeyReused', message, {
    target: 'Idempotency-Key',
    hint: 'Send a new key with each new request; repeat a key only to repeat the very same request.',
  });
}

/** The results of the files of a batch, each with its index. Refuses a key that was used for another batch. */
export function* recallFiles<Result>({
  idempotency,
  at,
}: {
  idempotency: Idempotency;
  at: number;
}): Verb<[number, Result][]> {
  const found = yield* rows<{ key: string; fingerprint: string; result: string }>(sql`SELECT key, fingerprint, result
    FROM idempotency WHERE app_key = ${idempotency.appKey}
    AND operation = ${idempotency.operation} AND key > ${`${idempotency.key} `} AND key < ${`${idempotency.key}!`}
    AND at > ${at - rememberedMs}`);
  if (found.some(({ fingerprint }) => fingerprint !== idempotency.fingerprint)) throw keyReused();
  return found.map(({ key, result }) => [Number(key.slice(idempotency.key.length + 1)), JSON.parse(result) as Result]);
}

export function* remember(idempotency: Idempotency | null, at: number, result: unknown): Verb<void> {
  if (idempotency === null) return;
  // If a valid row exists now, another request with the same key wrote it since the lookup.
  yield* insert(intoIdempotency, [
    idempotency.appKey,
    idempotency.operation,
    idempotency.key,
    idempotency.fingerprint,
    JSON.stringify(result),
    at,
  ]);
}

/** Deletes at most 1,000 expired results; returns how many. */
export const forgetResults = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* forgetResults({ at }: { at: number }): Verb<number> {
    const forgotten = yield* returning(sql`DELETE FROM idempotency WHERE (app_key, operation, key) IN
       (SELECT app_key, operation, key FROM idempotency WHERE at <= ${at - rememberedMs} ORDER BY at LIMIT 1000)
     RETURNING key`);
    return forgotten.length;
  },
);
