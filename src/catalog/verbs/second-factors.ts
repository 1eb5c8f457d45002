// Second factors: what a person shows beside the password, and the recovery codes that replace one. Only people with a password
// have them; outside issuers have their own.

import { Refusal } from '../../domain/refusal.ts';
import { noSpace, read, write } from '../declaration.ts';
import { execute, insert, type Origin, returning, row, rows, type Verb } from '../sql.ts';
import { insertInto, sql } from '../statement.ts';
import { noteForPerson } from './people.ts';

const intoSecondFactors = insertInto(
  'second_factors',
  'id user_id kind name secret credential public_key transports counter created_at',
);
const intoRecoveryCodes = insertInto('recovery_codes', 'user_id hash');

export type SecondFactorKind = 'totp' | 'passkey';

export interface SecondFactor {
  id: string;
  kind: SecondFactorKind;
  name: string;
  /** Of TOTP, encrypted. */
  secret: string | null;
  /** Of a passkey: its credential id, base64url. */
  credential: string | null;
  /** Of a passkey: COSE, base64url. */
  publicKey: string | null;
  /** Of a passkey: how browsers reach it, separated by spaces. */
  transports: string | null;
  /** TOTP: the last step whose code was used. Passkey: the signature counter. */
  counter: number;
  createdAt: number;
  /** Null: not used yet. */
  usedAt: number | null;
}

interface SecondFactorRow {
  id: string;
  kind: SecondFactorKind;
  name: string;
  secret: string | null;
  credential: string | null;
  public_key: string | null;
  transports: string | null;
  counter: number;
  created_at: number;
  used_at: number | null;
}

export interface SecondFactors {
  /** The oldest first: ids are in the order of their making. */
  factors: SecondFactor[];
  recoveryCodes: number;
}

interface Owner {
  user: string;
}

export const findSecondFactors = read({}, function* findSecondFactors({ user }: Owner): Verb<SecondFactors> {
  const found = yield* rows<SecondFactorRow>(
    sql`SELECT id, kind, name, secret, credential, public_key, transports, counter, created_at, used_at
      FROM second_factors WHERE user_id = ${user} ORDER BY id`,
  );
  const factors = found.map(({ public_key: publicKey, created_at: createdAt, used_at: usedAt, ...same }) => {
    return { ...same, publicKey, createdAt, usedAt };
  });
  return { factors, recoveryCodes: yield* countRecoveryCodes(user) };
});

function* countRecoveryCodes(user: string): Verb<number> {
  const found = yield* row<{ count: number }>(
    sql`SELECT count(*) AS count FROM recovery_codes WHERE user_id = ${user}`,
  );
  return Number(found?.count ?? 0);
}

export interface AddSecondFactor extends Origin, Owner {
  id: string;
  kind: SecondFactorKind;
  name: string;
  secret: string | null;
  credential: string | null;
  publicKey: string | null;
  transports: string | null;
  counter: number;
  /** Refuses another one: the password alone must not add to what there is. */
  isFirstOnly: boolean;
  /** Kept if this is the first factor. */
  recoveryHashes: readonly string[];
}

const maxPerPerson = 10;

/** Returns whether it is the first one, so that the recovery codes count. One TOTP at most, and each passkey once. */
export const addSecondFactor = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* addSecondFactor(input: AddSecondFactor): Verb<boolean> {
    const { id, user, kind, name, secret, credential, publicKey, transports, counter, at } = input;
    const { factors } = yield* findSecondFactors({ user });
    if (input.isFirstOnly && factors.length > 0) {
      throw new Refusal('TooManySecondFactors', 'There is a second factor already. Sign in with it.');
    }
    if (factors.length >= maxPerPerson || (kind === 'totp' && factors.some((factor) => factor.kind === 'totp'))) {
      const most = kind === 'totp' ? 'one authenticator app' : `${maxPerPerson} second factors`;
      throw new Refusal('TooManySecondFactors', `A person has at most ${most}.`, { hint: 'Remove one first.' });
    }
    if (credential !== null) yield* requireNewCredential(credential);
    yield* insert(intoSecondFactors, [id, user, kind, name, secret, credential, publicKey, transports, counter, at]);
    yield* noteForPerson(input, user, 'second-factor.added', { id, kind, name });
    if (factors.length > 0) return false;
    yield* putRecoveryCodes(user, input.recoveryHashes);
    return true;
  },
);

