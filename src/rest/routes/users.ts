// `/users`: the members of the caller's space.

import * as people from '../../operations/manage-people.ts';
import { json } from '../answer.ts';
import { answerHeaders, headers, jsonAnswer, jsonBody, pathId } from '../openapi/description.ts';
import { exampleUser } from '../openapi/managing-examples.ts';
import { AddUser, ChangeUser, NewUser, User, Users } from '../openapi/managing-schemas.ts';
import { compileCheck } from '../openapi/schemas.ts';
import { pageParameters, readPage, toListName, toNextLink } from '../pages.ts';
import type { CallerRoute } from '../route.ts';
import { renderNewUser, renderUser, renderUsers } from '../wire-managing.ts';
import { readManageBody } from './manage-body.ts';

const path = '/v1/contentmanagement/users';
const shown = { 200: jsonAnswer('The user', { schema: User, example: exampleUser }) };

export const listUsersRoute: CallerRoute = {
  method: 'GET',
  path,
  action: 'read',
  async handle(context, exchange, caller) {
    const query = exchange.query();
    const list = toListName(caller, 'users');
    const { limit, after } = readPage<[string]>(context, list, query);
    const { items, next } = await people.listMembers(context.cabinet, caller, { after: after?.[0] ?? null, limit });
    return json(
      renderUsers(items),
      toNextLink(context, { path: '/users', list, query }, next === null ? null : [next]),
    );
  },
  describe: {
    operationId: 'UsersGet',
    tag: 'Managing',
    summary: 'The people of the space, with their roles',
    description: 'By id.',
    parameters: [headers.spaceId, ...pageParameters()],
    responses: {
      200: jsonAnswer('The people', {
        schema: Users,
        example: { Users: [exampleUser] },
        headers: answerHeaders.link,
      }),
    },
    refusals: [],
  },
};

const checkAdd = compileCheck(AddUser);

export const addUserRoute: CallerRoute = {
  method: 'POST',
  path,
  action: 'manage',
  async handle({ cabinet }, exchange, caller) {
    const { fields, current } = await readManageBody(exchange, caller, {
      check: checkAdd,
      example: '{"Id": "alice", "Role": "editor"}',
    });
    const added = await people.addMember(cabinet, current, {
      id: fields.Id,
      name: fields.Name ?? null,
      password: fields.Password ?? null,
      role: fields.Role,
    });
    return json(renderNewUser(added));
  },
  describe: {
    operationId: 'UsersAdd',
    tag: 'Managing',
    summary: 'Make an account for a person, with a role in the space',
    description: 'Without a `Password` one is made and shown once. Who has an account is given a role by `PATCH`.',
    parameters: [headers.spaceId],
    requestBody: jsonBody('The person', AddUser, { Id: 'alice', Name: 'Alice Ames', Role: 'editor' }),
    responses: {
      200: jsonAnswer('The user', { schema: NewUser, example: { ...exampleUser, Password: 'qw7…' } }),
    },
    refusals: ['NameAlreadyExists'],
  },
};

const checkChange = compileCheck(ChangeUser);

export const changeUserRoute: CallerRoute = {
  method: 'PATCH',
  path: `${path}/{id}`,
  action: 'manage',
  async handle({ cabinet }, exchange, caller) {
    const id = exchange.parameters.id ?? '';
    people.admitRole(caller, id);
    const { fields, current } = await readManageBody(exchange, caller, {
      check: checkChange,
      example: '{"Role": "viewer"}',
    });
    return json(renderUser(await people.changeMember(cabinet, current, { id, role: fields.Role })));
  },
  describe: {
    operationId: 'UsersChange',
    tag: 'Managing',
    summary: 'Give a person a role in the space, or another one',
    description: 'Someone who has an account, or a person of an outside issuer (`<issuer name>:<subject>`).',
    parameters: [pathId('The user'), headers.spaceId],
    requestBody: jsonBody('The role', ChangeUser, { Role: 'viewer' }),
    responses: shown,
    refusals: ['LastManager', 'UserNotFound'],
  },
};

export const removeUserRoute: CallerRoute = {
  method: 'DELETE',
  path: `${path}/{id}`,
  action: 'manage',
  async handle({ cabinet }, { parameters }, caller) {
    return json(renderUser(await people.changeMember(cabinet, caller, { id: parameters.id ?? '', role: null })));
  },
  describe: {
    operationId: 'UsersRemove',
    tag: 'Managing',
    summary: 'Take the role in the space away from a person',
    description: 'The account stays. The last manager cannot go.',
    parameters: [pathId('The user'), headers.spaceId],
    responses: shown,
    refusals: ['InvalidField', 'LastManager', 'UserNotFound'],
  },
};
