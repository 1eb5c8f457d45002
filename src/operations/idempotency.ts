// The owner and the fingerprint of an Idempotency-Key: who may replay a request, and what makes two requests the same.

import { hash } from 'node:crypto';
import type { Idempotency } from '../catalog/verbs/idempotency.ts';
import type { Caller } from '../domain/caller.ts';
import type { Cabinet } from './cabinet.ts';

export function toIdempotency(
  caller: Caller,
  operation: Idempotency['operation'],
  key: string | null,
  parameters: readonly unknown[],
): Idempotency | null {
  if (key === null) return null;
  return { appKey: toOwner(caller), operation, key, fingerprint: hash('sha256', JSON.stringify(parameters)) };
}

/** A key belongs to the application and to the person for whom it acts: nobody gets another's result. */
function toOwner({ appKey, person }: Caller): string {
  return person === null ? appKey : `${appKey} ${person}`;
}

/** Whether the key is known. Whether the request is the same is only clear once its body has been read. */
export async function mayBeRepeated(
  { catalog, clock }: Cabinet,
  caller: Caller,
  { operation, key }: { operation: Idempotency['operation']; key: string | null },
): Promise<boolean> {
  if (key === null) return false;
  return await catalog.isKeyKnown({ idempotency: { appKey: toOwner(caller), operation, key }, at: clock.now() });
}
