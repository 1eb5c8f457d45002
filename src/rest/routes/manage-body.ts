// Reads the body of a request that manages the caller's space. The role is checked before the body is read, so that a refusal
// comes early; the operation checks it again, for the caller as of then.

import type { Caller } from '../../domain/caller.ts';
import { requireSpace } from '../../operations/access.ts';
import { readJsonBody } from '../bodies/json-body.ts';
import type { CallerExchange } from '../route.ts';

interface ManageBody<Fields> {
  check(value: unknown): Fields;
  /** Shown in the hint of a refusal. */
  example: string;
  isOptional?: boolean;
}

export async function readManageBody<Fields>(
  exchange: CallerExchange,
  caller: Caller,
  { check, ...body }: ManageBody<Fields>,
): Promise<{ fields: Fields; current: Caller }> {
  requireSpace(caller, 'manage');
  const fields = check(await readJsonBody(exchange, body));
  return { fields, current: await exchange.renewCaller() };
}
