// Setup links: used once by the owner of an account to set a password, so that nobody else ever knows it. Only hashes are stored.

import type { Role } from '../../domain/caller.ts';
import { Refusal } from '../../domain/refusal.ts';
import { noSpace, read, write } from '../declaration.ts';
import { note, type Origin, returning, row, type Verb } from '../sql.ts';
import { sql } from '../statement.ts';
import { insertSetupLink, type NewSetupLink } from './new-setup-link.ts';
import { noteForPerson, putPassword, requireUser, type User } from './people.ts';
import { removeSecondFactors } from './second-factors.ts';

export type { NewSetupLink };

export interface AddSetupLink extends Origin, NewSetupLink {
  user: string;
  /** The space of the manager; null: an operator. */
  space: number | null;
  /** With a space: the role there that the caller was allowed to make a link for. */
  role: Role | null;
}

/** The old password works until a new one is set. */
export const addSetupLink = write(
  { space: ({ space }) => space ?? noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* addSetupLink(input: AddSetupLink): Verb<User> {
    const { user: id, space, role } = input;
    const user = yield* requireUser(id);
    if (user.password === null) {
      throw new Refusal('Forbidden', 'People of outside issuers have no password here, so there is nothing to set up.');
    }
    if (space !== null) yield* requireOwnMember(id, space, role);
    yield* insertSetupLink(id, space, input);
    if (space === null) yield* noteForPerson(input, id, 'user.setup', {});
    else yield* note(input, space, 'user.setup', id, {});
    return user;
  },
);

function* requireOwnMember(id: string, space: number, role: Role | null): Verb<void> {
  const member = yield* row<{ role: Role }>(sql`SELECT role FROM members WHERE user_id = ${id} AND space = ${space}`);
  if (member === undefined || member.role !== role) throw new Refusal('UserNotFound', 'There is no such user.');
  if (!(yield* isKnownElsewhere(id, space))) return;
  throw new Refusal('Forbidden', 'This person has a role, a grant or a group in another space too.', {
    hint: 'Ask an operator to create the link with cabinet user setup.',
  });
}

function* isKnownElsewhere(id: string, space: number): Verb<boolean> {
  const places = [
    sql`SELECT space FROM members WHERE user_id = ${id} AND space <> ${space} LIMIT 1`,
    sql`SELECT space FROM grants WHERE principal = ${`user:${id}`} AND space <> ${space} LIMIT 1`,
    sql`SELECT space FROM group_members WHERE user_id = ${id} AND space <> ${space} LIMIT 1`,
  ];
  for (const place of places) if ((yield* row(place)) !== undefined) return true;
  return false;
}

/** Whose password a link sets. Null: it was used, has ended or expired, or never existed. */
export const findSetup = read({}, function* findSetup({ hash, at }: { hash: string; at: number }): Verb<User | null> {
  const found = yield* row<{ user_id: string }>(
    sql`SELECT user_id FROM setup_links WHERE hash = ${hash} AND expires_at > ${at}`,
  );
  if (found === undefined) return null;
  const user = yield* requireUser(found.user_id);
  return user.state === 'active' ? user : null;
});

export interface UseSetup {
  hash: string;
  password: string;
  at: number;
  request: string;
}

/** Uses the link up; the old password and its sign-ins end. A link of an operator removes second factors too. Returns whether the
 *  link was still valid. */
export const useSetup = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* useSetup({ hash, password, at, request }: UseSetup): Verb<boolean> {
    const user = yield* findSetup({ hash, at });
    if (user === null) return false;
    const { id } = user;
    const link = yield* row<{ made_in: number | null }>(sql`SELECT made_in FROM setup_links WHERE hash = ${hash}`);
    yield* putPassword({ id, password, at }, null);
    const origin = { at, by: id, request };
    yield* noteForPerson(origin, id, 'user.password', { isSetup: true });
    if (link?.made_in === null) yield* removeSecondFactors(origin, id);
    return true;
  },
);

/** Deletes at most 1,000 expired ones; returns how many. */
export const forgetSetupLinks = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* forgetSetupLinks({ at }: { at: number }): Verb<number> {
    const forgotten = yield* returning(sql`DELETE FROM setup_links WHERE hash IN
       (SELECT hash FROM setup_links WHERE expires_at <= ${at} ORDER BY expires_at LIMIT 1000) RETURNING hash`);
    return forgotten.length;
  },
);
