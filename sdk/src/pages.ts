// Pagination: one page, or all pages as an async iterator that fetches the next page when the previous one has been read.

import type { Cabinet, CallOptions } from './connect.ts';
import type { Operations } from './description.ts';
import { type OperationName, type Request, readJson, send } from './request.ts';

/** For what gives one page. */
export interface PageOptions extends CallOptions {
  /** How many at most, up to 1000; 100 by default. */
  limit?: number | undefined;
  /** The `next` of the page before. */
  cursor?: string | undefined;
}

/** For what goes through all pages. */
export interface ListOptions extends CallOptions {
  /** How many are fetched at once, up to 1000. */
  pageSize?: number | undefined;
}

/** An answer with the cursor of the page after it; null at the end. */
export type Paged<Answer> = Answer & { next: string | null };

/** Operations that take a cursor. */
type PagedName = {
  [Name in OperationName]: Operations[Name]['query'] extends { cursor?: string | undefined } ? Name : never;
}[OperationName];

/** One page. */
export async function callPage<Name extends PagedName>(
  cabinet: Cabinet,
  name: Name,
  request: Request<Name>,
): Promise<Paged<Operations[Name]['answer']>> {
  return await readPage(await send(cabinet, name, request));
}

export async function readPage<Answer>(response: Response): Promise<Paged<Answer>> {
  const answer = await readJson<Answer & object>(response);
  return { ...answer, next: readCursor(response, 'next') };
}

/** All pages, one after the other. */
export async function* eachPage<Answer>(
  fetchPage: (cursor: string | undefined) => Promise<Paged<Answer>>,
): AsyncGenerator<Paged<Answer>, void, undefined> {
  for (let cursor: string | undefined; ; ) {
    const page = await fetchPage(cursor);
    yield page;
    if (page.next === null) return;
    cursor = page.next;
  }
}

/** The size of pages where nobody sees them. */
export const defaultPageSize = 500;

/** The cursor in `Link: <…?cursor=…>; rel="next"`. The other parameters of that URL are those of this page. */
export function readCursor({ headers }: Response, relation: 'next' | 'prev'): string | null {
  const links = headers.get('link') ?? '';
  const [, address] = new RegExp(`<([^>]*)>\\s*;\\s*rel="?${relation}"?`).exec(links) ?? [];
  return address === undefined ? null : new URL(address, 'http://any').searchParams.get('cursor');
}
