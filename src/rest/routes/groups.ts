// `/groups`: the groups of the caller's space.

import * as groups from '../../operations/manage-groups.ts';
import { json } from '../answer.ts';
import { answerHeaders, headers, jsonAnswer, jsonBody, type Parameter } from '../openapi/description.ts';
import { AddGroup, ChangeGroup, exampleGroup, Group, Groups } from '../openapi/grant-schemas.ts';
import { Type } from '../openapi/json-schema.ts';
import { compileCheck } from '../openapi/schemas.ts';
import { pageParameters, readPage, toListName, toNextLink } from '../pages.ts';
import type { CallerRoute } from '../route.ts';
import { renderGroup, renderGroups } from '../wire-grants.ts';
import { readManageBody } from './manage-body.ts';

const path = '/v1/contentmanagement/groups';
const shown = (description: string) => ({
  200: jsonAnswer(description, { schema: Group, example: { Group: exampleGroup } }),
});
const nameParameter: Parameter = {
  name: 'name',
  in: 'path',
  required: true,
  description: 'The name of the group, percent-encoded',
  schema: Type.String({ minLength: 1 }),
  example: 'legal',
};

const listGroupsRoute: CallerRoute = {
  method: 'GET',
  path,
  action: 'manage',
  async handle(context, { query }, caller) {
    const list = toListName(caller, 'groups');
    const { limit, after } = readPage<[string]>(context, list, query());
    const { items, next } = await groups.listGroups(context.cabinet, caller, { after: after?.[0] ?? null, limit });
    const following = { path: '/groups', list, query: query() };
    return json(renderGroups(items), toNextLink(context, following, next === null ? null : [next]));
  },
  describe: {
    operationId: 'GroupsGet',
    tag: 'Sharing',
    summary: 'List the groups of the space, with their members',
    description:
      'For managers, by name. Members are those that were added here. People who are in a group by the claim of an ' +
      'outside issuer are not listed.',
    parameters: [headers.spaceId, ...pageParameters()],
    responses: {
      200: jsonAnswer('The groups', {
        schema: Groups,
        example: { Groups: [exampleGroup] },
        headers: answerHeaders.link,
      }),
    },
    refusals: [],
  },
};

const checkAdd = compileCheck(AddGroup);

const addGroupRoute: CallerRoute = {
  method: 'POST',
  path,
  action: 'manage',
  async handle({ cabinet }, exchange, caller) {
    const { fields, current } = await readManageBody(exchange, caller, {
      check: checkAdd,
      example: '{"Name": "legal", "Members": ["alice"]}',
    });
    const group = await groups.addGroup(cabinet, current, { name: fields.Name, members: fields.Members ?? [] });
    return json(renderGroup(group));
  },
  describe: {
    operationId: 'GroupsAdd',
    tag: 'Sharing',
    summary: 'Create a group of people',
    description: 'For managers. Grant the group roles on entries with `PUT /entries/{id}/access/group:{name}`.',
    parameters: [headers.spaceId],
    requestBody: jsonBody('The name of the group, and who is in it', AddGroup, exampleGroup),
    responses: shown('The new group'),
    refusals: ['NameAlreadyExists', 'UserNotFound'],
  },
};

const checkChange = compileCheck(ChangeGroup);

const changeGroupRoute: CallerRoute = {
  method: 'PATCH',
  path: `${path}/{name}`,
  action: 'manage',
  async handle({ cabinet }, exchange, caller) {
    const { fields, current } = await readManageBody(exchange, caller, {
      check: checkChange,
      example: '{"Add": ["bob"], "Remove": ["alice"]}',
    });
    const { name = '' } = exchange.parameters;
    const change = { name, add: fields.Add ?? [], remove: fields.Remove ?? [] };
    return json(renderGroup(await groups.changeGroup(cabinet, current, change)));
  },
  describe: {
    operationId: 'GroupsChange',
    tag: 'Sharing',
    summary: 'Add people to a group, or remove them',
    description: 'For managers. Takes effect within a second. People in both lists are removed.',
    parameters: [nameParameter, headers.spaceId],
    requestBody: jsonBody('Who joins and who leaves', ChangeGroup, { Add: ['bob'], Remove: [] }),
    responses: shown('The group, with those who are in it now'),
    refusals: ['GroupNotFound', 'UserNotFound'],
  },
};

const removeGroupRoute: CallerRoute = {
  method: 'DELETE',
  path: `${path}/{name}`,
  action: 'manage',
  async handle({ cabinet }, { parameters }, caller) {
    return json(renderGroup(await groups.removeGroup(cabinet, caller, parameters.name ?? '')));
  },
  describe: {
    operationId: 'GroupsRemove',
    tag: 'Sharing',
    summary: 'Remove a group and its grants',
    description: 'For managers. Returns the group as it was.',
    parameters: [nameParameter, headers.spaceId],
    responses: shown('The group as it was, removed'),
    refusals: ['GroupNotFound'],
  },
};

export const groupRoutes = [listGroupsRoute, addGroupRoute, changeGroupRoute, removeGroupRoute];
