// What a committed write changes of the first pages of folders that are cached.

import type { Entry } from '../../domain/entry.ts';

/** An entry that is new or has changed, in the folder that holds it. */
export interface PlacedEntry {
  holder: string;
  entry: Entry;
  /** The holder as it is now, if it has changed too. */
  folder?: Entry;
  /** The position of the change in the journal. */
  position: number;
}

export type PageChange =
  | { isEverything: true }
  | {
      /** Folders whose pages are dropped: a size that they show has changed, or an entry was added that no page may hold. */
      gone: string[];
      placed: PlacedEntry[];
    };

/** The change of a write that dropped and placed these. Entries that are too large for a page drop the page instead. */
export function toPageChange(gone: readonly string[], placed: readonly PlacedEntry[]): PageChange {
  const isTooHeavy = ({ entry, folder }: PlacedEntry) => isHeavy(entry) || (folder !== undefined && isHeavy(folder));
  const [heavy, light] = [placed.filter(isTooHeavy), placed.filter((one) => !isTooHeavy(one))];
  return { gone: [...gone, ...heavy.map(({ holder }) => holder)], placed: light };
}

/** A page with an entry of more properties than this is not cached, so that the memory of the cache is bounded. */
const maxPropertiesBytes = 2048;

export function isHeavy({ properties }: Entry): boolean {
  let bytes = 0;
  for (const key in properties) bytes += key.length + (properties[key]?.length ?? 0);
  return bytes > maxPropertiesBytes;
}
