// Searches a space. The index proposes entries, best first; the catalog decides which of them can be seen and are asked
// for. A question that nearly everything has to be looked at for ends early: its page is short and leads on.

import type { HitFilter } from '../catalog/verbs/search-hits.ts';
import { type Caller, type SpaceAccess, selectSpace, toFolderId } from '../domain/caller.ts';
import type { Entry } from '../domain/entry.ts';
import { folderNotFound, notAFolder } from '../domain/missing.ts';
import { authorize } from '../domain/permission.ts';
import type { Query } from '../search/query.ts';
import type { IndexStatus } from '../search/sqlite/searcher-thread.ts';
import { requireAccess } from './access.ts';
import type { Cabinet } from './cabinet.ts';

/** Entries that the catalog is asked about at a time, and in all for one page. */
const chunkEntries = 100;
const maxLookedAt = 5000;
const maxSlices = 20;
/** First the entries that have all words in their names, then the others. */
const stages = 2;

/** Where a page ended: behind this entry, in the slice of the index that begins below `before`. */
export interface SearchCursor {
  stage: number;
  before: number | null;
  /** Null: at the beginning of the slice. */
  last: { entry: number; score: number } | null;
}

export interface SearchRequest extends Omit<HitFilter, 'folder'> {
  text: string | null;
  /** Null: the whole space. */
  folderId: string | null;
  limit: number;
  after: SearchCursor | null;
}

export interface SearchResult {
  entry: Entry;
  path: string;
  /** HTML, escaped, with `<mark>` around what was found. */
  snippet: string;
}

export interface SearchPage {
  results: SearchResult[];
  next: SearchCursor | null;
}

export async function search(cabinet: Cabinet, caller: Caller, request: SearchRequest): Promise<SearchPage> {
  const query = cabinet.search.parse(request.text);
  const { access, folder } = await findScope(cabinet, caller, request.folderId);
  const { kind, contentType, modifiedAfter, properties } = request;
  const filter: HitFilter = { folder, kind, contentType, modifiedAfter, properties };
  const collector = new Collector(cabinet, { space: access.space, query, filter, limit: request.limit });
  const next = await collector.collect(request.after ?? { stage: 0, before: null, last: null });
  return { results: await collector.toResults(), next };
}

async function findScope(
  cabinet: Cabinet,
  caller: Caller,
  folderId: string | null,
): Promise<{ access: SpaceAccess; folder: string | null }> {
  if (folderId === null) {
    const access = selectSpace(caller);
    authorize(caller, 'read', access);
    return { access, folder: null };
  }
  const id = toFolderId(caller, folderId);
  const missing = () => folderNotFound('folder');
  const access = await requireAccess(cabinet, caller, { action: 'read', id, missing });
  const found = await cabinet.catalog.findEntry({ space: access.space, id });
  if (found === null) throw missing();
  if (found.kind !== 'folder') throw notAFolder('folder');
  return { access, folder: id };
}

interface Asked {
  space: number;
  query: Query;
  filter: HitFilter;
  limit: number;
}

interface Proposed {
  entry: number;
  score: number;
}

class Collector {
  readonly #cabinet: Cabinet;
  readonly #asked: Asked;
  readonly #found: { number: number; entry: Entry; path: string }[] = [];
  #lookedAt = 0;
  #slices = 0;

  constructor(cabinet: Cabinet, asked: Asked) {
    this.#cabinet = cabinet;
    this.#asked = asked;
  }

  /** Resolves to where the next page begins; null: there is none. */
  async collect(from: SearchCursor): Promise<SearchCursor | null> {
    let place = from;
    while (place.stage < stages) {
      const { space, query } = this.#asked;
      const slice = await this.#cabinet.search.rank({ space, query, stage: place.stage, before: place.before });
      const { stage } = slice;
      const stopped = await this.#takeFrom(slice.entries, stage === place.stage ? place.last : null);
      if (stopped !== 'used up') return { stage, before: slice.before, last: stopped };
      place =
        slice.next === null
          ? { stage: stage + 1, before: null, last: null }
          : { stage, before: slice.next, last: null };
      this.#slices += 1;
      const isEnough = this.#lookedAt >= maxLookedAt || this.#slices >= maxSlices;
      if (isEnough && place.stage < stages) return place;
    }
    return null;
  }

  /** Where it stopped because the page is full, or enough was looked at: behind this entry; null: before the first. */
  async #takeFrom(slice: readonly Proposed[], after: Proposed | null): Promise<Proposed | null | 'used up'> {
    const rest = after === null ? slice : slice.filter((proposed) => isBehind(proposed, after));
    const { space, filter, limit } = this.#asked;
    let last = after;
    for (let at = 0; at < rest.length; ) {
      if (this.#lookedAt >= maxLookedAt) return last;
      // One more than is wanted, so that often the first chunk is the only one.
      const chunk = rest.slice(at, at + Math.max(chunkEntries, limit - this.#found.length + 1));
      at += chunk.length;
      const entries = chunk.map(({ entry }) => entry);
      const hits = await this.#cabinet.catalog.findHits({ space, entries, ...filter });
      this.#lookedAt += chunk.length;
      const free = limit - this.#found.length;
      this.#found.push(...hits.slice(0, free));
      // One more than fits tells that there is a next page.
      if (hits.length > free) return chunk.find(({ entry }) => entry === this.#found.at(-1)?.number) ?? last;
      last = chunk.at(-1) ?? last;
    }
    return 'used up';
  }

  async toResults(): Promise<SearchResult[]> {
    const { space, query } = this.#asked;
    const entries = this.#found.map(({ number }) => number);
    const snippets = entries.length === 0 ? [] : await this.#cabinet.search.snippets({ space, query, entries });
    return this.#found.map(({ entry, path }, index) => ({ entry, path, snippet: snippets[index] ?? '' }));
  }
}

function isBehind(proposed: Proposed, { entry, score }: Proposed): boolean {
  return proposed.score < score || (proposed.score === score && proposed.entry < entry);
}

export interface SearchStatus extends IndexStatus {
  /** Changes of the catalog that the index has not seen yet. */
  behind: number;
  /** Whether a walk through all entries is under way. */
  isBuilding: boolean;
  skippedNamed: { id: string; name: string; reason: string }[];
}

export async function showSearchStatus({ search: index, catalog }: Cabinet): Promise<SearchStatus> {
  const status = await index.status();
  const ends = await catalog.findJournalEnds({});
  const names = await catalog.findNames({ entries: status.skippedEntries.map(({ entry }) => entry) });
  const reasons = new Map(status.skippedEntries.map(({ entry, reason }) => [entry, reason]));
  return {
    ...status,
    behind: Math.max(0, (ends?.last ?? 0) - status.position),
    isBuilding: status.walk !== null,
    skippedNamed: names.map(({ entry, id, name }) => ({ id, name, reason: reasons.get(entry) ?? '' })),
  };
}

/** Makes the index anew. Everything is found again as soon as it was read. */
export async function rebuildSearch({ search: index }: Cabinet): Promise<void> {
  await index.rebuild();
}

export function isCaughtUp({ behind, isBuilding, waiting }: SearchStatus): boolean {
  return behind === 0 && !isBuilding && waiting === 0;
}
