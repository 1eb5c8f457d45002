// `/entries/{id}/shares` and `/shares`: links to entries, for those who make them. `shared.ts` is for those who use them.

import type { Caller } from '../../domain/caller.ts';
import { Refusal } from '../../domain/refusal.ts';
import type { Answer } from '../../listener/answer.ts';
import type { Page } from '../../operations/page.ts';
import {
  addShare,
  admitShare,
  admitShareChange,
  changeShare,
  listEntryShares,
  listShares,
  revokeShare,
  type ShownShare,
  showShare,
} from '../../operations/shares.ts';
import { json } from '../answer.ts';
import { readJsonBody } from '../bodies/json-body.ts';
import type { EnvironmentContext } from '../environment-context.ts';
import {
  answerHeaders,
  headers,
  ids,
  jsonAnswer,
  jsonBody,
  pathId,
  query as queryParameter,
} from '../openapi/description.ts';
import { Type } from '../openapi/json-schema.ts';
import { compileCheck } from '../openapi/schemas.ts';
import { AddShare, ChangeShare, exampleAddShare, exampleShare, Share, Shares } from '../openapi/share-schemas.ts';
import { pageParameters, readPage, toNextLink } from '../pages.ts';
import { readTime } from '../parameters.ts';
import type { CallerRoute } from '../route.ts';
import { renderShare, renderShares } from '../wire-shares.ts';
import { readEntryId } from './entries.ts';

const ofEntry = '/v1/contentmanagement/entries/{id}/shares';
const ofOne = '/v1/contentmanagement/shares/{id}';
const shown = (description: string) => jsonAnswer(description, { schema: Share, example: { Share: exampleShare } });
const listed = (description: string) =>
  jsonAnswer(description, {
    schema: Shares,
    example: { Shares: [exampleShare] },
    headers: answerHeaders.link,
  });
const shareId = pathId('The id of the link, which is not the secret in its address');

const checkAdd = compileCheck(AddShare);
const checkChange = compileCheck(ChangeShare);

function toTime(text: string | null | undefined): number | null | undefined {
  return typeof text === 'string' ? readTime(text, 'ExpiresAt') : text;
}

const addShareRoute: CallerRoute = {
  method: 'POST',
  path: ofEntry,
  action: 'write',
  async handle(context, exchange, caller) {
    const entryId = readEntryId(exchange.parameters, caller);
    await admitShare(context.cabinet, caller, entryId);
    const fields = checkAdd(await readJsonBody(exchange, { example: JSON.stringify(exampleAddShare) }));
    const added = await addShare(context.cabinet, await exchange.renewCaller(), {
      entryId,
      access: fields.Access,
      name: fields.Name ?? null,
      note: fields.Note ?? null,
      password: fields.Password ?? null,
      expiresAt: toTime(fields.ExpiresAt) ?? null,
      maxDownloads: fields.MaxDownloads ?? null,
    });
    return json(renderShare(context, added));
  },
  describe: {
    operationId: 'EntriesShare',
    tag: 'Sharing',
    summary: 'Create a link for people without an account',
    description:
      'Anyone who has the link can read the entry and everything beneath it or, with `upload`, send files into the ' +
      'folder. Needs the role `editor`, or an application with `content.write`. The link is suspended while its ' +
      'creator has lost that right, and while the entry is in the trash.',
    parameters: [ids.entry],
    requestBody: jsonBody('What the link allows', AddShare, exampleAddShare),
    responses: { 200: shown('The new link, with its address') },
    refusals: ['EntryNotFound', 'NotAFolder'],
  },
};

async function answerList(
  context: EnvironmentContext,
  { path, list, query }: { path: string; list: string; query: URLSearchParams },
  find: (page: { after: string | null; limit: number }) => Promise<Page<ShownShare>>,
): Promise<Answer> {
  const { limit, after } = readPage<[string]>(context, list, query);
  const { items, next } = await find({ after: after?.[0] ?? null, limit });
  return json(renderShares(context, items), toNextLink(context, { path, list, query }, next === null ? null : [next]));
}

const listEntrySharesRoute: CallerRoute = {
  method: 'GET',
  path: ofEntry,
  action: 'read',
  async handle(context, { parameters, query }, caller) {
    const entryId = readEntryId(parameters, caller);
    const listing = { path: `/entries/${entryId}/shares`, list: `shares of ${entryId}`, query: query() };
    return await answerList(context, listing, (page) => listEntryShares(context.cabinet, caller, { entryId, ...page }));
  },
  describe: {
    operationId: 'EntriesShares',
    tag: 'Sharing',
    summary: 'List the links to an entry',
    description:
      'For everyone who can see the entry. `Url` is null for links that others created. Expired and revoked links ' +
      'are listed for 30 days.',
    parameters: [ids.entry, ...pageParameters()],
    responses: { 200: listed('The links to the entry, newest first') },
    refusals: ['EntryNotFound'],
  },
};

