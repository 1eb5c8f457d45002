// The people of the caller's space. Managers grant and revoke roles and create accounts; passwords and states of existing accounts
// belong to operators, because an account may be a member of other spaces.

import type { Member } from '../catalog/verbs/members.ts';
import { type Caller, selectSpace } from '../domain/caller.ts';
import { authorizeRole, mayDo } from '../domain/permission.ts';
import { Refusal } from '../domain/refusal.ts';
import { requireSpace } from './access.ts';
import { checkRole, type NewUser, toAccount, toUserId } from './admin/people.ts';
import type { Cabinet } from './cabinet.ts';
import { byCaller } from './origin.ts';
import { type ListRequest, type Page, toPage } from './page.ts';
import { makeUnmatchable } from './passwords.ts';
import { newSetup, type SetupSecret } from './setup-links.ts';

export async function listMembers(
  { catalog }: Cabinet,
  caller: Caller,
  { after, limit }: ListRequest,
): Promise<Page<Member>> {
  const { space } = requireSpace(caller, 'read');
  return toPage(await catalog.listMembers({ space, after, limit: limit + 1 }), limit, ({ id }) => id);
}

/** Managers see who made an account, and whether its owner has ever signed in. */
export function isManager(caller: Caller): boolean {
  return mayDo(caller, 'manage', selectSpace(caller));
}

export async function showMember(cabinet: Cabinet, caller: Caller, id: string): Promise<Member> {
  return await requireMember(cabinet, requireSpace(caller, 'read').space, toUserId(id, 'id'));
}

async function requireMember({ catalog }: Cabinet, space: number, id: string): Promise<Member> {
  const member = await catalog.findMember({ space, id });
  if (member === null) throw new Refusal('UserNotFound', 'There is no such user.');
  return member;
}

export interface NewMember {
  member: Member;
  /** The link by which the person sets the first password. */
  setup: SetupSecret;
}

export async function addMember(
  cabinet: Cabinet,
  caller: Caller,
  user: NewUser & { role: string },
): Promise<NewMember> {
  const { space } = requireSpace(caller, 'manage');
  const role = checkRole(user.role);
  const account = toAccount(user, 'Id');
  authorizeRole(caller, role);
  const origin = byCaller(cabinet, caller);
  const { setup, shown } = newSetup(origin);
  const password = makeUnmatchable();
  const member = await cabinet.catalog.addMember({
    ...account,
    password,
    setup,
    space,
    role,
    ...origin,
  });
  return { member, setup: shown };
}

/** A new link for a member of the caller's space. Earlier ones end. */
export async function addSetupLink(cabinet: Cabinet, caller: Caller, user: string): Promise<SetupSecret> {
  const { space } = requireSpace(caller, 'manage');
  const id = toUserId(user, 'id');
  const { role } = await requireMember(cabinet, space, id);
  if (role !== null) authorizeRole(caller, role);
  const origin = byCaller(cabinet, caller);
  const { setup, shown } = newSetup(origin);
  await cabinet.catalog.addSetupLink({ user: id, space, role, ...setup, ...origin });
  return shown;
}

interface RoleChange {
  id: string;
  /** Null revokes it. */
  role: string | null;
}

/** Checks that do not need the role. They do not say whether the user exists: that would reveal accounts of other spaces
 *  without a trace, while granting a role leaves one in the journal. */
export function admitRole(caller: Caller, id: string): void {
  requireSpace(caller, 'manage');
  toUserId(id, 'id');
}

export async function changeMember(cabinet: Cabinet, caller: Caller, { id, role }: RoleChange): Promise<Member> {
  const { space } = requireSpace(caller, 'manage');
  const given = role === null ? null : checkRole(role);
  if (given !== null) authorizeRole(caller, given);
  return await cabinet.catalog.setMember({
    space,
    id: toUserId(id, 'id'),
    role: given,
    // An application may remove the last manager: it can still manage the space itself.
    isManagerKept: caller.person !== null,
    ...byCaller(cabinet, caller),
  });
}
