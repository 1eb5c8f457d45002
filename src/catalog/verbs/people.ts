// Users and their roles in spaces. Users are never deleted, because entries refer to their names. Users of external issuers
// have a row once they get a role; their ids contain a colon, ours never do.

import type { Role, SignIn, SpaceAccess } from '../../domain/caller.ts';
import { Refusal } from '../../domain/refusal.ts';
import { noSpace, read, write } from '../declaration.ts';
import { execute, insert, note, type Origin, row, rows, type Verb } from '../sql.ts';
import { insertInto, sql } from '../statement.ts';
import { findIssuerRecord } from './issuer-records.ts';
import { insertSetupLink, type NewSetupLink } from './new-setup-link.ts';
import { signOut } from './sign-out.ts';

const intoUsers = insertInto('users', 'id name state password signed_out_at created_at created_by created_in');

export type UserState = 'active' | 'disabled';

export interface User {
  id: string;
  name: string;
  state: UserState;
  /** argon2id in PHC format; null: signs in elsewhere. */
  password: string | null;
  /** Seconds since 1970: earlier sign-ins are invalid. */
  signedOutAt: number;
  createdAt: number;
  /** Who made the account, as `CreatedBy` shows it; null: unknown. */
  createdBy: string | null;
  /** The space whose manager or application made it; null: operators did, or it belongs to an outside issuer. */
  createdIn: number | null;
  /** Whether its owner has ever signed in. */
  hasSignedIn: boolean;
  /** When everything but the id was removed; null: it was not. An erased account is disabled for good. */
  erasedAt: number | null;
}

export interface UserWithSpaces extends User {
  spaces: SpaceAccess[];
}

interface UserRow {
  id: string;
  name: string;
  state: UserState;
  password: string | null;
  signed_out_at: number;
  created_at: number;
  created_by: string | null;
  created_in: number | null;
  signed_in_at: number | null;
  erased_at: number | null;
}

function toUser(found: UserRow): User {
  const { id, name, state, password } = found;
  return {
    id,
    name,
    state,
    password,
    signedOutAt: found.signed_out_at,
    createdAt: found.created_at,
    createdBy: found.created_by,
    createdIn: found.created_in,
    hasSignedIn: found.signed_in_at !== null,
    erasedAt: found.erased_at,
  };
}

const selection = sql`SELECT id, name, state, password, signed_out_at, created_at, created_by, created_in, signed_in_at,
  erased_at FROM users`;

/** Also one that was erased. */
export const findUser = read({}, function* findUser({ id }: { id: string }): Verb<User | null> {
  const found = yield* row<UserRow>(sql`${selection} WHERE id = ${id}`);
  return found === undefined ? null : toUser(found);
});

/** Without those that were erased. */
export const listUsers = read({}, function* listUsers(_: Record<string, never>): Verb<UserWithSpaces[]> {
  const listed: UserWithSpaces[] = [];
  for (const found of yield* rows<UserRow>(sql`${selection} WHERE erased_at IS NULL ORDER BY id`)) {
    listed.push({ ...toUser(found), spaces: yield* spacesOf(found.id) });
  }
  return listed;
});

interface SpaceAccessRow {
  space: number;
  space_id: string;
  space_name: string;
  root: string;
  role: Role;
}

export function* spacesOf(user: string): Verb<SpaceAccess[]> {
  const found =
    yield* rows<SpaceAccessRow>(sql`SELECT spaces.space AS space, spaces.id AS space_id, spaces.name AS space_name, root, role
      FROM members JOIN spaces ON spaces.space = members.space WHERE user_id = ${user} ORDER BY spaces.name`);
  return found.map(({ space, space_id: spaceId, space_name: spaceName, root: rootId, role }) => ({
    space,
    spaceId,
    spaceName,
    rootId,
    role,
  }));
}

export interface FindPerson {
  id: string;
  /** The sign-in of the token; null for a token of an external issuer. */
  signIn: SignIn | null;
  at: number;
}

/** The spaces of a user; null for a user who may not act: disabled, unknown, or signed out meanwhile. */
export const findPerson = read({}, function* findPerson({ id, signIn, at }: FindPerson): Verb<SpaceAccess[] | null> {
  const user = yield* findUser({ id });
  if (user === null) return signIn === null ? [] : null;
  if (user.state !== 'active') return null;
  if (signIn !== null) {
    const grant = yield* findIssuerRecord({ model: 'Grant', by: 'id', value: signIn.grant, at });
    const session = yield* findIssuerRecord({ model: 'Session', by: 'uid', value: signIn.session, at });
    if (grant?.user !== id || session?.user !== id) return null;
  }
  return yield* spacesOf(id);
});

