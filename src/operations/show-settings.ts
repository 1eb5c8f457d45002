// The settings of the service, shown to managers of any space.

import type { Caller } from '../domain/caller.ts';
import { requireSpace } from './access.ts';

export function showSettings<Settings>(caller: Caller, settings: Settings): Settings {
  requireSpace(caller, 'manage');
  return settings;
}
