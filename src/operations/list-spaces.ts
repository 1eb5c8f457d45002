// The spaces that the caller is in.

import type { Caller, Seat } from '../domain/caller.ts';
import { authorize } from '../domain/permission.ts';

export function listSpaces(caller: Caller): readonly Seat[] {
  authorize(caller, 'read');
  return caller.seats;
}
