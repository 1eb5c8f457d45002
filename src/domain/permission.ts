// The one place that decides whether a caller may do a thing. Every operation begins with it. What lies in another
// space is not refused here: the catalog is only ever asked about the caller's own space, so it does not exist.

import type { Caller, Scope } from './caller.ts';
import { Refusal } from './refusal.ts';

export type Action = 'read' | 'write';

const scopeFor: Record<Action, Scope> = { read: 'content.read', write: 'content.write' };

export function authorize(caller: Caller, action: Action): void {
  const scope = scopeFor[action];
  if (!caller.scopes.includes(scope)) {
    throw new Refusal('InsufficientScope', `This needs the scope "${scope}", which the token does not carry.`, {
      target: scope,
      hint: 'Ask the token endpoint for a token with this scope, or have the application registered with it.',
    });
  }
}
