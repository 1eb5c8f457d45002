// What the caller keeps an eye on: starred entries, and files that were opened or saved last. For people only.

import type { Cabinet, CallOptions } from './connect.ts';
import type { PersonalEntries } from './description.ts';
import { callPage, defaultPageSize, eachPage, type ListOptions, type Paged, type PageOptions } from './pages.ts';
import { call } from './request.ts';

export type PersonalEntry = PersonalEntries['Entries'][number];

/** The one that was starred last first. */
export async function* listStarred(
  cabinet: Cabinet,
  { signal, pageSize = defaultPageSize }: ListOptions = {},
): AsyncGenerator<PersonalEntry, void, undefined> {
  const pages = eachPage((cursor) => starredPage(cabinet, { signal, limit: pageSize, cursor }));
  for await (const { Entries } of pages) yield* Entries;
}

export function starredPage(cabinet: Cabinet, { signal, ...query }: PageOptions = {}): Promise<Paged<PersonalEntries>> {
  return callPage(cabinet, 'GET /me/starred', { query, signal });
}

export async function starEntry(cabinet: Cabinet, id: string, options: CallOptions = {}): Promise<void> {
  await call(cabinet, 'PUT /me/starred/{entryId}', { ...options, path: { entryId: id } });
}

export async function unstarEntry(cabinet: Cabinet, id: string, options: CallOptions = {}): Promise<void> {
  await call(cabinet, 'DELETE /me/starred/{entryId}', { ...options, path: { entryId: id } });
}

/** What was opened or saved last first. */
export async function* listRecent(
  cabinet: Cabinet,
  { signal, pageSize = defaultPageSize }: ListOptions = {},
): AsyncGenerator<PersonalEntry, void, undefined> {
  const pages = eachPage((cursor) => recentPage(cabinet, { signal, limit: pageSize, cursor }));
  for await (const { Entries } of pages) yield* Entries;
}

export function recentPage(cabinet: Cabinet, { signal, ...query }: PageOptions = {}): Promise<Paged<PersonalEntries>> {
  return callPage(cabinet, 'GET /me/recent', { query, signal });
}
