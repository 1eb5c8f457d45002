// What the token's scopes and a role allow. Every operation decides by it, with the role that the caller has in the space or by
// grants on the entry (`operations/access.ts`). Entries of other spaces are not refused here: the catalog is only queried for the
// caller's own spaces, so they do not exist.

import type { Caller, Role, Scope, SpaceAccess } from './caller.ts';
import { Refusal } from './refusal.ts';

/** `manage`: applications and people of a space, and what everyone did there. */
export type Action = 'read' | 'write' | 'manage';

/** The scope that the token must have. */
export const scopeFor: Record<Action, Scope> = {
  read: 'content.read',
  write: 'content.write',
  manage: 'content.admin',
};

/** The lowest role that may do it. */
const roleFor: Record<Action, Role> = { read: 'viewer', write: 'editor', manage: 'manager' };

const actionsOf: Record<Role, readonly Action[]> = {
  viewer: ['read'],
  editor: ['read', 'write'],
  manager: ['read', 'write', 'manage'],
};

export function authorize(caller: Caller, action: Action, access: SpaceAccess | null = null): void {
  if (!hasScope(caller, action)) {
    const scope = caller.person !== null && action === 'manage' ? 'content.write' : scopeFor[action];
    throw new Refusal('InsufficientScope', `The token does not have the scope "${scope}".`, {
      target: scope,
      hint: 'Request a token with this scope, or register the application with it.',
    });
  }
  if (access !== null && !isAllowed(access, action)) {
    throw new Refusal('Forbidden', toLack(action, access), { target: roleFor[action] });
  }
}

function toLack(action: Action, { role, view }: SpaceAccess): string {
  const needed = `You need the role "${roleFor[action]}"`;
  if (view === undefined) return `${needed} in the space; yours is "${role}".`;
  if (action === 'manage') return `${needed} in the space. You have no role there.`;
  return `${needed} on the entry, which is shared with you as "${role}".`;
}

/** Whether `authorize` would allow it. */
export function mayDo(caller: Caller, action: Action, access: SpaceAccess): boolean {
  return hasScope(caller, action) && isAllowed(access, action);
}

/** A person manages by their role: a token that may write for them is enough. */
function hasScope({ scopes, person }: Caller, action: Action): boolean {
  const isByRole = action === 'manage' && person !== null && scopes.includes('content.write');
  return isByRole || scopes.includes(scopeFor[action]);
}

/** Rights never grow through people: an application gives only roles that its own scopes cover. An application of an operator
 *  that acts for a person gives what the person may give. */
export function authorizeRole({ scopes, person, isTrusted }: Caller, role: Role): void {
  if (person !== null && isTrusted) return;
  const missing = actionsOf[role].map((action) => scopeFor[action]).find((scope) => !scopes.includes(scope));
  if (missing === undefined) return;
  throw new Refusal('InsufficientScope', `Giving the role "${role}" needs the scope "${missing}".`, {
    target: missing,
    hint: 'An application can only give roles that its own scopes cover.',
  });
}

export function isAllowed({ role }: SpaceAccess, action: Action): boolean {
  return role === null || actionsOf[role].includes(action);
}
