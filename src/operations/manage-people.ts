// The people of the caller's space. Managers give and take roles here and make new accounts; passwords and states of
// accounts that are there belong to operators, for an account may be of other spaces too.

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
  /** What to tell the user, when we chose it. */
  generatedPassword: string | null;
}

export async function addMember(
  cabinet: Cabinet,
  caller: Caller,
  asked: NewUser & { role: string },
): Promise<NewMember> {
  const { space } = requireSpace(caller, 'manage');
  const role = checkRole(asked.role);
  const { generatedPassword, ...account } = await toAccount(asked, 'Id');
  const member = await cabinet.catalog.addMember({ ...account, space, role, ...byCaller(cabinet, caller) });
  return { member, generatedPassword };
}

export interface RoleChange {
  id: string;
  /** Null takes it away. */
  role: string | null;
}

/** What can be said before the role is known. Not whether there is such a user: an early answer would tell who has an
 *  account in other spaces, without a trace; who gives a role leaves one. */
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
    // An application can still manage the space when no person can.
    isManagerKept: caller.person !== null,
    ...byCaller(cabinet, caller),
  });
}
