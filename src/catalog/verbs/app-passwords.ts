// App passwords: what a person gives to a program that cannot sign in, such as a WebDAV client. Each belongs to one person,
// and is valid until it is removed or expires; a new password of the account does not end it.

import type { GrantedSpace, SpaceAccess } from '../../domain/caller.ts';
import { Refusal } from '../../domain/refusal.ts';
import { noSpace, read, write } from '../declaration.ts';
import { execute, insert, type Origin, returning, row, rows, type Verb } from '../sql.ts';
import { insertInto, sql } from '../statement.ts';
import { findGrantedSpaces } from './granted-access.ts';
import { noteForPerson, spacesOf } from './people.ts';

const intoAppPasswords = insertInto('app_passwords', 'id user_id name access space app_key hash created_at expires_at');

export type AppPasswordAccess = 'read' | 'write';

export interface AppPassword {
  id: string;
  name: string;
  access: AppPasswordAccess;
  /** Null: every space of the person. */
  spaceId: string | null;
  createdAt: number;
  /** Null: never. */
  expiresAt: number | null;
  /** Null: not used yet. Later uses are recorded about once a minute. */
  usedAt: number | null;
}

interface AppPasswordRow {
  id: string;
  name: string;
  access: AppPasswordAccess;
  space_id: string | null;
  created_at: number;
  expires_at: number | null;
  used_at: number | null;
}

const columns = sql`app_passwords.id AS id, app_passwords.name AS name, access, spaces.id AS space_id,
  app_passwords.created_at AS created_at, expires_at, used_at`;
const selection = sql`SELECT ${columns} FROM app_passwords LEFT JOIN spaces ON spaces.space = app_passwords.space`;

function toAppPassword(found: AppPasswordRow): AppPassword {
  const { id, name, access, space_id: spaceId, created_at: createdAt, expires_at: expiresAt, used_at: usedAt } = found;
  return { id, name, access, spaceId, createdAt, expiresAt, usedAt };
}

/** Of one person, the oldest first: ids are in the order of their making. */
export const listAppPasswords = read({}, function* listAppPasswords({ user }: { user: string }): Verb<AppPassword[]> {
  const found = yield* rows<AppPasswordRow>(sql`${selection} WHERE user_id = ${user} ORDER BY app_passwords.id`);
  return found.map(toAppPassword);
});

export interface FoundAppPassword {
  user: string;
  access: AppPasswordAccess;
  hash: string;
  /** The application that it was made with. */
  appKey: string;
  usedAt: number | null;
  /** The spaces that it opens, with the current roles of the person there. */
  spaces: SpaceAccess[];
  /** And where the person has grants. */
  grants: GrantedSpace[];
}

/** Null: unknown, expired, or of a person who may not act. */
export const findAppPassword = read(
  {},
  function* findAppPassword({ id, at }: { id: string; at: number }): Verb<FoundAppPassword | null> {
    const found = yield* row<{
      user_id: string;
      access: AppPasswordAccess;
      hash: string;
      app_key: string;
      used_at: number | null;
      space: number | null;
    }>(sql`SELECT user_id, access, hash, app_key, used_at, space
      FROM app_passwords JOIN users ON users.id = user_id
      WHERE app_passwords.id = ${id} AND state = 'active' AND (expires_at IS NULL OR expires_at > ${at})`);
    if (found === undefined) return null;
    const { user_id: user, access, hash, app_key: appKey, used_at: usedAt, space } = found;
    const isOpened = (one: { space: number }) => space === null || one.space === space;
    const spaces = (yield* spacesOf(user)).filter(isOpened);
    const grants = (yield* findGrantedSpaces({ user, groups: [] })).filter(isOpened);
    return { user, access, hash, appKey, usedAt, spaces, grants };
  },
);

export interface AddAppPassword extends Origin {
  id: string;
  user: string;
  name: string;
  access: AppPasswordAccess;
  space: number | null;
  appKey: string;
  hash: string;
  expiresAt: number | null;
}

const maxPerPerson = 50;

export const addAppPassword = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* addAppPassword(input: AddAppPassword): Verb<AppPassword> {
    const { id, user, name, access, space, appKey, hash, at, expiresAt } = input;
    const known = yield* row<{ count: number }>(
      sql`SELECT count(*) AS count FROM app_passwords WHERE user_id = ${user}`,
    );
    if (Number(known?.count) >= maxPerPerson) {
      throw new Refusal('TooManyAppPasswords', `A person has at most ${maxPerPerson} app passwords.`, {
        hint: 'Remove one that is no longer used.',
      });
    }
    yield* insert(intoAppPasswords, [id, user, name, access, space, appKey, hash, at, expiresAt]);
    yield* noteForPerson(input, user, 'app-password.added', { id, name, access });
    const added = yield* row<AppPasswordRow>(sql`${selection} WHERE app_passwords.id = ${id}`);
    if (added === undefined) throw new Error('an app password vanished while it was added');
    return toAppPassword(added);
  },
);

export const removeAppPassword = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* removeAppPassword(input: Origin & { id: string; user: string }): Verb<void> {
    const { id, user } = input;
    const removed = yield* returning<{ name: string }>(
      sql`DELETE FROM app_passwords WHERE id = ${id} AND user_id = ${user} RETURNING name`,
    );
    if (removed[0] === undefined) throw new Refusal('AppPasswordNotFound', 'There is no such app password.');
    yield* noteForPerson(input, user, 'app-password.removed', { id, name: removed[0].name });
  },
);

export const noteAppPasswordUse = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged', isAnnounced: false },
  function* noteAppPasswordUse({ id, at }: { id: string; at: number }): Verb<void> {
    yield* execute(sql`UPDATE app_passwords SET used_at = ${at} WHERE id = ${id}`);
  },
);
