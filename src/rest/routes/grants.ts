// `/entries/{id}/access` and `/shared-with-me`: grants on entries.

import type { Caller } from '../../domain/caller.ts';
import type { Answer } from '../../listener/answer.ts';
import { admitGrant, changeGrant, listAccess, listSharedWithMe } from '../../operations/grants.ts';
import { firstPageLimit } from '../../operations/list-folder.ts';
import { json } from '../answer.ts';
import { readJsonBody } from '../bodies/json-body.ts';
import type { EnvironmentContext } from '../environment-context.ts';
import { answerHeaders, ids, jsonAnswer, jsonBody, type Parameter } from '../openapi/description.ts';
import { AccessList, exampleAccess, exampleShared, Grant, SharedEntries } from '../openapi/grant-schemas.ts';
import { Type } from '../openapi/json-schema.ts';
import { compileCheck } from '../openapi/schemas.ts';
import { pageParameters, readPage, toNextLink } from '../pages.ts';
import type { CallerRoute } from '../route.ts';
import { renderAccess, renderShared } from '../wire-grants.ts';
import { readEntryId } from './entries.ts';

const path = '/v1/contentmanagement/entries/{id}/access';
const listed = (description: string) =>
  jsonAnswer(description, {
    schema: AccessList,
    example: exampleAccess,
    headers: answerHeaders.link,
  });

async function answerAccess(
  context: EnvironmentContext,
  caller: Caller,
  id: string,
  query = new URLSearchParams(),
): Promise<Answer> {
  const list = `access ${id}`;
  const { limit, after } =
    query.size === 0 ? { limit: firstPageLimit, after: null } : readPage<[string]>(context, list, query);
  const { items, next } = await listAccess(context.cabinet, caller, { id, after: after?.[0] ?? null, limit });
  const following = { path: `/entries/${id}/access`, list, query };
  return json(renderAccess(items), toNextLink(context, following, next === null ? null : [next]));
}

const listAccessRoute: CallerRoute = {
  method: 'GET',
  path,
  action: 'read',
  async handle(context, { parameters, query }, caller) {
    return await answerAccess(context, caller, readEntryId(parameters, caller), query());
  },
  describe: {
    operationId: 'EntriesAccess',
    tag: 'Sharing',
    summary: 'Show who has access to an entry, and why',
    description:
      'The grants on the entry and on the folders above it, then the roles in the space. Without a role in the ' +
      'space, only your own lines.',
    parameters: [ids.entry, ...pageParameters()],
    responses: { 200: listed('Who may see the entry, nearest first') },
    refusals: ['EntryNotFound'],
  },
};

const principalParameter: Parameter = {
  name: 'principal',
  in: 'path',
  required: true,
  description: '`user:` and the id of a person, or `group:` and the name of a group, percent-encoded',
  schema: Type.String({ minLength: 1 }),
  example: 'user:alice',
};

const checkGrant = compileCheck(Grant);

const putGrantRoute: CallerRoute = {
  method: 'PUT',
  path: `${path}/{principal}`,
  action: 'manage',
  async handle(context, exchange, caller) {
    const id = readEntryId(exchange.parameters, caller);
    const { principal = '' } = exchange.parameters;
    await admitGrant(context.cabinet, caller, { id, principal });
    const { Role: role } = checkGrant(await readJsonBody(exchange, { example: '{"Role": "viewer"}' }));
    const current = await exchange.renewCaller();
    await changeGrant(context.cabinet, current, { id, principal, role });
    return await answerAccess(context, current, id);
  },
  describe: {
    operationId: 'EntriesGrant',
    tag: 'Sharing',
    summary: 'Share an entry with a person or a group',
    description:
      'For managers. The role holds for the entry and everything beneath it, and replaces the one that the same person or group had on this entry. It takes effect within a second.',
    parameters: [ids.entry, principalParameter],
    requestBody: jsonBody('The role on the entry', Grant, { Role: 'viewer' }),
    responses: { 200: listed('Who may see the entry now that it is shared') },
    refusals: ['EntryNotFound', 'GroupNotFound', 'UserNotFound'],
  },
};

const removeGrantRoute: CallerRoute = {
  method: 'DELETE',
  path: `${path}/{principal}`,
  action: 'manage',
  async handle(context, { parameters }, caller) {
    const id = readEntryId(parameters, caller);
    await changeGrant(context.cabinet, caller, { id, principal: parameters.principal ?? '', role: null });
    return await answerAccess(context, caller, id);
  },
  describe: {
    operationId: 'EntriesRevoke',
    tag: 'Sharing',
    summary: 'Stop sharing an entry with a person or a group',
    description:
      'For managers. Ends only the grant on this entry, within a second. Without such a grant nothing changes.',
    parameters: [ids.entry, principalParameter],
    responses: { 200: listed('Who may still see the entry') },
    refusals: ['EntryNotFound', 'GroupNotFound', 'InvalidField', 'UserNotFound'],
  },
};

const sharedWithMeRoute: CallerRoute = {
  method: 'GET',
  path: '/v1/contentmanagement/shared-with-me',
  action: 'read',
  async handle(context, { query }, caller) {
    const list = 'shared-with-me';
    const { limit, after } = readPage<[number]>(context, list, query());
    const { items, next } = await listSharedWithMe(context.cabinet, caller, { after: after?.[0] ?? null, limit });
    const following = { path: '/shared-with-me', list, query: query() };
    return json(renderShared(items), toNextLink(context, following, next === null ? null : [next]));
  },
  describe: {
    operationId: 'SharedWithMe',
    tag: 'Sharing',
    summary: 'List what was shared with you',
    description: 'Of all spaces, also what was shared with your groups. Each entry once, with the largest role.',
    parameters: pageParameters(),
    responses: {
      200: jsonAnswer('The entries, in the order in which they were created', {
        schema: SharedEntries,
        example: exampleShared,
        headers: answerHeaders.link,
      }),
    },
    refusals: [],
  },
};

export const grantRoutes = [listAccessRoute, putGrantRoute, removeGrantRoute, sharedWithMeRoute];
