// Writes setup links, and ends those that others could read. `setup-links.ts` has their use.

import { execute, insert, type Verb } from '../sql.ts';
import { insertInto, sql } from '../statement.ts';

const intoSetupLinks = insertInto('setup_links', 'hash user_id made_in expires_at');

export interface NewSetupLink {
  /** SHA-256 of the secret. */
  hash: string;
  expiresAt: number;
}

/** Ends earlier links of the person. `madeIn`: the space whose manager or application makes it; null: an operator does. */
export function* insertSetupLink(user: string, madeIn: number | null, { hash, expiresAt }: NewSetupLink): Verb<void> {
  yield* execute(sql`DELETE FROM setup_links WHERE user_id = ${user}`);
  yield* insert(intoSetupLinks, [hash, user, madeIn, expiresAt]);
}

/** Whoever of another space trusts the account must not be exposed to links that this space's managers can read. */
export function* endForeignSetupLinks(user: string, space: number): Verb<void> {
  yield* execute(sql`DELETE FROM setup_links WHERE user_id = ${user} AND made_in IS NOT NULL AND made_in <> ${space}`);
}
