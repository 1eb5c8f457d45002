// Members of spaces and their roles. Operators name a space; over HTTP it is the number of the caller's space.

import type { Role } from '../../domain/caller.ts';
import { Refusal } from '../../domain/refusal.ts';
import { noSpace, read, write } from '../declaration.ts';
import { execute, insert, note, type Origin, row, rows, type Verb } from '../sql.ts';
import { insertInto, sql } from '../statement.ts';
import { endForeignSetupLinks, insertSetupLink, type NewSetupLink } from './new-setup-link.ts';
import {
  checkIsNotErased,
  findUser,
  insertUser,
  requireUser,
  spacesOf,
  type User,
  type UserState,
  type UserWithSpaces,
} from './people.ts';
import { requireSpace } from './spaces.ts';

const intoMembers = insertInto('members', 'user_id space role');

export interface Member {
  id: string;
  name: string;
  state: UserState;
  /** Null once it was revoked. */
  role: Role | null;
  createdAt: number;
  createdBy: string | null;
  hasSignedIn: boolean;
}

interface MemberRow {
  id: string;
  name: string;
  state: UserState;
  role: Role;
  created_at: number;
  created_by: string | null;
  signed_in_at: number | null;
}

const selection = sql`SELECT id, name, state, role, created_at, created_by, signed_in_at
  FROM members JOIN users ON users.id = members.user_id`;

function toMember(found: MemberRow): Member {
  const { id, name, state, role, created_at: createdAt, created_by: createdBy, signed_in_at: signedInAt } = found;
  return { id, name, state, role, createdAt, createdBy, hasSignedIn: signedInAt !== null };
}

export interface ListMembers {
  space: number;
  /** The page begins after this id; null: the first page. */
  after: string | null;
  limit: number;
}

export const listMembers = read({}, function* listMembers({ space, after, limit }: ListMembers): Verb<Member[]> {
  const found = yield* rows<MemberRow>(
    sql`${selection} WHERE space = ${space} AND user_id > ${after ?? ''} ORDER BY user_id LIMIT ${limit}`,
  );
  return found.map(toMember);
});

export const findMember = read(
  {},
  function* findMember({ space, id }: { space: number; id: string }): Verb<Member | null> {
    const found = yield* row<MemberRow>(sql`${selection} WHERE space = ${space} AND user_id = ${id}`);
    return found === undefined ? null : toMember(found);
  },
);

function* findRole(space: number, id: string): Verb<Role | null> {
  const found = yield* row<{ role: Role }>(sql`SELECT role FROM members WHERE user_id = ${id} AND space = ${space}`);
  return found?.role ?? null;
}

export interface SetRole extends Origin {
  id: string;
  space: string;
  /** Null revokes the role. */
  role: Role | null;
}

export const setRole = write(
  { space: () => noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* setRole(input: SetRole): Verb<UserWithSpaces> {
    const { id } = input;
    yield* putRole({ ...input, space: yield* requireSpace(input.space) });
    return { ...(yield* requireUser(id)), spaces: yield* spacesOf(id) };
  },
);

export interface SetMember extends Origin {
  id: string;
  space: number;
  role: Role | null;
  /** Whether to refuse a change that leaves the space without a manager. */
  isManagerKept: boolean;
}

export const setMember = write(
  { space: ({ space }) => space, lock: 'exclusive', pages: 'unchanged' },
  function* setMember(input: SetMember): Verb<Member> {
    const { id, space, role } = input;
    const before = yield* findRole(space, id);
    if (role === null && before === null) {
      throw new Refusal('UserNotFound', 'There is no such user.');
    }
    const user = yield* findUser({ id });
    if (user === null && !id.includes(':')) throw new Refusal('UserNotFound', 'There is no such user.');
    if (user !== null) checkIsNotErased(user);
    if (role !== null && user !== null) checkIsOwned(user, space);
    if (input.isManagerKept && before === 'manager' && role !== 'manager') yield* requireOtherManager(space, id);
    yield* putRole(input);
    const { name, state, createdAt, createdBy, hasSignedIn } = yield* requireUser(id);
    return { id, name, state, role, createdAt, createdBy, hasSignedIn };
  },
);

/** Until its owner has signed in, an account of another space is in the hands of whoever made it. */
function checkIsOwned({ createdIn, hasSignedIn }: User, space: number): void {
  if (createdIn === null || createdIn === space || hasSignedIn) return;
  throw new Refusal('Forbidden', 'This account was made in another space, and its owner has never signed in.', {
    hint: 'Give the role after the first sign-in, or ask an operator to give it.',
  });
}

function* requireOtherManager(space: number, id: string): Verb<void> {
  const other = yield* row(
    sql`${selection} WHERE space = ${space} AND user_id <> ${id} AND role = 'manager' AND state = 'active' LIMIT 1`,
  );
  if (other !== undefined) return;
  throw new Refusal('LastManager', 'This would leave the space without a manager.', {
    target: 'Role',
    hint: 'Give someone else the role manager first.',
  });
}

export interface AddMember extends Origin {
  id: string;
  name: string;
  /** One that nothing matches, until the owner sets another. */
  password: string;
  setup: NewSetupLink;
  space: number;
  role: Role;
}

/** A new account, with a role in one space. */
export const addMember = write(
  { space: ({ space }) => space, lock: 'exclusive', pages: 'unchanged' },
  function* addMember(input: AddMember): Verb<Member> {
    const { space, role } = input;
    const { id, name, state, createdAt, createdBy } = yield* insertUser(input, { target: 'Id', createdIn: space });
    yield* putRole(input);
    yield* insertSetupLink(id, space, input.setup);
    return { id, name, state, role, createdAt, createdBy, hasSignedIn: false };
  },
);

interface TrustedUser {
  id: string;
  space: number;
  /** Rights are taken away: then the person need only exist. */
  isRemoval: boolean;
}

/** A person who can be given rights in the space, by the rules of roles. People of outside issuers get a row now. */
export function* ensureTrustedUser(origin: Origin, { id, space, isRemoval }: TrustedUser): Verb<void> {
  const user = yield* findUser({ id });
  if (user === null && (isRemoval || !id.includes(':'))) {
    throw new Refusal('UserNotFound', `There is no user "${id}".`);
  }
  if (user !== null) checkIsNotErased(user);
  if (isRemoval) return;
  if (user === null)
    yield* insertUser({ ...origin, id, name: id, password: null }, { target: 'User', createdIn: null });
  else checkIsOwned(user, space);
  yield* endForeignSetupLinks(id, space);
}

function* putRole(input: Origin & { id: string; space: number; role: Role | null }): Verb<void> {
  const { id, space, role } = input;
  const isNew = role !== null && id.includes(':') && (yield* findUser({ id })) === null;
  if (isNew) {
    yield* insertUser({ ...input, name: id, password: null }, { target: 'User', createdIn: null });
  }
  yield* requireUser(id);
  yield* execute(sql`DELETE FROM members WHERE user_id = ${id} AND space = ${space}`);
  if (role !== null) {
    yield* insert(intoMembers, [id, space, role]);
    yield* endForeignSetupLinks(id, space);
  }
  yield* note(input, space, 'user.role', id, { role });
}
