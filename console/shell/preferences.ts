// Preferences of this browser: colours, density, language, and how folders are shown. Nothing secret. Read before React is loaded, so
// that the first paint has the right colours.

export interface Preferences {
  theme: 'system' | 'light' | 'dark';
  density: 'comfortable' | 'compact';
  /** Null: as the browser says. */
  language: string | null;
  view: 'list' | 'grid';
  /** The space that was open last. */
  spaceId: string | null;
}

const key = 'cabinet.preferences';
const usual: Preferences = { theme: 'system', density: 'comfortable', language: null, view: 'list', spaceId: null };
const listeners = new Set<() => void>();
let current = read();

function read(): Preferences {
  try {
    return { ...usual, ...(JSON.parse(window.localStorage.getItem(key) ?? '{}') as Partial<Preferences>) };
  } catch {
    return usual;
  }
}

export function preferences(): Preferences {
  return current;
}

export function prefer(changes: Partial<Preferences>): void {
  current = { ...current, ...changes };
  try {
    window.localStorage.setItem(key, JSON.stringify(current));
  } catch {
    // A browser that stores nothing forgets it at the next start, as configured.
  }
  applyPreferences();
  for (const listener of listeners) listener();
}

/** The style sheets read them from the root element. */
export function applyPreferences(): void {
  const { dataset } = document.documentElement;
  dataset.theme = current.theme;
  dataset.density = current.density;
}

export function onPreferred(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
