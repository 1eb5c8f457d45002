// The applications that represent the console and the command line at the issuer. They exist in every environment with the same
// AppKeys; only the console's redirect URI depends on the environment.

import type { Scope } from '../../domain/caller.ts';
import { noSpace, write } from '../declaration.ts';
import { execute, insert, note, type Origin, row, type Verb } from '../sql.ts';
import { insertInto, sql } from '../statement.ts';

const intoApplications = insertInto(
  'applications',
  'app_key name kind state space scopes secret_sha256 redirect_uris created_at created_by asks_consent',
);

export interface KeepBuiltIn extends Origin {
  appKey: string;
  /** Another application may have it; then it gets a number. */
  name: string;
  scopes: readonly Scope[];
  /** Where users return to after they signed in. */
  redirectUri: string;
  asksConsent: boolean;
}

/** Does not restore one that was removed or disabled. */
export const keepBuiltIn = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* keepBuiltIn({ appKey, scopes, redirectUri, ...input }: KeepBuiltIn): Verb<void> {
    const uris = JSON.stringify([redirectUri]);
    const found = yield* row<{ redirect_uris: string }>(
      sql`SELECT redirect_uris FROM applications WHERE app_key = ${appKey}`,
    );
    if (found?.redirect_uris === uris) return;
    if (found !== undefined) {
      yield* execute(sql`UPDATE applications SET redirect_uris = ${uris} WHERE app_key = ${appKey}`);
      return;
    }
    const name = yield* findFreeName(input.name);
    const { at, by, asksConsent } = input;
    const values = [appKey, name, 'client', 'active', null, scopes.join(' '), null, uris, at, by, asksConsent ? 1 : 0];
    yield* insert(intoApplications, values);
    yield* note(input, null, 'application.added', appKey, { name });
  },
);

function* findFreeName(wanted: string): Verb<string> {
  let name = wanted;
  for (let n = 2; (yield* row(sql`SELECT app_key FROM applications WHERE name = ${name}`)) !== undefined; n += 1) {
    name = `${wanted}-${n}`;
  }
  return name;
}
