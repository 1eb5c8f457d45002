// The origin of a change as the journal records it.

import { randomUUID } from 'node:crypto';
import type { Origin } from '../catalog/sql.ts';
import type { Caller } from '../domain/caller.ts';
import type { Cabinet } from './cabinet.ts';

/** A command of an operator. It has no request, so it gets a tracking id of its own. */
export function byOperator({ clock }: Pick<Cabinet, 'clock'>): Origin {
  return { at: clock.now(), by: 'operator', request: randomUUID() };
}

export function byCaller({ clock }: Pick<Cabinet, 'clock'>, caller: Caller): Origin {
  const { actor, requestId, person, appKey, lockTokens } = caller;
  return {
    at: clock.now(),
    by: actor,
    request: requestId,
    ...(person !== null && { through: appKey }),
    ...(lockTokens !== undefined && { lockTokens }),
  };
}
