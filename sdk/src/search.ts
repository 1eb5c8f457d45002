// Search: names, properties and the text inside documents.

import type { Cabinet } from './connect.ts';
import type { SearchResult, SearchResults } from './description.ts';
import { callPage, eachPage, type ListOptions, type Paged, type PageOptions } from './pages.ts';

export interface Question {
  /** Words, beginnings of words (`invoi*`), or phrases in quotes. */
  text: string;
  /** `part`: the text is a part of a name, also within a word, and has no syntax. */
  match?: 'words' | 'part' | undefined;
  type?: 'folder' | 'file' | undefined;
  /** Such as `application/pdf`, or `image/*`. */
  contentType?: string | undefined;
  /** The id of a folder; only what is beneath it. */
  folder?: string | undefined;
  modifiedAfter?: Date | string | undefined;
  /** Only what has these properties. */
  properties?: Record<string, string> | undefined;
}

/** Everything that is found, best first. Results are fetched as they are read: stop when you have enough. */
export async function* search(
  cabinet: Cabinet,
  question: Question | string,
  { signal, pageSize = 50 }: ListOptions = {},
): AsyncGenerator<SearchResult, void, undefined> {
  const pages = eachPage((cursor) => searchPage(cabinet, question, { signal, limit: pageSize, cursor }));
  for await (const { Results } of pages) yield* Results;
}

/** A page of results. */
export function searchPage(
  cabinet: Cabinet,
  question: Question | string,
  { signal, ...page }: PageOptions = {},
): Promise<Paged<SearchResults>> {
  const {
    text,
    properties = {},
    modifiedAfter,
    ...filters
  } = typeof question === 'string' ? { text: question } : question;
  const wanted = Object.entries(properties).map(([key, value]) => [`property.${key}`, value]);
  const after = modifiedAfter instanceof Date ? modifiedAfter.toISOString() : modifiedAfter;
  const query = { ...filters, ...page, q: text, modifiedAfter: after, ...Object.fromEntries(wanted) };
  return callPage(cabinet, 'GET /search', { query, signal });
}