/** Notes what concerns a person's account in the journal of each of their spaces, where managers see it. */
export function* noteForPerson(origin: Origin, user: string, action: string, details: object): Verb<void> {
  const spaces = (yield* spacesOf(user)).map(({ space }) => space);
  for (const space of spaces.length === 0 ? [null] : spaces) yield* note(origin, space, action, user, details);
}

export interface AddUser extends Origin {
  id: string;
  name: string;
  password: string | null;
}

export const addUser = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* addUser(input: AddUser & { setup?: NewSetupLink }): Verb<User> {
    const user = yield* insertUser(input, { target: 'User', createdIn: null });
    if (input.setup !== undefined) yield* insertSetupLink(user.id, null, input.setup);
    return user;
  },
);

/** `target`: the field that the id was sent in. */
export function* insertUser(
  input: AddUser,
  { target, createdIn }: { target: string; createdIn: number | null },
): Verb<User> {
  const known = yield* findUser(input);
  if (known !== null) {
    if (known.erasedAt !== null) throw erasedForGood(input.id, target);
    throw new Refusal('NameAlreadyExists', `There is or was a user ${JSON.stringify(input.id)}.`, {
      target,
      hint: 'User ids are never reused. Choose another.',
    });
  }
  yield* insert(intoUsers, [input.id, input.name, 'active', input.password, 0, input.at, input.by, createdIn]);
  yield* note(input, null, 'user.added', input.id, {});
  return yield* requireUser(input.id);
}

/** What the account made still has its id, so nobody else may get it. */
function erasedForGood(id: string, target: string): Refusal {
  return new Refusal(
    'NameAlreadyExists',
    `The account ${JSON.stringify(id)} was erased, and its id is not given out again.`,
    {
      target,
      hint: 'Choose another id.',
    },
  );
}

/** Nothing can be done with an account that was erased. */
export function checkIsNotErased({ id, erasedAt }: Pick<User, 'id' | 'erasedAt'>): void {
  if (erasedAt !== null) throw new Refusal('UserNotFound', `The account ${JSON.stringify(id)} was erased.`);
}

export function* requireUser(id: string): Verb<User> {
  const found = yield* findUser({ id });
  if (found === null) throw new Refusal('UserNotFound', `There is no user ${JSON.stringify(id)}.`);
  checkIsNotErased(found);
  return found;
}

export interface SetUserState extends Origin {
  id: string;
  state: UserState;
}

/** Disabling a user signs them out everywhere. */
export const setUserState = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* setUserState(input: SetUserState): Verb<User> {
    yield* requireUser(input.id);
    yield* execute(sql`UPDATE users SET state = ${input.state} WHERE id = ${input.id}`);
    if (input.state === 'disabled') yield* signOut(input, null);
    yield* note(input, null, `user.${input.state}`, input.id, {});
    return yield* requireUser(input.id);
  },
);

export interface SetPassword extends Origin {
  id: string;
  password: string;
}

/** A new password ends all sign-ins with the old one. */
export const setPassword = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* setPassword(input: SetPassword): Verb<User> {
    const { password } = yield* requireUser(input.id);
    if (password === null) throw new Refusal('InvalidField', 'People of outside issuers have no password here.');
    yield* putPassword(input, null);
    yield* note(input, null, 'user.password', input.id, {});
    return yield* requireUser(input.id);
  },
);

export interface SetOwnPassword extends SetPassword {
  /** The hash that the current password was checked against. */
  before: string;
  /** The sign-in that stays. Null: none. */
  signIn: SignIn | null;
}

/** Returns whether it was set: not if another password was set meanwhile. */
export const setOwnPassword = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* setOwnPassword(input: SetOwnPassword): Verb<boolean> {
    const { id, before, signIn } = input;
    if ((yield* requireUser(id)).password !== before) return false;
    yield* putPassword(input, signIn);
    yield* noteForPerson(input, id, 'user.password', {});
    return true;
  },
);

/** `keep`: the sign-in that stays. */
export function* putPassword(
  { id, password, at }: Pick<SetPassword, 'id' | 'password' | 'at'>,
  keep: SignIn | null,
): Verb<void> {
  yield* execute(sql`UPDATE users SET password = ${password} WHERE id = ${id}`);
  yield* execute(sql`DELETE FROM setup_links WHERE user_id = ${id}`);
  yield* signOut({ id, at }, keep);
}

/** Ends all sign-ins of all users. */
export const endSignIns = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* endSignIns(input: Origin): Verb<void> {
    yield* execute(sql`UPDATE issuer_records SET payload = NULL`);
    yield* note(input, null, 'sign-ins.ended', '', {});
  },
);
