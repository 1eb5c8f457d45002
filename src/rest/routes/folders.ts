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
import { pageParameters, readPage, toNextLink } from '../pages.ts';
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
    description: 'Folders come first in every order. `Link: rel="next"` leads to the next page, if there is one.',
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
  ];
}

/** The entry after which the page starts, and the id of an entry to leave out: the one that an earlier page showed first. */
type FolderCursor = readonly [kind: 0 | 1, key: string | number, id: string, exclude: string | null];

async function showPage(
  context: EnvironmentContext,
  caller: Caller,
  folderId: string,
  query: URLSearchParams,
): Promise<Answer> {
  const order = readOrder(query.get('order'));
  const { limit, after } = readPage<FolderCursor>(context, toList(folderId, order), query);
  const exclude = after?.[3] ?? null;
  const listing = await listFolder(context.cabinet, caller, {
    folderId,
    order,
    limit,
    ...(after !== null && { after: [after[0], after[1], after[2]] as const }),
    ...(exclude !== null && { exclude }),
  });
  return json(renderEnvelope(listing), {
    childcount: String(listing.childCount),
    ...toLink(context, listing, exclude, query),
  });
}

function toList(folderId: string, order: Order): string {
  return `folder ${folderId} ${order}`;
}

/** The header that links to the next page; none on the last page. `query` is the query of this page. */
export function toLink(
  context: EnvironmentContext,
  { folder, next }: FolderListing,
  exclude: string | null,
  query = new URLSearchParams(),
): Record<string, string> {
  const following = new URLSearchParams(query);
  following.delete('path');
  const list = toList(folder.id, readOrder(query.get('order')));
  const cursor = next === null ? null : [...next, exclude];
  return toNextLink(context, { path: `/folders/${folder.id}`, list, query: following }, cursor);
}

export function readOrder(text: string | null): Order {
  const order = orders.find((known) => known === (text ?? 'name'));
  if (order !== undefined) return order;
  throw new Refusal('InvalidField', `Unknown order ${JSON.stringify(text)}.`, {
    target: 'order',
    hint: `Send one of ${orders.join(', ')}.`,
  });
}
