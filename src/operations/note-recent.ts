// Remembers what a person has opened or saved last. It lags behind, and is not durable when a request is answered: losing some is
// no harm, and no request waits for it.

import { LRUCache } from 'lru-cache';
import type { Catalog } from '../catalog/catalog.ts';
import type { Caller } from '../domain/caller.ts';
import type { Cabinet } from './cabinet.ts';

/** The same entry is noted again after this long. */
const repeatMs = 60 * 1000;
/** A program that reads everything is no person who opens files. */
const maxPerMinute = 60;

interface Noted {
  entries: LRUCache<string, number>;
  people: LRUCache<string, { since: number; count: number }>;
}

const noted = new WeakMap<Catalog, Noted>();

/** Applications that act for themselves have no such list. */
export function noteRecent(
  { catalog, clock }: Cabinet,
  { person }: Caller,
  { space, id }: { space: number; id: string },
): void {
  if (person === null) return;
  const { entries, people } = findNoted(catalog);
  const at = clock.now();
  const key = `${person} ${space} ${id}`;
  if (at - (entries.get(key) ?? -repeatMs) < repeatMs) return;
  const minute = people.get(person);
  if (minute === undefined || at - minute.since >= repeatMs) people.set(person, { since: at, count: 1 });
  else if (minute.count >= maxPerMinute) return;
  else minute.count += 1;
  entries.set(key, at);
  void catalog.noteRecent({ user: person, space, id, at }).catch(() => entries.delete(key));
}

function findNoted(catalog: Catalog): Noted {
  let found = noted.get(catalog);
  if (found === undefined) {
    found = { entries: new LRUCache({ max: 10_000 }), people: new LRUCache({ max: 10_000 }) };
    noted.set(catalog, found);
  }
  return found;
}
