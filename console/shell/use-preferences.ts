// The preferences as a React hook.

import { useSyncExternalStore } from 'react';
import { onPreferred, type Preferences, preferences } from './preferences.ts';

export function usePreferences(): Preferences {
  return useSyncExternalStore(onPreferred, preferences);
}
