// `/users`: the members of the caller's space.

import { Refusal } from '../../domain/refusal.ts';
import * as people from '../../operations/manage-people.ts';
import { json } from '../answer.ts';
import { answerHeaders, headers, jsonAnswer, jsonBody, pathId } from '../openapi/description.ts';
import { exampleSetupLink, exampleUser } from '../openapi/managing-examples.ts';
import { AddedUser, AddUser, ChangeUser, SetupLink, User, Users } from '../openapi/managing-schemas.ts';
import { compileCheck } from '../openapi/schemas.ts';
import { pageParameters, readPage, toListName, toNextLink } from '../pages.ts';
import type { CallerRoute } from '../route.ts';
import { renderNewUser, renderSetup, renderUser, renderUsers } from '../wire-managing.ts';
import { readManageBody } from './manage-body.ts';

const path = '/v1/contentmanagement/users';
const shown = (description: string) => ({ 200: jsonAnswer(description, { schema: User, example: exampleUser }) });
const userId = pathId('What the person signs in with');

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
      renderUsers(items, people.isManager(caller)),
      toNextLink(context, { path: '/users', list, query }, next === null ? null : [next]),
    );
  },
  describe: {
    operationId: 'UsersGet',
    tag: 'Managing',
    summary: 'List the people of the space, with their roles',
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

export const showUserRoute: CallerRoute = {
  method: 'GET',
  path: `${path}/{id}`,
  action: 'read',
  async handle({ cabinet }, { parameters }, caller) {
    const member = await people.showMember(cabinet, caller, parameters.id ?? '');
    return json(renderUser(member, people.isManager(caller)));
  },
  describe: {
    operationId: 'UsersShow',
    tag: 'Managing',
    summary: 'Show a person of the space',
    description: 'Managers also see who created the account, and whether its owner has ever signed in.',
    parameters: [userId, headers.spaceId],
    responses: shown('A person with a role in the space'),
    refusals: ['InvalidField', 'UserNotFound'],
  },
};

const checkAdd = compileCheck(AddUser);

function checkNoPassword(fields: object): void {
  if (!('Password' in fields)) return;
  throw new Refusal('InvalidField', 'Password cannot be set here: people set their own with the setup link.', {
    target: 'Password',
    hint: 'Leave it out, and pass on the SetupUrl of the answer.',
  });
}

export const addUserRoute: CallerRoute = {
  method: 'POST',
  path,
  action: 'manage',
  async handle({ cabinet, pagesUrl }, exchange, caller) {
    const { fields, current } = await readManageBody(exchange, caller, {
      check: checkAdd,
      example: '{"Id": "alice", "Role": "editor"}',
    });
    checkNoPassword(fields);
    const added = await people.addMember(cabinet, current, {
      id: fields.Id,
      name: fields.Name ?? null,
      role: fields.Role,
    });
    return json(renderNewUser(added, pagesUrl));
  },
  describe: {
    operationId: 'UsersAdd',
    tag: 'Managing',
    summary: 'Create an account for a person, with a role in the space',
    description:
      'The response has a link to a page where the person sets a password, once, within 72 hours. Nobody else knows ' +
      'the password: `Password` in the request is refused. Give a role to an existing account with `PATCH`.',
    parameters: [headers.spaceId],
    requestBody: jsonBody('The person', AddUser, { Id: 'alice', Name: 'Alice Ames', Role: 'editor' }),
    responses: {
      200: jsonAnswer('The new user, with a setup link', {
        schema: AddedUser,
        example: { ...exampleUser, ...exampleSetupLink },
      }),
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
    summary: 'Set the role of a person in the space',
    description:
      'For an existing account, or a person of an outside issuer (`<issuer name>:<subject>`). An account that was ' +
      'created in another space can get a role only after its owner has signed in: 403 `Forbidden`.',
    parameters: [userId, headers.spaceId],
    requestBody: jsonBody('The role in the space', ChangeUser, { Role: 'viewer' }),
    responses: shown('The person, with the new role'),
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
    summary: 'Remove a person from the space',
    description: 'The account stays. The last manager cannot be removed.',
    parameters: [userId, headers.spaceId],
    responses: shown('The person, without a role'),
    refusals: ['InvalidField', 'LastManager', 'UserNotFound'],
  },
};

export const setUpUserRoute: CallerRoute = {
  method: 'POST',
  path: `${path}/{id}/setup`,
  action: 'manage',
  async handle({ cabinet, pagesUrl }, { parameters }, caller) {
    return json(renderSetup(await people.addSetupLink(cabinet, caller, parameters.id ?? ''), pagesUrl));
  },
  describe: {
    operationId: 'UsersSetup',
    tag: 'Managing',
    summary: 'Create a new setup link for a person',
    description:
      'For someone who has lost the password, or whose link has expired. Earlier links end. The old password and its ' +
      'sessions end when the new one is set. Only for people without a role in another space; operators create links ' +
      'for all others.',
    parameters: [userId, headers.spaceId],
    responses: { 200: jsonAnswer('The new setup link', { schema: SetupLink, example: exampleSetupLink }) },
    refusals: ['Forbidden', 'InvalidField', 'UserNotFound'],
  },
};
