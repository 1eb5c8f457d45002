// The application that represents the console at the issuer. It exists in every environment with the same AppKey; only the
// redirect URI depends on the environment.

import type { Scope } from '../../domain/caller.ts';
import { noSpace, write } from '../declaration.ts';
import { execute, insert, note, type Origin, row, type Verb } from '../sql.ts';
import { insertInto, sql } from '../statement.ts';

const intoApplications = insertInto(
  'applications',
  'app_key name kind state space scopes secret_sha256 redirect_uris created_at created_by',
);

export interface KeepConsole extends Origin {
  appKey: string;
  scopes: readonly Scope[];
  /** Where users return to after they signed in. */
  redirectUri: string;
}

/** Does not restore a console that was removed or disabled. */
export const keepConsole = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* keepConsole({ appKey, scopes, redirectUri, ...origin }: KeepConsole): Verb<void> {
    const uris = JSON.stringify([redirectUri]);
    const found = yield* row<{ redirect_uris: string }>(
      sql`SELECT redirect_uris FROM applications WHERE app_key = ${appKey}`,
    );
    if (found?.redirect_uris === uris) return;
    if (found !== undefined) {
      yield* execute(sql`UPDATE applications SET redirect_uris = ${uris} WHERE app_key = ${appKey}`);
      return;
    }
    const name = yield* findFreeName();
    const values = [appKey, name, 'client', 'active', null, scopes.join(' '), null, uris, origin.at, origin.by];
    yield* insert(intoApplications, values);
    yield* note(origin, null, 'application.added', appKey, { name });
  },
);

/** Another application may have the name. */
function* findFreeName(): Verb<string> {
  let name = 'console';
  for (let n = 2; (yield* row(sql`SELECT app_key FROM applications WHERE name = ${name}`)) !== undefined; n += 1) {
    name = `console-${n}`;
  }
  return name;
}
