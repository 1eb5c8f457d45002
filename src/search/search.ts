// The contract of a search index: what operations and the service may rely on, whichever engine keeps it. Engines:
// `sqlite/search.ts`, a file beside the catalog, and `postgres/search.ts`, tables in the catalog's database.
// `test/contracts/search.ts` holds every engine to it.

import type { Match, Query } from './query.ts';

/** First the entries that have all terms in their names, then the others. A query for a part of a name has only the first. */
export const stages = 2;

/**
 * A full-text index over names, properties and contents of all entries of one environment.
 *
 * - **Derived.** Everything in the index comes from the catalog. It can be lost at any time and is rebuilt; a failure of the
 *   index is never a failure of a save.
 * - **Eventually fresh.** The index follows the journal, usually within a second. Once `status()` shows the last position of
 *   the journal, no rebuild and nothing waiting, every earlier change is visible to `rank` and `snippets`: new entries, new
 *   names, properties and object types, and the text of the current version only. Plain text is indexed with its entry; a
 *   document with a format is found by name and properties at once, and by its text once that is extracted. What cannot be
 *   extracted is `skipped` and stays findable by name and properties.
 * - **Proposes, does not decide.** The index knows neither folders, trash nor permissions: a trashed entry stays indexed until
 *   it is purged, and moving an entry changes nothing. Callers ask the catalog which entries are visible and match a filter.
 * - **Isolated.** A query sees one space. Neither results nor scores depend on what other spaces hold.
 * - **Same words, same results.** Both engines index the words of `words.ts`: case, accents and vowel marks are ignored, each
 *   Chinese or Japanese character is a word. They return the same entries, scores and snippets, with two exceptions on
 *   PostgreSQL, which come from the limits of `tsvector`: different words beyond the first million bytes of a document are not
 *   found, and in phrases of more than 64 words each run of 64 is checked on its own.
 * - **Parts of names.** A query for a part finds every name that contains it, also within a word.
 * - **Stable order.** The score of a document depends on the document and the query alone. Ties are ordered by entry number,
 *   newest first.
 */
export interface Search {
  /** Refuses with `InvalidField` what is not a query: see `query.ts` for the syntax. Needs no index. */
  parse(text: string | null, match?: Match): Query;

  /** Returns the next slice of matching entries. A space without matches gives an empty slice, never an error. Neither `rank`
   *  nor `snippets` may be called before `follow`. Fails with a `Fault` while the index cannot be read. */
  rank(request: RankRequest): Promise<RankedSlice>;

  /** One snippet per entry, in the same order: escaped HTML with `<mark>` around the matches, from the text, or else the
   *  properties, or else the name. Empty for an entry that is not indexed in this space. */
  snippets(request: SnippetsRequest): Promise<string[]>;

  /** The state of the index. Works before `follow`; an index that does not exist yet is one whose rebuild has not started. */
  status(): Promise<IndexStatus>;

  /** Empties the index and starts to fill it again. Resolves when that has started: entries are found again as they are
   *  indexed, and changes made meanwhile are not lost. */
  rebuild(): Promise<void>;

  /** Starts to follow the catalog. Calling it again does nothing. */
  follow(): void;

  /** The catalog may have changed. Cheap: called after every commit. */
  nudge(): void;

  /** Stops indexing and answering; unfinished work is done after the next start. Nothing may be called afterwards. */
  close(): Promise<void>;
}

export interface RankRequest {
  space: number;
  query: Query;
  /** From 0 to `stages` - 1. */
  stage: number;
  /** Only entries with smaller numbers; null for all. */
  before: number | null;
}

/** A slice has a few hundred entries at most. All slices of both stages together have every match exactly once. */
export interface RankedSlice {
  /** The requested stage; or the next one, when the requested one has no more matches. */
  stage: number;
  /** Best first; of equal score, the newest first. May be empty although `next` is not null: searching took too long. */
  entries: { entry: number; score: number }[];
  /** Requested with this `before` and `stage`, the slice is the same again, also when newer entries were added. */
  before: number;
  /** The `before` of the next slice; null at the end of the stage. */
  next: number | null;
}

export interface SnippetsRequest {
  space: number;
  query: Query;
  entries: readonly number[];
}

export interface IndexStatus {
  /** Indexed entries. PostgreSQL estimates more than a million. */
  documents: number;
  /** Documents whose text is still to be extracted. */
  waiting: number;
  /** Documents whose text could not be extracted. */
  skipped: number;
  /** The position in the journal up to which changes are indexed. */
  position: number;
  /** The entry up to which a rebuild has come; null when none is running. */
  walk: number | null;
  /** The first hundred skipped documents. */
  skippedEntries: { entry: number; reason: string }[];
}
