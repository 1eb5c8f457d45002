// `/spaces`.

import type { SpaceShareRules } from '../../domain/share-rules.ts';
import {
  addSpace,
  admitNewSpace,
  admitSpace,
  listSpaces,
  renameSpace,
  showSpace,
} from '../../operations/manage-spaces.ts';
import { changeShareRules, checkShareRules, showShareRules } from '../../operations/share-rules.ts';
import { json } from '../answer.ts';
import { readJsonBody } from '../bodies/json-body.ts';
import { answerHeaders, jsonAnswer, jsonBody, pathId } from '../openapi/description.ts';
import type { Static } from '../openapi/json-schema.ts';
import { exampleSpace, exampleSpaceWithRules } from '../openapi/managing-examples.ts';
import { ChangeSpace, NameSpace } from '../openapi/managing-schemas.ts';
import { compileCheck, Space, Spaces } from '../openapi/schemas.ts';
import { pageParameters, readPage, toNextLink } from '../pages.ts';
import type { CallerRoute } from '../route.ts';
import { renderSpace, renderSpaces, renderSpaceWithRules } from '../wire-managing.ts';

const path = '/v1/contentmanagement/spaces';
const list = 'spaces';
const example = '{"Name": "backoffice"}';
const checkNameSpace = compileCheck(NameSpace);
const checkChangeSpace = compileCheck(ChangeSpace);
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
    summary: 'List your spaces, with their root folders',
    description:
      'By name; all of them, unless `limit` asks for pages. `Role` is there for people only. The header `SpaceId` ' +
      'takes the `Id`.',
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
  async handle({ cabinet }, { parameters }, caller) {
    const spaceId = parameters.id ?? '';
    const rules = await showShareRules(cabinet, caller, spaceId);
    return json(renderSpaceWithRules(showSpace(caller, spaceId), rules));
  },
  describe: {
    operationId: 'SpacesShow',
    tag: 'Managing',
    summary: 'Show a space',
    description: 'As in `GET /spaces`, with the rules for links that apply in it, if it has its own (`Shares`).',
    parameters: [pathId('The id of the space')],
    responses: { 200: jsonAnswer('A space that you are in', { schema: Space, example: exampleSpaceWithRules }) },
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
    summary: 'Create a space',
    description: 'For people who are a manager of some space. They become manager of the new one.',
    requestBody: nameBody('The name of the new space'),
    responses: { 200: jsonAnswer('The new space', { schema: Space, example: exampleSpace }) },
    refusals: ['NameAlreadyExists'],
  },
};

type Rules = Partial<SpaceShareRules>;

function toRules({
  Allowed,
  Makers,
  PasswordRequired,
  MaxDays,
}: NonNullable<Static<typeof ChangeSpace>['Shares']>): Rules {
  return {
    ...(Allowed !== undefined && { isOn: Allowed }),
    ...(Makers !== undefined && { makers: Makers }),
    ...(PasswordRequired !== undefined && { isPasswordRequired: PasswordRequired }),
    ...(MaxDays !== undefined && { maxDays: MaxDays }),
  };
}

/** Something must be sent. */
function readChange(body: unknown): { name: string | undefined; rules: Rules } {
  const { Name: name, Shares } = checkChangeSpace(body);
  if (Shares === undefined) return { name: checkNameSpace(body).Name, rules: {} };
  return { name, rules: toRules(Shares) };
}

export const changeSpaceRoute: CallerRoute = {
  method: 'PATCH',
  path: `${path}/{id}`,
  action: 'manage',
  async handle({ cabinet }, exchange, caller) {
    const spaceId = exchange.parameters.id ?? '';
    admitSpace(caller, spaceId);
    const { name, rules } = readChange(await readJsonBody(exchange, { example }));
    checkShareRules(cabinet, rules);
    const current = await exchange.renewCaller();
    const access =
      name === undefined ? admitSpace(current, spaceId) : await renameSpace(cabinet, current, { spaceId, name });
    const changed = await changeShareRules(cabinet, current, { spaceId, rules });
    return json(renderSpaceWithRules(access, changed));
  },
  describe: {
    operationId: 'SpacesRename',
    tag: 'Managing',
    summary: 'Rename a space, or set its rules about links',
    description:
      'Its root folder keeps its name. Rules for links (`Shares`) cannot allow more than the settings of the ' +
      'service; null removes a rule.',
    parameters: [pathId('The id of the space')],
    requestBody: jsonBody('The new name of the space, or its rules about links', ChangeSpace, {
      Name: 'backoffice',
      Shares: { PasswordRequired: true, MaxDays: 30 },
    }),
    responses: { 200: jsonAnswer('The changed space', { schema: Space, example: exampleSpaceWithRules }) },
    refusals: ['NameAlreadyExists', 'SpaceNotFound'],
  },
};
