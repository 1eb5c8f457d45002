// The one place that decides whether a caller may do a thing: by the token's scopes, and in a space by the person's role.
// Every operation begins with it. What lies in a space that the caller is not in is not refused here: the catalog is only
// ever asked about the caller's own spaces, so it does not exist.

import type { Caller, Role, Scope, Seat } from './caller.ts';
import { Refusal } from './refusal.ts';

export type Action = 'read' | 'write';

const scopeFor: Record<Action, Scope> = { read: 'content.read', write: 'content.write' };

/** The least role that may do it. */
const roleFor: Record<Action, Role> = { read: 'viewer', write: 'editor' };

const actionsOf: Record<Role, readonly Action[]> = {
  viewer: ['read'],
  editor: ['read', 'write'],
  manager: ['read', 'write'],
};

export function authorize(caller: Caller, action: Action, seat: Seat | null = null): void {
  const scope = scopeFor[action];
  if (!caller.scopes.includes(scope)) {
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

export function isAllowed({ role }: Seat, action: Action): boolean {
  return role === null || actionsOf[role].includes(action);
}
