// `/me/consents`: what the caller has allowed applications to do for them.

import { endConsent, listConsents } from '../../operations/consents.ts';
import { json } from '../answer.ts';
import { answerHeaders, jsonAnswer, pathId } from '../openapi/description.ts';
import { Consents, exampleConsent, Nothing } from '../openapi/me-schemas.ts';
import { pageParameters, readPage, toNextLink } from '../pages.ts';
import type { CallerRoute } from '../route.ts';
import { renderConsents } from '../wire-me.ts';
import { toOwnListName } from './me.ts';

const path = '/v1/contentmanagement/me/consents';

const listRoute: CallerRoute = {
  method: 'GET',
  path,
  action: 'read',
  async handle(context, exchange, caller) {
    const query = exchange.query();
    const list = toOwnListName(caller, 'consents');
    const { limit, after } = readPage<[string]>(context, list, query);
    const { items, next } = await listConsents(context.cabinet, caller, { after: after?.[0] ?? null, limit });
    const cursor = next === null ? null : [next];
    return json(renderConsents(items), toNextLink(context, { path: '/me/consents', list, query }, cursor));
  },
  describe: {
    operationId: 'MeConsentsGet',
    tag: 'Account',
    summary: 'List the applications that you allowed to act for you',
    description: 'Those that you agreed to on a consent page, by AppKey.',
    parameters: pageParameters(),
    responses: {
      200: jsonAnswer('The consents', {
        schema: Consents,
        example: { Consents: [exampleConsent] },
        headers: answerHeaders.link,
      }),
    },
    refusals: ['Forbidden'],
  },
};

const endRoute: CallerRoute = {
  method: 'DELETE',
  path: `${path}/{appKey}`,
  action: 'write',
  async handle({ cabinet }, { parameters }, caller) {
    await endConsent(cabinet, caller, parameters.appKey ?? '');
    return json('{}');
  },
  describe: {
    operationId: 'MeConsentsEnd',
    tag: 'Account',
    summary: 'Revoke a consent',
    description:
      'Ends the sessions of the application for you: its tokens are refused within a second, and the links to files ' +
      'that it created for you end. You are asked before it can act for you again.',
    parameters: [pathId('The AppKey of the application', 'appKey')],
    responses: { 200: jsonAnswer('The application has to ask you again', { schema: Nothing, example: {} }) },
    refusals: ['Forbidden', 'ConsentNotFound'],
  },
};

export const consentRoutes: readonly CallerRoute[] = [listRoute, endRoute];
