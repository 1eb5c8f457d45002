// The application that the console is to the issuer. It is there in every environment under an AppKey that never changes,
// and only the address to return to differs: that of the environment.

import type { Scope } from '../../domain/caller.ts';
import { noSpace, write } from '../declaration.ts';
import { note, type Origin, row, rows, type Verb } from '../sql.ts';

export interface KeepConsole extends Origin {
  appKey: string;
  scopes: readonly Scope[];
  /** Where people return to after they signed in. */
  redirectUri: string;
}

/** Whoever removed or disabled it meant it: neither is undone. */
export const keepConsole = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* keepConsole({ appKey, scopes, redirectUri, ...origin }: KeepConsole): Verb<void> {
    const uris = JSON.stringify([redirectUri]);
    const found = yield* row<{ redirect_uris: string }>(
      'SELECT redirect_uris FROM applications WHERE app_key = $1',
      appKey,
    );
    if (found?.redirect_uris === uris) return;
    if (found !== undefined) {
      yield* rows('UPDATE applications SET redirect_uris = $1 WHERE app_key = $2', uris, appKey);
      return;
    }
    const name = yield* findFreeName();
    yield* rows(
      `INSERT INTO applications (app_key, name, kind, state, space, scopes, secret_sha256, redirect_uris, created_at)
     VALUES ($1, $2, 'client', 'active', NULL, $3, NULL, $4, $5)`,
      appKey,
      name,
      scopes.join(' '),
      uris,
      origin.at,
    );
    yield* note(origin, null, 'application.added', appKey, { name });
  },
);

/** An application of someone else may be called so. */
function* findFreeName(): Verb<string> {
  let name = 'console';
  for (let n = 2; (yield* row('SELECT app_key FROM applications WHERE name = $1', name)) !== undefined; n += 1) {
    name = `console-${n}`;
  }
  return name;
}
