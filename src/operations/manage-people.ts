// The people of the caller's space. Managers grant and revoke roles and create accounts; passwords and states of existing accounts
// belong to operators, because an account may be a member of other spaces.

import type { Member } from '../catalog/verbs/members.ts';
import type { Caller } from '../domain/caller.ts';
import { requireSpace } from './access.ts';
import { checkRole, type NewUser, toAccount, toUserId } from './admin/people.ts';
import type { Cabinet } from './cabinet.ts';
import { byCaller } from './origin.ts';
import { type ListRequest, type Page, toPage } from './page.ts';

export async function listMembers(
  { catalog }: Cabinet,
  caller: Caller,
  { after, limit }: ListRequest,
): Promise<Page<Member>> {
  const { space } = requireSpace(caller, 'read');
  return toPage(await catalog.listMembers({ space, after, limit: limit + 1 }), limit, ({ id }) => id);
}

export interface NewMember {
  member: Member;
  /** Null when the manager chose the password. */
  generatedPassword: string | null;
}

export async function addMember(
  cabinet: Cabinet,
  caller: Caller,
  user: NewUser & { role: string },
): Promise<NewMember> {
  const { space } = requireSpace(caller, 'manage');
  const role = checkRole(user.role);
  const { generatedPassword, ...account } = await toAccount(user, { by: caller.actor, target: 'Id' });
  const member = await cabinet.catalog.addMember({ ...account, space, role, ...byCaller(cabinet, caller) });
  return { member, generatedPassword };
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
  return await cabinet.catalog.setMember({
    space,
    id: toUserId(id, 'id'),
    role: role === null ? null : checkRole(role),
    // An application may remove the last manager: it can still manage the space itself.
    isManagerKept: caller.person !== null,
    ...byCaller(cabinet, caller),
  });
}
