// Reads what is to be changed in the caller's space. The role is asked for before the body is read, and so is by the route
// whatever the path names; what counts in the end is what the caller may do then.

import type { Caller } from '../../domain/caller.ts';
import { requireSpace } from '../../operations/access.ts';
import { readJsonBody } from '../json-body.ts';
import type { CallerExchange } from '../route.ts';

export interface Managed<Fields> {
  check(value: unknown): Fields;
  /** What could be sent, for the hint. */
  example: string;
  isOptional?: boolean;
}

export async function readManaged<Fields>(
  exchange: CallerExchange,
  caller: Caller,
  { check, ...body }: Managed<Fields>,
): Promise<{ fields: Fields; current: Caller }> {
  requireSpace(caller, 'manage');
  const fields = check(await readJsonBody(exchange, body));
  return { fields, current: await exchange.renewCaller() };
}
