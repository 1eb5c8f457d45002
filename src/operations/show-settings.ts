// The configuration is of the whole service, and is shown to whoever manages a space in it.

import type { Caller } from '../domain/caller.ts';
import { requireSpace } from './access.ts';

export function showSettings<InForce>(caller: Caller, inForce: InForce): InForce {
  requireSpace(caller, 'manage');
  return inForce;
}