const listSharesRoute: CallerRoute = {
  method: 'GET',
  path: '/v1/contentmanagement/shares',
  action: 'read',
  async handle(context, { query: readQuery }, caller) {
    const query = readQuery();
    const isAll = readAll(query);
    const list = `shares ${isAll ? 'all' : 'own'} ${toOwner(caller)}`;
    return await answerList(context, { path: '/shares', list, query }, (page) =>
      listShares(context.cabinet, caller, { isAll, ...page }),
    );
  },
  describe: {
    operationId: 'SharesList',
    tag: 'Sharing',
    summary: 'List your links',
    description: 'With `all=true` those of the space, for managers and for applications with `content.admin`.',
    parameters: [
      queryParameter('all', 'true: those of everybody in the space', Type.Enum(['true', 'false'])),
      ...pageParameters(),
      headers.spaceId,
    ],
    responses: { 200: listed('The links that you made, or those of the space, newest first') },
    refusals: [],
  },
};

function readAll(query: URLSearchParams): boolean {
  const text = query.get('all') ?? 'false';
  if (text === 'true' || text === 'false') return text === 'true';
  throw new Refusal('InvalidField', 'all must be true or false.', { target: 'all' });
}

/** A cursor works for the list that it came from. */
function toOwner({ person, appKey, spaceId }: Caller): string {
  return JSON.stringify([person ?? appKey, spaceId]);
}

const showShareRoute: CallerRoute = {
  method: 'GET',
  path: ofOne,
  action: 'read',
  async handle(context, { parameters }, caller) {
    return json(renderShare(context, await showShare(context.cabinet, caller, parameters.id ?? '')));
  },
  describe: {
    operationId: 'SharesGet',
    tag: 'Sharing',
    summary: 'Show a link',
    description:
      'For its creator, managers of the space, and everyone who can see the entry. `Url` is shown to its creator ' +
      'only.',
    parameters: [shareId],
    responses: { 200: shown('The link, and how it was used') },
    refusals: ['ShareNotFound'],
  },
};

const changeShareRoute: CallerRoute = {
  method: 'PATCH',
  path: ofOne,
  action: 'write',
  async handle(context, exchange, caller) {
    const id = exchange.parameters.id ?? '';
    await admitShareChange(context.cabinet, caller, id);
    const fields = checkChange(await readJsonBody(exchange, { example: '{"MaxDownloads": 10}' }));
    const { Access: access, Name: name, Note: note, Password: password, MaxDownloads: maxDownloads } = fields;
    const expiresAt = toTime(fields.ExpiresAt);
    const changed = await changeShare(context.cabinet, await exchange.renewCaller(), {
      id,
      ...(access !== undefined && { access }),
      ...(name !== undefined && { name }),
      ...(note !== undefined && { note }),
      ...(password !== undefined && { password }),
      ...(expiresAt !== undefined && { expiresAt }),
      ...(maxDownloads !== undefined && { maxDownloads }),
    });
    return json(renderShare(context, changed));
  },
  describe: {
    operationId: 'SharesChange',
    tag: 'Sharing',
    summary: 'Change a link',
    description:
      'For its creator and for managers of the space. A later `ExpiresAt` or a larger `MaxDownloads` revives a link ' +
      'that has expired or is used up. A revoked link stays revoked.',
    parameters: [shareId],
    requestBody: jsonBody('What to change of the link', ChangeShare, { MaxDownloads: 10, Password: null }),
    responses: { 200: shown('The link as it is now') },
    refusals: ['EntryNotFound', 'NotAFolder', 'ShareNotFound'],
  },
};

const revokeShareRoute: CallerRoute = {
  method: 'DELETE',
  path: ofOne,
  action: 'write',
  async handle(context, { parameters }, caller) {
    return json(renderShare(context, await revokeShare(context.cabinet, caller, parameters.id ?? '')));
  },
  describe: {
    operationId: 'SharesRevoke',
    tag: 'Sharing',
    summary: 'Revoke a link',
    description:
      'For its creator and for managers of the space. It ends within a second, for good, and is listed for 30 days.',
    parameters: [shareId],
    responses: { 200: shown('The link, revoked') },
    refusals: ['ShareNotFound'],
  },
};

export const shareRoutes = [
  addShareRoute,
  listEntrySharesRoute,
  listSharesRoute,
  showShareRoute,
  changeShareRoute,
  revokeShareRoute,
];