function* requireNewCredential(credential: string): Verb<void> {
  const known = yield* row(sql`SELECT id FROM second_factors WHERE credential = ${credential}`);
  if (known !== undefined)
    throw new Refusal('InvalidField', 'This passkey was added already.', { target: 'Credential' });
}

function* putRecoveryCodes(user: string, hashes: readonly string[]): Verb<void> {
  yield* execute(sql`DELETE FROM recovery_codes WHERE user_id = ${user}`);
  for (const hash of hashes) yield* insert(intoRecoveryCodes, [user, hash]);
}

/** Earlier codes end. */
export const setRecoveryCodes = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* setRecoveryCodes(input: Origin & Owner & { hashes: readonly string[] }): Verb<void> {
    const { factors } = yield* findSecondFactors(input);
    if (factors.length === 0) {
      throw new Refusal('SecondFactorNotFound', 'You have no second factor that recovery codes could replace.');
    }
    yield* putRecoveryCodes(input.user, input.hashes);
    yield* noteForPerson(input, input.user, 'second-factor.codes-renewed', {});
  },
);

/** The recovery codes go with the last one. */
export const removeSecondFactor = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* removeSecondFactor(input: Origin & Owner & { id: string }): Verb<void> {
    const { id, user } = input;
    const removed = yield* returning<{ kind: SecondFactorKind; name: string }>(
      sql`DELETE FROM second_factors WHERE id = ${id} AND user_id = ${user} RETURNING kind, name`,
    );
    if (removed[0] === undefined) throw new Refusal('SecondFactorNotFound', 'There is no such second factor.');
    yield* noteForPerson(input, user, 'second-factor.removed', { id, ...removed[0] });
    const { factors } = yield* findSecondFactors({ user });
    if (factors.length === 0) yield* putRecoveryCodes(user, []);
  },
);

/** All of a person: an operator's setup link was used. */
export function* removeSecondFactors(origin: Origin, user: string): Verb<void> {
  const { factors } = yield* findSecondFactors({ user });
  for (const { id } of factors) yield* removeSecondFactor({ ...origin, user, id });
}

export interface UseSecondFactor extends Owner {
  id: string;
  /** The step of the code (TOTP), or the signature counter. */
  counter: number;
  at: number;
}

/** Returns whether it may be used: each code is used once, and a counter never goes back. Passkeys that do not count stay at 0. */
export const useSecondFactor = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged', isAnnounced: false },
  function* useSecondFactor({ user, id, counter, at }: UseSecondFactor): Verb<boolean> {
    const used = yield* returning(sql`UPDATE second_factors SET counter = ${counter}, used_at = ${at}
      WHERE id = ${id} AND user_id = ${user}
        AND (counter < ${counter} OR (kind = 'passkey' AND counter = 0 AND ${counter} = 0)) RETURNING id`);
    return used.length > 0;
  },
);

/** Returns whether it was one of the person's, and uses it up. */
export const useRecoveryCode = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* useRecoveryCode(input: Origin & Owner & { hash: string }): Verb<boolean> {
    const { user, hash } = input;
    const used = yield* returning(
      sql`DELETE FROM recovery_codes WHERE user_id = ${user} AND hash = ${hash} RETURNING hash`,
    );
    if (used.length === 0) return false;
    yield* noteForPerson(input, user, 'second-factor.code-used', { left: yield* countRecoveryCodes(user) });
    return true;
  },
);
