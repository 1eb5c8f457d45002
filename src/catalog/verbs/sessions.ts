// Sessions: sign-ins of a person in a browser to an application. The issuer's records decide whether one is still valid; this
// table has what its owner sees of it, and lags behind them.

import type { SignIn } from '../../domain/caller.ts';
import { Refusal } from '../../domain/refusal.ts';
import { noSpace, read, write } from '../declaration.ts';
import { execute, insert, type Origin, returning, row, rows, type Verb } from '../sql.ts';
import { insertInto, sql } from '../statement.ts';
import { noteForPerson } from './people.ts';
import { signOut } from './sign-out.ts';

/** A browser that comes back to the same application continues its session. */
const intoSessions = insertInto(
  'sessions',
  'grant_id session user_id app_key started_at used_at address user_agent expires_at',
  {
    onConflict: 'ON CONFLICT (grant_id) DO UPDATE SET used_at = excluded.used_at, expires_at = excluded.expires_at',
  },
);

export interface Session {
  /** The hash of the issuer's grant, which access tokens carry too. */
  id: string;
  appKey: string;
  applicationName: string;
  startedAt: number;
  /** Uses are recorded about once a minute. */
  usedAt: number;
  address: string;
  userAgent: string;
}

interface SessionRow {
  id: string;
  app_key: string;
  name: string | null;
  started_at: number;
  used_at: number;
  address: string;
  user_agent: string;
}

/** Of one person, the newest first. */
export const listSessions = read({}, function* listSessions({ user, at }: { user: string; at: number }): Verb<
  Session[]
> {
  const found = yield* rows<SessionRow>(sql`SELECT sessions.grant_id AS id, sessions.app_key AS app_key,
      applications.name AS name, started_at, used_at, address, user_agent
      FROM sessions JOIN users ON users.id = sessions.user_id
      JOIN issuer_records AS grants ON grants.model = 'Grant' AND grants.id = sessions.grant_id
      LEFT JOIN applications ON applications.app_key = sessions.app_key
      WHERE sessions.user_id = ${user} AND grants.user_id = ${user} AND grants.payload IS NOT NULL
        AND grants.expires_at > ${at} AND (grants.since IS NULL OR grants.since > signed_out_at)
        AND EXISTS (SELECT 1 FROM issuer_records AS browsers WHERE browsers.model = 'Session'
          AND browsers.uid = sessions.session AND browsers.user_id = ${user} AND browsers.payload IS NOT NULL
          AND browsers.expires_at > ${at} AND (browsers.since IS NULL OR browsers.since > signed_out_at))
      ORDER BY started_at DESC, sessions.grant_id DESC`);
  return found.map((one) => ({
    id: one.id,
    appKey: one.app_key,
    applicationName: one.name ?? '',
    startedAt: one.started_at,
    usedAt: one.used_at,
    address: one.address,
    userAgent: one.user_agent,
  }));
});

/** A session that its owner ended is gone; one whose tokens were revoked is still here. */
export const hasSession = read({}, function* hasSession({ grant }: { grant: string }): Verb<boolean> {
  return (yield* row(sql`SELECT grant_id FROM sessions WHERE grant_id = ${grant}`)) !== undefined;
});

export interface PutSession extends SignIn {
  user: string;
  appKey: string;
  at: number;
  address: string;
  userAgent: string;
  expiresAt: number;
}

/** A person has signed in, or comes back. */
export const putSession = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged', isAnnounced: false },
  function* putSession({ grant, session, user, appKey, at, address, userAgent, expiresAt }: PutSession): Verb<void> {
    yield* insert(intoSessions, [grant, session, user, appKey, at, at, address, userAgent, expiresAt]);
    yield* execute(sql`UPDATE users SET signed_in_at = ${at} WHERE id = ${user} AND signed_in_at IS NULL`);
  },
);

export const noteSessionUse = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged', isAnnounced: false },
  function* noteSessionUse({ grant, at }: { grant: string; at: number }): Verb<void> {
    yield* execute(sql`UPDATE sessions SET used_at = ${at} WHERE grant_id = ${grant} AND used_at < ${at}`);
  },
);

export interface EndSession extends Origin {
  id: string;
  user: string;
}

/** Its records stay, marked as ended, so that a request in flight cannot revive them. */
export const endSession = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* endSession(input: EndSession): Verb<void> {
    const { id, user } = input;
    const isValid = (yield* listSessions({ user, at: input.at })).some((session) => session.id === id);
    const ended = yield* returning<{ app_key: string }>(
      sql`DELETE FROM sessions WHERE grant_id = ${id} AND user_id = ${user} RETURNING app_key`,
    );
    if (!isValid || ended[0] === undefined) throw new Refusal('SessionNotFound', 'There is no such session.');
    yield* endGrants(user, [id]);
    yield* noteForPerson(input, user, 'session.ended', { session: id, ofApplication: ended[0].app_key });
  },
);

/** Ends the sign-ins of a person to one application. */
export function* endSessionsWith(user: string, appKey: string): Verb<void> {
  const ended = yield* returning<{ grant_id: string }>(
    sql`DELETE FROM sessions WHERE app_key = ${appKey} AND user_id = ${user} RETURNING grant_id`,
  );
  yield* endGrants(
    user,
    ended.map(({ grant_id: grant }) => grant),
  );
}

function* endGrants(user: string, grants: readonly string[]): Verb<void> {
  for (const grant of grants) {
    yield* execute(sql`UPDATE issuer_records SET payload = NULL WHERE model = 'Grant' AND id = ${grant}
      AND user_id = ${user}`);
    yield* execute(sql`UPDATE issuer_records SET payload = NULL WHERE grant_id = ${grant} AND user_id = ${user}`);
  }
}

/** Ends all of a person, in every browser. */
export const endSessions = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* endSessions(input: Origin & { user: string }): Verb<void> {
    yield* signOut({ id: input.user, at: input.at }, null);
    yield* noteForPerson(input, input.user, 'sessions.ended', {});
  },
);

/** Deletes at most 1,000 expired ones; returns how many. */
export const forgetSessions = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* forgetSessions({ at }: { at: number }): Verb<number> {
    const forgotten = yield* returning(sql`DELETE FROM sessions WHERE grant_id IN
       (SELECT grant_id FROM sessions WHERE expires_at <= ${at} ORDER BY expires_at LIMIT 1000) RETURNING grant_id`);
    return forgotten.length;
  },
);
