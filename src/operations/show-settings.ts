// The settings of the service: all of them for an application that operators registered and that manages for itself; for managers of
// spaces those that decide what they may do. How the service is run is not theirs to know.

import type { Caller } from '../domain/caller.ts';
import { requireSpace } from './access.ts';

interface Shown<Setting> {
  settings: readonly Setting[];
}

export function showSettings<Setting extends { isForManagers: boolean }, Info extends Shown<Setting>>(
  caller: Caller,
  info: Info & Shown<Setting>,
): Info {
  requireSpace(caller, 'manage');
  if (caller.person === null && caller.isTrusted) return info;
  return { ...info, settings: info.settings.filter(({ isForManagers }) => isForManagers) };
}
