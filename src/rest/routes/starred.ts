// `/me/starred` and `/me/recent`: entries that a person keeps an eye on.

import type { PersonalCursor } from '../../catalog/verbs/starred.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Answer } from '../../listener/answer.ts';
import { listPersonal, starEntry, unstarEntry } from '../../operations/starred.ts';
import { json } from '../answer.ts';
import type { EnvironmentContext } from '../environment-context.ts';
import { answerHeaders, jsonAnswer, pathId } from '../openapi/description.ts';
import { examplePersonal, PersonalEntries } from '../openapi/me-schemas.ts';
import { pageParameters, readPage, toNextLink } from '../pages.ts';
import type { CallerRoute } from '../route.ts';
import { renderPersonal } from '../wire-me.ts';
import { readEntryId } from './entries.ts';
import { toOwnListName } from './me.ts';

const path = '/v1/contentmanagement/me';
const starredId = pathId('The id of the entry, starred or not', 'entryId');

function listResponses(description: string) {
  return {
    200: jsonAnswer(description, { schema: PersonalEntries, example: examplePersonal, headers: answerHeaders.link }),
  };
}

async function answerList(
  context: EnvironmentContext,
  caller: Caller,
  { list, query }: { list: 'starred' | 'recent'; query: URLSearchParams },
): Promise<Answer> {
  const name = toOwnListName(caller, list);
  const page = readPage<PersonalCursor>(context, name, query);
  const { entries, next } = await listPersonal(context.cabinet, caller, { list, ...page });
  return json(renderPersonal(entries), toNextLink(context, { path: `/me/${list}`, list: name, query }, next));
}

const listStarredRoute: CallerRoute = {
  method: 'GET',
  path: `${path}/starred`,
  action: 'read',
  handle: (context, exchange, caller) => answerList(context, caller, { list: 'starred', query: exchange.query() }),
  describe: {
    operationId: 'MeStarredGet',
    tag: 'Account',
    summary: 'List the entries that you have starred',
    description: 'Of all spaces, newest star first. Entries in the trash are left out while they are there.',
    parameters: pageParameters(),
    responses: listResponses('A page of what you have starred'),
    refusals: ['Forbidden'],
  },
};

const starRoute: CallerRoute = {
  method: 'PUT',
  path: `${path}/starred/{entryId}`,
  action: 'write',
  async handle(context, { parameters }, caller) {
    await starEntry(context.cabinet, caller, readEntryId({ id: parameters.entryId ?? '' }, caller));
    return await answerList(context, caller, { list: 'starred', query: new URLSearchParams() });
  },
  describe: {
    operationId: 'MeStarredAdd',
    tag: 'Account',
    summary: 'Star an entry',
    description: 'Only you see your stars. Returns the first page of the list.',
    parameters: [starredId],
    responses: listResponses('The first page of what you have starred, with the entry'),
    refusals: ['EntryNotFound', 'Forbidden'],
  },
};

const unstarRoute: CallerRoute = {
  method: 'DELETE',
  path: `${path}/starred/{entryId}`,
  action: 'write',
  async handle(context, { parameters }, caller) {
    await unstarEntry(context.cabinet, caller, readEntryId({ id: parameters.entryId ?? '' }, caller));
    return await answerList(context, caller, { list: 'starred', query: new URLSearchParams() });
  },
  describe: {
    operationId: 'MeStarredRemove',
    tag: 'Account',
    summary: 'Remove a star',
    description: 'An entry without a star is no error. Returns the first page of the list.',
    parameters: [starredId],
    responses: listResponses('The first page of what you have starred, without the entry'),
    refusals: ['EntryNotFound', 'Forbidden'],
  },
};

const listRecentRoute: CallerRoute = {
  method: 'GET',
  path: `${path}/recent`,
  action: 'read',
  handle: (context, exchange, caller) => answerList(context, caller, { list: 'recent', query: exchange.query() }),
  describe: {
    operationId: 'MeRecentGet',
    tag: 'Account',
    summary: 'List the files that you opened or saved last',
    description: 'Of all spaces, at most 200. The list may lag by a moment.',
    parameters: pageParameters(),
    responses: listResponses('A page of the files that you used last'),
    refusals: ['Forbidden'],
  },
};

export const starredRoutes: readonly CallerRoute[] = [listStarredRoute, starRoute, unstarRoute, listRecentRoute];
