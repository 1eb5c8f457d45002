// What a space contains for someone without a role there: the topmost entries that grants show, each under a name of its own.

import type { EntryDetails } from '../catalog/verbs/tree.ts';
import type { SpaceAccess } from '../domain/caller.ts';
import { toNameKey, toRenamed } from '../domain/name.ts';
import type { Cabinet } from './cabinet.ts';

export interface SharedTop {
  details: EntryDetails;
  /** Its own, or numbered where another top has the same. */
  name: string;
}

/** By name. Empty where the caller has a role in the space: then its root has everything. */
export async function listSharedTops({ catalog }: Cabinet, { space, view }: SpaceAccess): Promise<SharedTop[]> {
  if (view === undefined) return [];
  const tops: SharedTop[] = [];
  const taken = new Set<string>();
  for (const { id } of await catalog.listGrantTops({ space, principals: view.principals })) {
    const details = await catalog.findDetails({ space, id });
    if (details === null) continue;
    const { name, kind } = details.entry;
    let free = name;
    for (let n = 2; taken.has(toNameKey(free)); n += 1) free = toRenamed(name, n, kind);
    taken.add(toNameKey(free));
    tops.push({ details: { ...details, path: `/${name}` }, name: free });
  }
  return tops;
}

export interface SharedStart {
  /** The id of the top. */
  root: string;
  /** What is left of the path beneath it. */
  names: readonly string[];
}

/** Where a path begins that leads down from what was shared. Null: nowhere. */
export async function findSharedStart(
  cabinet: Cabinet,
  access: SpaceAccess,
  [first, ...names]: readonly string[],
): Promise<SharedStart | null> {
  if (first === undefined) return null;
  const key = toNameKey(first);
  const top = (await listSharedTops(cabinet, access)).find(({ name }) => toNameKey(name) === key);
  return top === undefined ? null : { root: top.details.entry.id, names };
}
