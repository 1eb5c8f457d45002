// `/me/app-passwords`: passwords of the caller for programs that cannot sign in.

import { addAppPassword, listAppPasswords, removeAppPassword } from '../../operations/app-passwords.ts';
import { admitSelf } from '../../operations/me.ts';
import { json } from '../answer.ts';
import { readJsonBody } from '../bodies/json-body.ts';
import { answerHeaders, jsonAnswer, jsonBody, pathId } from '../openapi/description.ts';
import { AddAppPassword, AddedAppPassword, AppPasswords, exampleAppPassword, Nothing } from '../openapi/me-schemas.ts';
import { compileCheck } from '../openapi/schemas.ts';
import { pageParameters, readPage, toNextLink } from '../pages.ts';
import { readTime } from '../parameters.ts';
import type { CallerRoute } from '../route.ts';
import { renderAppPasswords, renderNewAppPassword } from '../wire-me.ts';
import { toOwnListName } from './me.ts';

const path = '/v1/contentmanagement/me/app-passwords';

const listRoute: CallerRoute = {
  method: 'GET',
  path,
  action: 'read',
  async handle(context, exchange, caller) {
    const query = exchange.query();
    const list = toOwnListName(caller, 'app-passwords');
    const { limit, after } = readPage<[string]>(context, list, query);
    const { items, next } = await listAppPasswords(context.cabinet, caller, { after: after?.[0] ?? null, limit });
    const cursor = next === null ? null : [next];
    return json(renderAppPasswords(items), toNextLink(context, { path: '/me/app-passwords', list, query }, cursor));
  },
  describe: {
    operationId: 'MeAppPasswordsGet',
    tag: 'Account',
    summary: 'List your app passwords',
    description: 'The oldest first, without the passwords themselves.',
    parameters: pageParameters(),
    responses: {
      200: jsonAnswer('The app passwords', {
        schema: AppPasswords,
        example: { AppPasswords: [exampleAppPassword] },
        headers: answerHeaders.link,
      }),
    },
    refusals: ['Forbidden'],
  },
};

const checkAdd = compileCheck(AddAppPassword);
const addExample = { Name: 'laptop', Access: 'write' };

const addRoute: CallerRoute = {
  method: 'POST',
  path,
  action: 'write',
  async handle({ cabinet }, exchange, caller) {
    admitSelf(caller);
    const body = await readJsonBody(exchange, { example: JSON.stringify(addExample) });
    const { Name, Access, SpaceId = null, ExpiresAt = null } = checkAdd(body);
    const added = await addAppPassword(cabinet, await exchange.renewCaller(), {
      name: Name,
      access: Access,
      spaceId: SpaceId,
      expiresAt: ExpiresAt === null ? null : readTime(ExpiresAt, 'ExpiresAt'),
    });
    return json(renderNewAppPassword(added));
  },
  describe: {
    operationId: 'MeAppPasswordsAdd',
    tag: 'Account',
    summary: 'Create an app password',
    description:
      'For a program that cannot sign in, such as a WebDAV client. It never allows more than the token that created ' +
      'it, stays valid when you change your password, and is shown once.',
    requestBody: jsonBody('What it is for and what it allows', AddAppPassword, addExample),
    responses: {
      200: jsonAnswer('The app password, with its secret', {
        schema: AddedAppPassword,
        example: { AppPassword: exampleAppPassword, Password: 'cap_0199b7c28d1e7a64b0f52c91e7d3a801_…' },
      }),
    },
    refusals: ['Forbidden', 'SpaceNotFound', 'TooManyAppPasswords'],
  },
};

const removeRoute: CallerRoute = {
  method: 'DELETE',
  path: `${path}/{id}`,
  action: 'write',
  async handle({ cabinet }, { parameters }, caller) {
    await removeAppPassword(cabinet, caller, parameters.id ?? '');
    return json('{}');
  },
  describe: {
    operationId: 'MeAppPasswordsRemove',
    tag: 'Account',
    summary: 'Remove an app password',
    description: 'It is refused within a second.',
    parameters: [pathId('The id of an app password')],
    responses: { 200: jsonAnswer('The app password works no more', { schema: Nothing, example: {} }) },
    refusals: ['AppPasswordNotFound', 'Forbidden'],
  },
};

export const appPasswordRoutes: readonly CallerRoute[] = [listRoute, addRoute, removeRoute];
