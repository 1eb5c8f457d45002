// `GET /folders/{id}`, and `GET /folders?path=…`, which shows a folder by its path.

import { type Caller, toFolderId } from '../../domain/caller.ts';
import { type Order, orders } from '../../domain/entry.ts';
import { folderNotFound, notAFolder } from '../../domain/missing.ts';
import { Refusal } from '../../domain/refusal.ts';
import type { Answer } from '../../listener/answer.ts';
import { type FolderListing, listFolder } from '../../operations/list-folder.ts';
import { showByPath } from '../../operations/show-entry.ts';
import { json } from '../answer.ts';
import type { EnvironmentContext } from '../environment-context.ts';
import {
  answerHeaders,
  envelopeAnswer,
  headers,
  type Parameter,
  pathId,
  pathParameter,
  query as queryParameter,
  type ResponseDescription,
} from '../openapi/description.ts';
import { Type } from '../openapi/json-schema.ts';
import { pageParameters, readPage, toLinks } from '../pages.ts';
import { readPath } from '../parameters.ts';
import type { CallerRoute } from '../route.ts';
import { renderEnvelope } from '../wire.ts';

function listingAnswer(description: string): ResponseDescription {
  const answer = envelopeAnswer(description);
  return { ...answer, headers: { ...answer.headers, ...answerHeaders.childCount } };
}

export const listFolderRoute: CallerRoute = {
  method: 'GET',
  path: '/v1/contentmanagement/folders/{id}',
  action: 'read',
  async handle(context, { query, parameters }, caller): Promise<Answer> {
    return await showPage(context, caller, toFolderId(caller, parameters.id ?? ''), query());
  },
  describe: {
    operationId: 'FoldersGet',
    tag: 'Folders',
    summary: 'Show a folder and a page of its children',
    description:
      'Folders come first in every order. `Link: rel="next"` leads to the next page, if there is one. A page that `offset` began also links to the one before, by `rel="prev"`.',
    parameters: [pathId('The folder; -root- for the root'), ...listParameters(), headers.spaceId],
    responses: { 200: listingAnswer('The folder and a page of its children') },
    refusals: ['FolderNotFound', 'NotAFolder'],
  },
};

export const findFolderRoute: CallerRoute = {
  method: 'GET',
  path: '/v1/contentmanagement/folders',
  action: 'read',
  async handle(context, { query: readQuery }, caller): Promise<Answer> {
    const query = readQuery();
    const { entry } = await showByPath(context.cabinet, caller, {
      // The path of a folder may end with a slash.
      path: readPath(query).replace(/(?<=[^/])\/$/, ''),
      missing: () => folderNotFound('path'),
    });
    if (entry.kind !== 'folder') throw notAFolder('path');
    return await showPage(context, caller, entry.id, query);
  },
  describe: {
    operationId: 'FoldersFind',
    tag: 'Folders',
    summary: 'Show a folder by its path from the root',
    description: 'The same as by its id; `path=/` is the root. A slash at the end of a path makes no difference.',
    parameters: [
      pathParameter('The path of the folder, from the root', '/Invoices/2026'),
      ...listParameters(),
      headers.spaceId,
    ],
    responses: { 200: listingAnswer('The folder that has this path, and a page of its children') },
    refusals: ['FolderNotFound', 'NotAFolder'],
  },
};

function listParameters(): Parameter[] {
  return [
    ...pageParameters(),
    queryParameter(
      'order',
      'By what they are ordered; folders come before files in every order',
      Type.Enum([...orders]),
      'natural',
    ),
    queryParameter(
      'offset',
      'The number of the child that the page begins with, from 0; a negative number counts from the end. Not together with `cursor`',
      Type.Integer(),
      -100,
    ),
  ];
}

type FolderCursor = NonNullable<FolderListing['next']>;

/** The entry after which the page starts, and the id of an entry to leave out: the one that an earlier page showed first. A page before
 *  an entry is marked. */
type PageCursor =
  | readonly [...FolderCursor, exclude: string | null]
  | readonly [...FolderCursor, exclude: string | null, way: 'before'];

async function showPage(
  context: EnvironmentContext,
  caller: Caller,
  folderId: string,
  query: URLSearchParams,
): Promise<Answer> {
  const order = readOrder(query.get('order'));
  const { limit, after: cursor } = readPage<PageCursor>(context, toList(folderId, order), query);
  const offset = readOffset(query);
  const exclude = cursor?.[3] ?? null;
  const listing = await listFolder(context.cabinet, caller, {
    folderId,
    order,
    limit,
    ...(cursor !== null && toStart(cursor)),
    ...(offset !== null && { offset }),
    ...(exclude !== null && { exclude }),
  });
  return json(renderEnvelope(listing), {
    childcount: String(listing.childCount),
    ...toLink(context, listing, exclude, query),
  });
}

function toStart([kind, key, tie, , way]: PageCursor): { before: FolderCursor } | { after: FolderCursor } {
  return way === 'before' ? { before: [kind, key, tie] } : { after: [kind, key, tie] };
}

function readOffset(query: URLSearchParams): number | null {
  const text = query.get('offset');
  if (text === null) return null;
  if (!/^-?\d{1,9}$/.test(text))
    throw new Refusal('InvalidField', 'offset must be a whole number.', { target: 'offset' });
  if (!query.has('cursor')) return Number(text);
  throw new Refusal('InvalidField', 'offset and cursor cannot be combined.', {
    target: 'offset',
    hint: 'Follow the Link headers of a page that offset began.',
  });
}

function toList(folderId: string, order: Order): string {
  return `folder ${folderId} ${order}`;
}

/** The header that links to the next page, and to the one before if this page was reached by a number. `query` is the query of this
 *  page. */
export function toLink(
  context: EnvironmentContext,
  { folder, next, previous = null }: FolderListing,
  exclude: string | null,
  query = new URLSearchParams(),
): Record<string, string> {
  const other = new URLSearchParams(query);
  for (const name of ['path', 'offset']) other.delete(name);
  const list = toList(folder.id, readOrder(query.get('order')));
  return toLinks(
    context,
    { path: `/folders/${folder.id}`, list, query: other },
    {
      next: next === null ? null : [...next, exclude],
      prev: previous === null ? null : [...previous, exclude, 'before'],
    },
  );
}

export function readOrder(text: string | null): Order {
  const order = orders.find((known) => known === (text ?? 'name'));
  if (order !== undefined) return order;
  throw new Refusal('InvalidField', `Unknown order ${JSON.stringify(text)}.`, {
    target: 'order',
    hint: `Send one of ${orders.join(', ')}.`,
  });
}
