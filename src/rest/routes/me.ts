// `/me`: the account of the caller, its password, and its sessions.

import type { Caller } from '../../domain/caller.ts';
import * as me from '../../operations/me.ts';
import { json } from '../answer.ts';
import { readJsonBody } from '../bodies/json-body.ts';
import { answerHeaders, jsonAnswer, jsonBody, pathId } from '../openapi/description.ts';
import { Account, ChangePassword, exampleAccount, exampleSession, Nothing, Sessions } from '../openapi/me-schemas.ts';
import { compileCheck } from '../openapi/schemas.ts';
import { pageParameters, readPage, toNextLink } from '../pages.ts';
import type { CallerRoute } from '../route.ts';
import { renderAccount, renderSessions } from '../wire-me.ts';

const path = '/v1/contentmanagement/me';
const done = (description: string) => ({ 200: jsonAnswer(description, { schema: Nothing, example: {} }) });

const showMeRoute: CallerRoute = {
  method: 'GET',
  path,
  action: 'read',
  async handle({ cabinet }, _exchange, caller) {
    return json(renderAccount(await me.showAccount(cabinet, caller)));
  },
  describe: {
    operationId: 'MeGet',
    tag: 'Account',
    summary: 'Show who you are',
    description:
      'The person for whom the application acts, or the application itself, with the spaces of `GET /spaces`.',
    responses: { 200: jsonAnswer('The account', { schema: Account, example: exampleAccount }) },
    refusals: [],
  },
};

const checkChange = compileCheck(ChangePassword);
const passwordExample = { Current: 'the old one, as it was', New: 'four words nobody expects' };

const changePasswordRoute: CallerRoute = {
  method: 'PUT',
  path: `${path}/password`,
  action: 'write',
  async handle({ cabinet }, exchange, caller) {
    me.admitSelf(caller);
    const { Current, New } = checkChange(await readJsonBody(exchange, { example: JSON.stringify(passwordExample) }));
    const { address } = exchange.arrival;
    const change = { current: Current, replacement: New, address };
    await me.changeOwnPassword(cabinet, await exchange.renewCaller(), change);
    return json('{}');
  },
  describe: {
    operationId: 'MePasswordPut',
    tag: 'Account',
    summary: 'Change your password',
    description:
      'Ends all your other sessions, and the short-lived links that you created. App passwords stay. Wrong guesses ' +
      'of `Current` count like failed sign-ins. People of outside issuers have no password here.',
    requestBody: jsonBody('The current password and the new one', ChangePassword, passwordExample),
    responses: done('The new password is in force'),
    refusals: ['Forbidden', 'PasswordInvalid', 'TooManyRequests'],
  },
};

const listSessionsRoute: CallerRoute = {
  method: 'GET',
  path: `${path}/sessions`,
  action: 'read',
  async handle(context, exchange, caller) {
    const query = exchange.query();
    const list = toOwnListName(caller, 'sessions');
    const { limit, after } = readPage<[string]>(context, list, query);
    const { items, next } = await me.listSessions(context.cabinet, caller, { after: after?.[0] ?? null, limit });
    const cursor = next === null ? null : [next];
    return json(renderSessions(items), toNextLink(context, { path: '/me/sessions', list, query }, cursor));
  },
  describe: {
    operationId: 'MeSessionsGet',
    tag: 'Account',
    summary: 'List where you are signed in',
    description: 'A session is one browser’s sign-in to one application. The newest comes first.',
    parameters: pageParameters(),
    responses: {
      200: jsonAnswer('The sessions', {
        schema: Sessions,
        example: { Sessions: [exampleSession] },
        headers: answerHeaders.link,
      }),
    },
    refusals: ['Forbidden'],
  },
};

const endSessionRoute: CallerRoute = {
  method: 'DELETE',
  path: `${path}/sessions/{id}`,
  action: 'write',
  async handle({ cabinet }, { parameters }, caller) {
    await me.endSession(cabinet, caller, parameters.id ?? '');
    return json('{}');
  },
  describe: {
    operationId: 'MeSessionsEnd',
    tag: 'Account',
    summary: 'End a session',
    description: 'Its tokens are refused within a second, and the browser has to sign in again to use the application.',
    parameters: [pathId('The id of one of your sessions')],
    responses: done('The session has ended'),
    refusals: ['Forbidden', 'SessionNotFound'],
  },
};

const endSessionsRoute: CallerRoute = {
  method: 'DELETE',
  path: `${path}/sessions`,
  action: 'write',
  async handle({ cabinet }, _exchange, caller) {
    await me.endSessions(cabinet, caller);
    return json('{}');
  },
  describe: {
    operationId: 'MeSessionsEndAll',
    tag: 'Account',
    summary: 'End all your sessions',
    description: 'Also the session of this request, and the short-lived links that you created. App passwords stay.',
    responses: done('All your sessions have ended'),
    refusals: ['Forbidden'],
  },
};

/** Cursors of a list belong to one person. */
export function toOwnListName({ actor }: Caller, name: string): string {
  return `my ${name} ${actor}`;
}

export const meRoutes: readonly CallerRoute[] = [
  showMeRoute,
  changePasswordRoute,
  listSessionsRoute,
  endSessionRoute,
  endSessionsRoute,
];
