// Pagination: reads `limit` and `cursor`, writes `Link: …; rel="next"`, and `rel="prev"` for lists that go both ways.

import { hash } from 'node:crypto';
import { type Caller, selectView } from '../domain/caller.ts';
import { Refusal } from '../domain/refusal.ts';
import { firstPageLimit, maxPageLimit } from '../operations/list-folder.ts';
import { type Cursor, readCursor, toCursorText } from './cursor.ts';
import type { EnvironmentContext } from './environment-context.ts';
import type { Parameter } from './openapi/description.ts';
import { Type } from './openapi/json-schema.ts';

interface PageRequest<C extends Cursor> {
  limit: number;
  /** Null: the first page. */
  after: C | null;
}

/** Names a list of the caller's space, so that its cursors work in that space only; and those from before a role in the space
 *  ended do not work for what grants still show. */
export function toListName(caller: Caller, name: string): string {
  const { spaceId, view } = selectView(caller);
  return view === undefined ? `${name} ${spaceId}` : `${name} ${spaceId} shared`;
}

/** Names a filtered list: with other filters, a cursor of it would skip matching items. */
export function toFilteredName(list: string, filters: unknown): string {
  return `${list} ${hash('sha256', JSON.stringify(filters), 'base64url')}`;
}

/** `list` names what is paged: a cursor of another list is refused. */
export function readPage<C extends Cursor>(
  context: EnvironmentContext,
  list: string,
  query: URLSearchParams,
): PageRequest<C> {
  const limit = readLimit(query.get('limit'));
  const text = query.get('cursor');
  return { limit, after: text === null ? null : readCursor<C>(context.cursorKey, list, text) };
}

function readLimit(text: string | null): number {
  if (text === null) return firstPageLimit;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= maxPageLimit) return limit;
  throw new Refusal('InvalidField', `limit must be a number from 1 to ${maxPageLimit}.`, { target: 'limit' });
}

interface LinkedList {
  path: string;
  list: string;
  /** The query of this page. */
  query: URLSearchParams;
}

/** The header that links to the next page; none on the last page. */
export function toNextLink(context: EnvironmentContext, list: LinkedList, next: Cursor | null): Record<string, string> {
  return toLinks(context, list, { next });
}

/** The header that links to other pages; none without any. */
export function toLinks(
  context: EnvironmentContext,
  { path, list, query }: LinkedList,
  cursors: Readonly<Record<string, Cursor | null>>,
): Record<string, string> {
  const links: string[] = [];
  for (const [relation, cursor] of Object.entries(cursors)) {
    if (cursor === null) continue;
    const other = new URLSearchParams(query);
    other.set('cursor', toCursorText(context.cursorKey, list, cursor));
    links.push(`<${context.publicUrl}/v1/contentmanagement${path}?${other}>; rel="${relation}"`);
  }
  return links.length === 0 ? {} : { Link: links.join(', ') };
}

export function pageParameters(): Parameter[] {
  return [
    {
      name: 'cursor',
      in: 'query',
      schema: Type.String(),
      description: 'From the Link of the page before',
      example: 'WyJmb2xkZXIiXQ.c2lnbmVk',
    },
    {
      name: 'limit',
      in: 'query',
      schema: Type.Integer({ minimum: 1, maximum: maxPageLimit, default: firstPageLimit }),
      description: 'How many at most',
      example: firstPageLimit,
    },
  ];
}
