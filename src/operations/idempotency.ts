// Under whose name a request is remembered by its Idempotency-Key, and what makes two requests the same.

import { hash } from 'node:crypto';
import type { Idempotency } from '../catalog/idempotency.ts';
import type { Caller } from '../domain/caller.ts';

/** A key belongs to the application, and to the person for whom it acts: nobody is given another's result. */
export function toIdempotency(
  { appKey, person }: Caller,
  operation: Idempotency['operation'],
  key: string | null,
  parameters: readonly unknown[],
): Idempotency | null {
  if (key === null) return null;
  const owner = person === null ? appKey : `${appKey} ${person}`;
  return { appKey: owner, operation, key, fingerprint: hash('sha256', JSON.stringify(parameters)) };
}
