// Who may see an entry and why; granting and revoking; and what is shared with the caller.

import type { AccessLine, Principal, SharedEntry } from '../catalog/verbs/grants.ts';
import { type Caller, isGrantRole, type SpaceAccess } from '../domain/caller.ts';
import { entryNotFound } from '../domain/missing.ts';
import { authorize, authorizeRole } from '../domain/permission.ts';
import { Refusal } from '../domain/refusal.ts';
import { requireAccess } from './access.ts';
import { toUserId } from './admin/people.ts';
import type { Cabinet } from './cabinet.ts';
import { byCaller } from './origin.ts';
import { type ListRequest, type Page, toPage } from './page.ts';

export type { AccessLine };

/** Nearest first, and the members of the space last. Without a role in the space only the caller's own lines. */
export async function listAccess(
  cabinet: Cabinet,
  caller: Caller,
  { id, after, limit }: ListRequest & { id: string },
): Promise<Page<AccessLine>> {
  const { space, view } = await requireAccess(cabinet, caller, { action: 'read', id, missing: entryNotFound });
  const lines = await cabinet.catalog.listAccess({ space, id, principals: view?.principals ?? null });
  if (lines === null) throw entryNotFound();
  const begin = after === null ? 0 : lines.findIndex((line) => toKey(line) === after) + 1;
  return toPage(lines.slice(begin, begin + limit + 1), limit, toKey);
}

function toKey({ principal, from }: AccessLine): string {
  return JSON.stringify([principal, from?.id ?? null]);
}

/** Checks what can be checked before the body is read. */
export async function admitGrant(
  cabinet: Cabinet,
  caller: Caller,
  { id, principal }: { id: string; principal: string },
): Promise<SpaceAccess> {
  toPrincipal(principal);
  const access = await requireAccess(cabinet, caller, { action: 'manage', id, missing: entryNotFound });
  if ((await cabinet.catalog.findEntry({ space: access.space, id })) === null) throw entryNotFound();
  return access;
}

interface GrantRequest {
  id: string;
  principal: string;
  /** Null revokes the grant. */
  role: string | null;
}

export async function changeGrant(
  cabinet: Cabinet,
  caller: Caller,
  { id, principal, role }: GrantRequest,
): Promise<void> {
  const to = toPrincipal(principal);
  const { space } = await requireAccess(cabinet, caller, { action: 'manage', id, missing: entryNotFound });
  if (role !== null && !isGrantRole(role)) {
    throw new Refusal('InvalidField', `${JSON.stringify(role)} cannot be granted on an entry.`, {
      target: 'Role',
      hint: 'Send viewer or editor.',
    });
  }
  if (role !== null) authorizeRole(caller, role);
  await cabinet.catalog.putGrant({ space, id, principal: to, role, ...byCaller(cabinet, caller) });
}

function toPrincipal(text: string): Principal {
  const [, kind, name = ''] = /^(user|group):(.+)$/s.exec(text) ?? [];
  if (kind === 'user') return { kind, name: toUserId(name, 'principal') };
  if (kind === 'group') return { kind, name };
  throw new Refusal('InvalidField', `${JSON.stringify(text)} is neither a person nor a group.`, {
    target: 'principal',
    hint: 'Send user: and the id of a person, or group: and the name of a group.',
  });
}

export interface SharedWithMe extends SharedEntry {
  access: Pick<SpaceAccess, 'spaceId' | 'spaceName'>;
}

/** In the order in which the entries were created. */
export async function listSharedWithMe(
  { catalog }: Cabinet,
  caller: Caller,
  { after, limit }: { after: number | null; limit: number },
): Promise<{ items: SharedWithMe[]; next: number | null }> {
  authorize(caller, 'read');
  const { grants = [] } = caller;
  const listed = await catalog.listShared({
    spaces: grants.map(({ space, principals }) => ({ space, principals })),
    after: after ?? 0,
    limit: limit + 1,
  });
  const items = listed.slice(0, limit).flatMap((shared) => {
    const access = grants.find(({ space }) => space === shared.space);
    return access === undefined ? [] : [{ ...shared, access }];
  });
  return { items, next: listed.length > limit ? (listed[limit - 1]?.number ?? null) : null };
}
