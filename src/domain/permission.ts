// The one place that decides whether a caller may do a thing: by the token's scopes, and in a space by the person's role.
// Every operation begins with it. What lies in a space that the caller is not in is not refused here: the catalog is only
// ever asked about the caller's own spaces, so it does not exist.

import type { Caller, Role, Scope, Seat } from './caller.ts';
import { Refusal } from './refusal.ts';

/** `manage`: applications and people of a space, and what everyone did there. */
export type Action = 'read' | 'write' | 'manage';

/** What the token must carry. */
export const scopeFor: Record<Action, Scope> = {
  read: 'content.read',
  write: 'content.write',
  manage: 'content.admin',
};

/** The least role that may do it. */
const roleFor: Record<Action, Role> = { read: 'viewer', write: 'editor', manage: 'manager' };

const actionsOf: Record<Role, readonly Action[]> = {
  viewer: ['read'],
  editor: ['read', 'write'],
  manager: ['read', 'write', 'manage'],
};

export function authorize(caller: Caller, action: Action, seat: Seat | null = null): void {
  if (!hasScope(caller, action)) {
    const scope = caller.person !== null && action === 'manage' ? 'content.write' : scopeFor[action];
    throw new Refusal('InsufficientScope', `This needs the scope "${scope}", which the token does not carry.`, {
      target: scope,
      hint: 'Ask the token endpoint for a token with this scope, or have the application registered with it.',
    });
  }
  if (seat !== null && !isAllowed(seat, action)) {
    throw new Refusal('Forbidden', `This needs the role "${roleFor[action]}" in the space; yours is "${seat.role}".`, {
      target: roleFor[action],
    });
  }
}

/** A person manages by their role: a token that may write for them is enough. */
function hasScope({ scopes, person }: Caller, action: Action): boolean {
  const isByRole = action === 'manage' && person !== null && scopes.includes('content.write');
  return isByRole || scopes.includes(scopeFor[action]);
}

export function isAllowed({ role }: Seat, action: Action): boolean {
  return role === null || actionsOf[role].includes(action);
}
