// Ends sign-ins of a person: all of them, or all but the one in which the person changes something. What the person gave away
// by short-lived links ends with them; app passwords stay.

import type { SignIn } from '../../domain/caller.ts';
import { execute, returning, row, type Verb } from '../sql.ts';
import { sql } from '../statement.ts';

/** `keep`: the sign-in that stays. */
export function* signOut({ id, at }: { id: string; at: number }, keep: SignIn | null): Verb<void> {
  const second = Math.floor(at / 1000);
  const [user] = yield* returning<{ signed_out_at: number }>(
    sql`UPDATE users
      SET signed_out_at = CASE WHEN signed_out_at >= ${second} THEN signed_out_at + 1 ELSE ${second} END
      WHERE id = ${id} RETURNING signed_out_at`,
  );
  // `none` is no hash.
  const { grant, session } = keep ?? { grant: 'none', session: 'none' };
  yield* execute(sql`DELETE FROM issuer_records WHERE user_id = ${id} AND NOT (model = 'Grant' AND id = ${grant})
    AND NOT (model = 'Session' AND coalesce(uid, '') = ${session}) AND coalesce(grant_id, '') <> ${grant}`);
  yield* execute(sql`DELETE FROM sessions WHERE user_id = ${id} AND grant_id <> ${grant}`);
  yield* execute(sql`DELETE FROM links WHERE user_id = ${id}`);
  if (keep === null || user === undefined) return;
  const since = user.signed_out_at + 1;
  yield* renew(
    { model: 'Grant', field: 'iat', since },
    sql`SELECT id, payload FROM issuer_records
    WHERE model = 'Grant' AND id = ${grant} AND user_id = ${id} AND payload IS NOT NULL`,
  );
  yield* renew(
    { model: 'Session', field: 'loginTs', since },
    sql`SELECT id, payload FROM issuer_records
    WHERE model = 'Session' AND uid = ${session} AND user_id = ${id} AND payload IS NOT NULL`,
  );
}

/** Sign-ins that began before a sign-out are invalid, so the one that stays begins anew. The issuer reads the time from the
 *  payload when it writes the record again. */
function* renew(
  { model, field, since }: { model: string; field: string; since: number },
  selection: ReturnType<typeof sql>,
): Verb<void> {
  const found = yield* row<{ id: string; payload: string }>(selection);
  if (found === undefined) return;
  const payload = JSON.stringify({ ...(JSON.parse(found.payload) as object), [field]: since });
  yield* execute(sql`UPDATE issuer_records SET since = ${since}, payload = ${payload}
    WHERE model = ${model} AND id = ${found.id}`);
}
