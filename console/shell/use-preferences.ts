// What a person prefers, for what is drawn: drawn anew when it changes.

import { useSyncExternalStore } from 'react';
import { onPreferred, type Preferences, preferences } from './preferences.ts';

export function usePreferences(): Preferences {
  return useSyncExternalStore(onPreferred, preferences);
}
