// Adds, changes and disables people, and grants and revokes their roles, without a permission check.

import type { User, UserWithSpaces } from '../../catalog/verbs/people.ts';
import { isRole, type Role, roles } from '../../domain/caller.ts';
import { Refusal } from '../../domain/refusal.ts';
import type { Cabinet } from '../cabinet.ts';
import { byOperator } from '../origin.ts';
import { checkPassword, generatePassword, hashPassword, makeUnmatchable, TooBusy } from '../passwords.ts';
import { newSetup, type SetupSecret } from '../setup-links.ts';

export interface NewUser {
  id: string;
  name: string | null;
}

export interface UserWithSetup {
  user: User;
  /** Null: the password was given. */
  setup: SetupSecret | null;
}

/** `password` null: the owner sets one, by a setup link. */
export async function addUser(
  cabinet: Cabinet,
  { password, ...user }: NewUser & { password: string | null },
): Promise<UserWithSetup> {
  const account = toAccount(user);
  const origin = byOperator(cabinet);
  if (password === null) {
    const { setup, shown } = newSetup(origin);
    const added = await cabinet.catalog.addUser({ ...account, password: makeUnmatchable(), setup, ...origin });
    return { user: added, setup: shown };
  }
  const hashed = await hashPassword(checkPassword(password, account.id), 'operator').catch(toTooManyRequests);
  return { user: await cabinet.catalog.addUser({ ...account, password: hashed, ...origin }), setup: null };
}

/** `target`: the field that the id was sent as. */
export function toAccount(user: NewUser, target = 'User'): { id: string; name: string } {
  const id = checkUserId(user.id, target);
  return { id, name: checkDisplayName(user.name ?? id) };
}

/** A link by which the person sets a new password. Earlier ones end. */
export async function setUpUser(cabinet: Cabinet, user: string): Promise<{ user: User; setup: SetupSecret }> {
  const origin = byOperator(cabinet);
  const { setup, shown } = newSetup(origin);
  const found = await cabinet.catalog.addSetupLink({
    user: toUserId(user),
    space: null,
    role: null,
    ...setup,
    ...origin,
  });
  return { user: found, setup: shown };
}

function toTooManyRequests(error: unknown): never {
  if (!(error instanceof TooBusy)) throw error;
  throw new Refusal('TooManyRequests', 'Too many passwords are being hashed at once.', { retryAfterSeconds: 2 });
}

/** The journal calls operators and strangers so. */
const reservedIds = new Set(['operator', 'nobody']);

/** `CreatedBy` shows the id; a colon there marks `app:` and the names of outside issuers, so our ids have none. */
function checkUserId(text: string, target: string): string {
  const id = text.toLowerCase();
  if (/^[a-z0-9][a-z0-9._@+-]{0,127}$/.test(id) && !id.startsWith('ak_') && !reservedIds.has(id)) return id;
  throw new Refusal('InvalidField', `${JSON.stringify(text)} is not a valid user id.`, {
    target,
    hint: 'Use 1 to 128 letters, digits and . _ @ + -, beginning with a letter or digit; upper and lower case are the same.',
  });
}

function checkDisplayName(name: string): string {
  const isGood = name.isWellFormed() && !/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(name);
  if (isGood && name.trim() === name && name !== '' && [...name].length <= 200) return name;
  throw new Refusal('InvalidField', 'This is not a valid name for a person.', { target: 'Name' });
}

export function listUsers(cabinet: Cabinet): Promise<UserWithSpaces[]> {
  return cabinet.catalog.listUsers({});
}

export function changeUserState(cabinet: Cabinet, id: string, change: 'disable' | 'enable'): Promise<User> {
  const state = change === 'disable' ? 'disabled' : 'active';
  return cabinet.catalog.setUserState({ id: toUserId(id), state, ...byOperator(cabinet) });
}

export interface UserWithPassword {
  user: User;
  /** Null when the operator chose the password. */
  generatedPassword: string | null;
}

export async function changePassword(
  cabinet: Cabinet,
  user: string,
  password: string | null,
): Promise<UserWithPassword> {
  const id = toUserId(user);
  const generatedPassword = password === null ? generatePassword() : null;
  const hashed = await hashPassword(generatedPassword ?? checkPassword(password ?? '', id), 'operator').catch(
    toTooManyRequests,
  );
  return {
    user: await cabinet.catalog.setPassword({ id, password: hashed, ...byOperator(cabinet) }),
    generatedPassword,
  };
}

/** Signs everyone out. */
export function endSignIns(cabinet: Cabinet): Promise<void> {
  return cabinet.catalog.endSignIns(byOperator(cabinet));
}

interface RoleRequest {
  id: string;
  space: string;
  /** One of the roles, or `none`. */
  role: string;
}

export function changeRole(cabinet: Cabinet, { id, space, role }: RoleRequest): Promise<UserWithSpaces> {
  const newRole = role === 'none' ? null : checkRole(role);
  return cabinet.catalog.setRole({ id: toUserId(id), space, role: newRole, ...byOperator(cabinet) });
}

export function checkRole(role: string): Role {
  if (isRole(role)) return role;
  throw new Refusal('InvalidField', `Unknown role ${JSON.stringify(role)}.`, {
    target: 'Role',
    hint: `Roles are ${roles.join(', ')}; none takes the role away.`,
  });
}

/** Our ids are lower-case; those of outside issuers, `<issuer name>:<subject>`, keep their case. */
export function toUserId(user: string, target = 'User'): string {
  if (!user.includes(':')) return user.toLowerCase();
  const isOutside = /^(?!app:|operator:)[a-z0-9-]{1,32}:[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,200}$/u.test(user);
  if (isOutside && user.trim() === user && !user.endsWith(':')) return user;
  throw new Refusal('InvalidField', `${JSON.stringify(user)} is not a person of an outside issuer.`, {
    target,
    hint: 'Such people are called <issuer name>:<subject>, as CABINET_ISSUERS names the issuer.',
  });
}
