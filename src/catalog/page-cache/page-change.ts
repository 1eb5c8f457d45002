// What a committed write changes of the cached first pages of folders.

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
      /** Folders whose pages are dropped: a size that they show has changed, or an entry is too large for the cache. */
      gone: string[];
      placed: PlacedEntry[];
    };

/** Entries that are too large for the cache drop the page of their folder instead. */
export function toPageChange(gone: readonly string[], placed: readonly PlacedEntry[]): PageChange {
  const isTooHeavy = ({ entry, folder }: PlacedEntry) => isHeavy(entry) || (folder !== undefined && isHeavy(folder));
  const [heavy, light] = [placed.filter(isTooHeavy), placed.filter((one) => !isTooHeavy(one))];
  return { gone: [...gone, ...heavy.map(({ holder }) => holder)], placed: light };
}

/** A page with an entry that has more properties than this is not cached, which bounds the memory of the cache. */
const maxPropertiesBytes = 2048;

export function isHeavy({ properties }: Entry): boolean {
  let bytes = 0;
  for (const key in properties) bytes += key.length + (properties[key]?.length ?? 0);
  return bytes > maxPropertiesBytes;
}
