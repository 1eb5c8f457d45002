// `/spaces`.

import {
  addSpace,
  admitNewSpace,
  admitSpace,
  listSpaces,
  renameSpace,
  showSpace,
} from '../../operations/manage-spaces.ts';
import { json } from '../answer.ts';
import { readJsonBody } from '../bodies/json-body.ts';
import { answerHeaders, jsonAnswer, jsonBody, pathId } from '../openapi/description.ts';
import { exampleSpace } from '../openapi/managing-examples.ts';
import { NameSpace } from '../openapi/managing-schemas.ts';
import { compileCheck, Space, Spaces } from '../openapi/schemas.ts';
import { pageParameters, readPage, toNextLink } from '../pages.ts';
import type { CallerRoute } from '../route.ts';
import { renderSpace, renderSpaces } from '../wire-managing.ts';

const path = '/v1/contentmanagement/spaces';
const list = 'spaces';
const example = '{"Name": "backoffice"}';
const checkNameSpace = compileCheck(NameSpace);
const nameBody = (description: string) => jsonBody(description, NameSpace, { Name: 'backoffice' });

export const listSpacesRoute: CallerRoute = {
  method: 'GET',
  path,
  action: 'read',
  async handle(context, exchange, caller) {
    const query = exchange.query();
    const { limit, after } = readPage<[string]>(context, list, query);
    const spaces = listSpaces(caller).filter(({ spaceName }) => after === null || spaceName > after[0]);
    // There are few spaces, so clients that do not ask for pages get all of them.
    const shown = query.has('limit') || after !== null ? spaces.slice(0, limit) : spaces;
    const next = shown.length < spaces.length ? [shown.at(-1)?.spaceName ?? ''] : null;
    return json(renderSpaces(shown), toNextLink(context, { path: '/spaces', list, query }, next));
  },
  describe: {
    operationId: 'SpacesGet',
    tag: 'Managing',
    summary: 'The spaces that the caller is in, with their roots',
    description:
      'By name; all of them, unless a `limit` is sent. `Role` is there for people only. The header `SpaceId` takes the `Id`.',
    parameters: pageParameters(),
    responses: {
      200: jsonAnswer('The spaces', {
        schema: Spaces,
        example: { Spaces: [exampleSpace] },
        headers: answerHeaders.link,
      }),
    },
    refusals: [],
  },
};

export const showSpaceRoute: CallerRoute = {
  method: 'GET',
  path: `${path}/{id}`,
  action: 'read',
  async handle(_context, { parameters }, caller) {
    return json(renderSpace(showSpace(caller, parameters.id ?? '')));
  },
  describe: {
    operationId: 'SpacesShow',
    tag: 'Managing',
    summary: 'Show a space that the caller is in',
    description: 'What `GET /spaces` shows of it.',
    parameters: [pathId('The id of the space')],
    responses: { 200: jsonAnswer('A space that you are in', { schema: Space, example: exampleSpace }) },
    refusals: ['SpaceNotFound'],
  },
};

export const addSpaceRoute: CallerRoute = {
  method: 'POST',
  path,
  action: 'manage',
  async handle({ cabinet }, exchange, caller) {
    admitNewSpace(caller);
    const { Name } = checkNameSpace(await readJsonBody(exchange, { example }));
    return json(renderSpace(await addSpace(cabinet, await exchange.renewCaller(), Name)));
  },
  describe: {
    operationId: 'SpacesAdd',
    tag: 'Managing',
    summary: 'Make a space',
    description: 'For people who are manager somewhere: they become manager of the new one too.',
    requestBody: nameBody('The name of the new space'),
    responses: { 200: jsonAnswer('The new space', { schema: Space, example: exampleSpace }) },
    refusals: ['NameAlreadyExists'],
  },
};

export const renameSpaceRoute: CallerRoute = {
  method: 'PATCH',
  path: `${path}/{id}`,
  action: 'manage',
  async handle({ cabinet }, exchange, caller) {
    const spaceId = exchange.parameters.id ?? '';
    admitSpace(caller, spaceId);
    const { Name: name } = checkNameSpace(await readJsonBody(exchange, { example }));
    return json(renderSpace(await renameSpace(cabinet, await exchange.renewCaller(), { spaceId, name })));
  },
  describe: {
    operationId: 'SpacesRename',
    tag: 'Managing',
    summary: 'Rename a space',
    description: 'Its root folder keeps the name that it has.',
    parameters: [pathId('The id of the space')],
    requestBody: nameBody('The new name of the space'),
    responses: { 200: jsonAnswer('The renamed space', { schema: Space, example: exampleSpace }) },
    refusals: ['NameAlreadyExists', 'SpaceNotFound'],
  },
};
