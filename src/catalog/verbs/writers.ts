// Whether somebody who is not here may change an entry: who made a link that is used, or took a lock that stands in the way. What only
// tokens of an outside issuer say is not known.

import type { Role } from '../../domain/caller.ts';
import { row, type Verb } from '../sql.ts';
import { sql } from '../statement.ts';
import { findHeldRole } from './granted-access.ts';

export function* mayApplicationWrite(appKey: string, space: number): Verb<boolean> {
  const found = yield* row<{ scopes: string }>(
    sql`SELECT scopes FROM applications WHERE app_key = ${appKey} AND space = ${space} AND state = 'active'`,
  );
  return found?.scopes.split(' ').includes('content.write') ?? false;
}

export function* mayPersonWrite(user: string, { space, id }: { space: number; id: string }): Verb<boolean> {
  const person = yield* row<{ state: string }>(sql`SELECT state FROM users WHERE id = ${user}`);
  const member = yield* row<{ role: Role }>(sql`SELECT role FROM members WHERE user_id = ${user} AND space = ${space}`);
  const isEditor = member !== undefined && member.role !== 'viewer';
  return person?.state === 'active' && (isEditor || (yield* findHeldRole({ space, id, user })) === 'editor');
}

/** Whether an actor, as records name it, is known to have lost the right to change the entry. */
export function* isFormerWriter(actor: string, on: { space: number; id: string }): Verb<boolean> {
  if (actor.startsWith('app:')) {
    const found = yield* row<{ app_key: string }>(
      sql`SELECT app_key FROM applications WHERE name = ${actor.slice('app:'.length)}`,
    );
    return found !== undefined && !(yield* mayApplicationWrite(found.app_key, on.space));
  }
  const person = yield* row<{ state: string }>(sql`SELECT state FROM users WHERE id = ${actor}`);
  if (person === undefined) return false;
  // People of outside issuers may have the right from a group that their token names.
  return actor.includes(':') ? person.state !== 'active' : !(yield* mayPersonWrite(actor, on));
}
