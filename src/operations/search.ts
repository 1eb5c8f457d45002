// Searches a space. The index proposes entries, best first; the catalog decides which of them are visible and match the filter. A
// query that would have to check nearly every entry ends early: its page is short and has a cursor.

import type { HitFilter, ScopedFilter } from '../catalog/verbs/search-hits.ts';
import { type Caller, type SpaceAccess, toFolderId } from '../domain/caller.ts';
import type { Entry } from '../domain/entry.ts';
import { folderNotFound, notAFolder } from '../domain/missing.ts';
import type { Match, Query } from '../search/query.ts';
import type { IndexStatus } from '../search/search.ts';
import { requireAccess, requireView } from './access.ts';
import type { Cabinet } from './cabinet.ts';

/** Entries checked in the catalog per query, and in all for one page. */
const chunkEntries = 100;
const maxChecked = 5000;
const maxSlices = 20;
/** For a caller who sees a part of the space: an early end would tell how much matches elsewhere. */
const sharedFactor = 20;
/** First the entries that have all words in their names, then the others. */
const stages = 2;

/** The end of a page: after this entry, in the slice of the index that begins below `before`. */
export interface SearchCursor {
  stage: number;
  before: number | null;
  /** Null for the beginning of the slice. */
  last: { entry: number; score: number } | null;
}

export interface SearchRequest extends Omit<HitFilter, 'folder'> {
  text: string | null;
  /** What the text is: words, if omitted. */
  match?: Match;
  /** Null for the whole space. */
  folderId: string | null;
  limit: number;
  after: SearchCursor | null;
}

export interface SearchResult {
  entry: Entry;
  path: string;
  /** Escaped HTML, with `<mark>` around the matches. */
  snippet: string;
}

interface SearchPage {
  results: SearchResult[];
  next: SearchCursor | null;
}

export async function search(cabinet: Cabinet, caller: Caller, request: SearchRequest): Promise<SearchPage> {
  const query = cabinet.search.parse(request.text, request.match);
  const { access, folder } = await findScope(cabinet, caller, request.folderId);
  const { kind, contentType, modifiedAfter, properties } = request;
  const principals = access.view?.principals ?? null;
  const filter: ScopedFilter = { folder, kind, contentType, modifiedAfter, properties, principals };
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
    return { access: requireView(caller), folder: null };
  }
  const id = toFolderId(caller, folderId);
  const missing = () => folderNotFound('folder');
  const access = await requireAccess(cabinet, caller, { action: 'read', id, missing });
  const entry = await cabinet.catalog.findEntry({ space: access.space, id });
  if (entry === null) throw missing();
  if (entry.kind !== 'folder') throw notAFolder('folder');
  return { access, folder: id };
}

interface Scope {
  space: number;
  query: Query;
  filter: ScopedFilter;
  limit: number;
}

interface Candidate {
  entry: number;
  score: number;
}

class Collector {
  readonly #cabinet: Cabinet;
  readonly #scope: Scope;
  readonly #hits: { number: number; entry: Entry; path: string }[] = [];
  #checked = 0;
  #slices = 0;

  constructor(cabinet: Cabinet, scope: Scope) {
    this.#cabinet = cabinet;
    this.#scope = scope;
  }

  get #factor(): number {
    return this.#scope.filter.principals === null ? 1 : sharedFactor;
  }

  /** Resolves to the cursor of the next page; null when there is none. */
  async collect(from: SearchCursor): Promise<SearchCursor | null> {
    let place = from;
    while (place.stage < stages) {
      const { space, query } = this.#scope;
      const slice = await this.#cabinet.search.rank({ space, query, stage: place.stage, before: place.before });
      const { stage } = slice;
      const end = await this.#check(slice.entries, stage === place.stage ? place.last : null);
      if (end !== 'exhausted') return { stage, before: slice.before, last: end };
      place =
        slice.next === null
          ? { stage: stage + 1, before: null, last: null }
          : { stage, before: slice.next, last: null };
      this.#slices += 1;
      const isLimitReached = this.#checked >= maxChecked * this.#factor || this.#slices >= maxSlices * this.#factor;
      if (isLimitReached && place.stage < stages) return place;
    }
    return null;
  }

  /** Stops when the page is full or the limit is reached, and returns the last entry before the stop; null for the first. */
  async #check(slice: readonly Candidate[], after: Candidate | null): Promise<Candidate | null | 'exhausted'> {
    const rest = after === null ? slice : slice.filter((candidate) => isAfter(candidate, after));
    const { space, filter, limit } = this.#scope;
    let last = after;
    for (let at = 0; at < rest.length; ) {
      if (this.#checked >= maxChecked * this.#factor) return last;
      // One more than the page needs, so that the first chunk is often the only one.
      const chunk = rest.slice(at, at + Math.max(chunkEntries, limit - this.#hits.length + 1));
      at += chunk.length;
      const entries = chunk.map(({ entry }) => entry);
      const hits = await this.#cabinet.catalog.findHits({ space, entries, ...filter });
      this.#checked += chunk.length;
      const free = limit - this.#hits.length;
      this.#hits.push(...hits.slice(0, free));
      // One more than fits shows that there is a next page.
      if (hits.length > free) return chunk.find(({ entry }) => entry === this.#hits.at(-1)?.number) ?? last;
      last = chunk.at(-1) ?? last;
    }
    return 'exhausted';
  }

  async toResults(): Promise<SearchResult[]> {
    const { space, query } = this.#scope;
    const entries = this.#hits.map(({ number }) => number);
    const snippets = entries.length === 0 ? [] : await this.#cabinet.search.snippets({ space, query, entries });
    return this.#hits.map(({ entry, path }, index) => ({ entry, path, snippet: snippets[index] ?? '' }));
  }
}

function isAfter(candidate: Candidate, { entry, score }: Candidate): boolean {
  return candidate.score < score || (candidate.score === score && candidate.entry < entry);
}

export interface SearchStatus extends IndexStatus {
  /** Changes of the catalog that are not indexed yet. */
  behind: number;
  /** Whether a rebuild is running. */
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

/** Rebuilds the index. Entries are found again as soon as they are indexed. */
export async function rebuildSearch({ search: index }: Cabinet): Promise<void> {
  await index.rebuild();
}

export function isCaughtUp({ behind, isBuilding, waiting }: SearchStatus): boolean {
  return behind === 0 && !isBuilding && waiting === 0;
}
