// Consents: what a person has allowed an application to do for them, remembered until the person takes it back.

import { Refusal } from '../../domain/refusal.ts';
import { noSpace, read, write } from '../declaration.ts';
import { execute, insert, type Origin, returning, row, rows, type Verb } from '../sql.ts';
import { insertInto, sql } from '../statement.ts';
import { noteForPerson } from './people.ts';
import { endSessionsWith } from './sessions.ts';

const intoConsents = insertInto('consents', 'user_id app_key scopes given_at', {
  onConflict: 'ON CONFLICT (user_id, app_key) DO UPDATE SET scopes = excluded.scopes, given_at = excluded.given_at',
});

export interface Consent {
  appKey: string;
  applicationName: string;
  /** In the order in which they were allowed. */
  scopes: string[];
  givenAt: number;
}

interface ConsentRef {
  user: string;
  appKey: string;
}

/** What the person has allowed; empty: nothing. */
export const findConsent = read({}, function* findConsent({ user, appKey }: ConsentRef): Verb<string[]> {
  const found = yield* row<{ scopes: string }>(
    sql`SELECT scopes FROM consents WHERE user_id = ${user} AND app_key = ${appKey}`,
  );
  return found?.scopes.split(' ') ?? [];
});

/** Of one person, by AppKey. */
export const listConsents = read({}, function* listConsents({ user }: { user: string }): Verb<Consent[]> {
  const found = yield* rows<{ app_key: string; name: string; scopes: string; given_at: number }>(
    sql`SELECT consents.app_key AS app_key, name, consents.scopes AS scopes, given_at FROM consents
      JOIN applications ON applications.app_key = consents.app_key
      WHERE user_id = ${user} AND state <> 'removed' ORDER BY consents.app_key`,
  );
  return found.map(({ app_key: appKey, name, scopes, given_at: givenAt }) => {
    return { appKey, applicationName: name, scopes: scopes.split(' '), givenAt };
  });
});

export interface GiveConsent extends Origin, ConsentRef {
  scopes: readonly string[];
}

/** Adds to what was allowed before. */
export const giveConsent = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* giveConsent(input: GiveConsent): Verb<void> {
    const { user, appKey, scopes, at } = input;
    const before = yield* findConsent(input);
    const added = scopes.filter((scope) => !before.includes(scope));
    if (added.length === 0) return;
    yield* insert(intoConsents, [user, appKey, [...before, ...added].join(' '), at]);
    yield* noteForPerson(input, user, 'consent.given', { ofApplication: appKey, scopes: added.join(' ') });
  },
);

/** Ends what the application has of the person: sign-ins, and links to files that it made for them. */
export const endConsent = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* endConsent(input: Origin & ConsentRef): Verb<void> {
    const { user, appKey } = input;
    const ended = yield* returning(
      sql`DELETE FROM consents WHERE user_id = ${user} AND app_key = ${appKey} RETURNING app_key`,
    );
    if (ended.length === 0) throw new Refusal('ConsentNotFound', 'You have given this application no permission.');
    yield* endSessionsWith(user, appKey);
    yield* execute(sql`DELETE FROM links WHERE user_id = ${user} AND made_by = ${appKey}`);
    yield* noteForPerson(input, user, 'consent.ended', { ofApplication: appKey });
  },
);
