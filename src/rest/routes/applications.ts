// `/applications`: the applications of the caller's space.

import { readLeaf } from '../../certificates/certificates.ts';
import * as applications from '../../operations/manage-applications.ts';
import { json } from '../answer.ts';
import { answerHeaders, headers, jsonAnswer, jsonBody, pathId } from '../openapi/description.ts';
import { exampleApplication, examplePem, exampleRegistered } from '../openapi/managing-examples.ts';
import {
  AddApplication,
  Application,
  Applications,
  ChangeApplication,
  RegisteredApplication,
  RotateSecret,
} from '../openapi/managing-schemas.ts';
import { compileCheck } from '../openapi/schemas.ts';
import { pageParameters, readPage, toListName, toNextLink } from '../pages.ts';
import type { CallerRoute } from '../route.ts';
import { renderApplication, renderApplications, renderRegistered } from '../wire-managing.ts';
import { readManageBody } from './manage-body.ts';

const path = '/v1/contentmanagement/applications';
const appKey = pathId('The AppKey of the application', 'appKey');
const shown = (description: string) => ({
  200: jsonAnswer(description, { schema: Application, example: exampleApplication }),
});
const registered = (description: string) => ({
  200: jsonAnswer(description, { schema: RegisteredApplication, example: exampleRegistered }),
});

export const listApplicationsRoute: CallerRoute = {
  method: 'GET',
  path,
  action: 'read',
  async handle(context, exchange, caller) {
    const query = exchange.query();
    const list = toListName(caller, 'applications');
    const { limit, after } = readPage<[string]>(context, list, query);
    const { items, next } = await applications.listApplications(context.cabinet, caller, {
      after: after?.[0] ?? null,
      limit,
    });
    const cursor = next === null ? null : [next];
    return json(renderApplications(items), toNextLink(context, { path: '/applications', list, query }, cursor));
  },
  describe: {
    operationId: 'ApplicationsGet',
    tag: 'Managing',
    summary: 'List the applications of the space',
    description: 'By name. Secrets are never shown.',
    parameters: [headers.spaceId, ...pageParameters()],
    responses: {
      200: jsonAnswer('The applications', {
        schema: Applications,
        example: { Applications: [exampleApplication] },
        headers: answerHeaders.link,
      }),
    },
    refusals: [],
  },
};

export const showApplicationRoute: CallerRoute = {
  method: 'GET',
  path: `${path}/{appKey}`,
  action: 'read',
  async handle({ cabinet }, { parameters }, caller) {
    return json(renderApplication(await applications.showApplication(cabinet, caller, parameters.appKey ?? '')));
  },
  describe: {
    operationId: 'ApplicationsShow',
    tag: 'Managing',
    summary: 'Show an application of the space',
    description: 'Applications of other spaces, and removed ones, are not found.',
    parameters: [appKey, headers.spaceId],
    responses: shown('An application of the space'),
    refusals: ['ApplicationNotFound'],
  },
};

const checkAdd = compileCheck(AddApplication);

export const addApplicationRoute: CallerRoute = {
  method: 'POST',
  path,
  action: 'manage',
  async handle({ cabinet }, exchange, caller) {
    const { fields, current } = await readManageBody(exchange, caller, {
      check: checkAdd,
      example: '{"Name": "scanner"}',
    });
    const added = await applications.addApplication(cabinet, current, {
      name: fields.Name,
      kind: fields.Kind ?? 'client',
      scopes: fields.Scopes ?? null,
      redirectUris: fields.RedirectUris ?? null,
      certificate: fields.Certificate === undefined ? null : readLeaf(fields.Certificate, cabinet.clock.now()),
    });
    return json(renderRegistered(added));
  },
  describe: {
    operationId: 'ApplicationsAdd',
    tag: 'Managing',
    summary: 'Register an application in the space',
    description:
      'The secret is shown once. The scopes are `content.read` and `content.write` by default; nobody can give a ' +
      'scope that they could not use.',
    parameters: [headers.spaceId],
    requestBody: jsonBody('The name of the application, how it signs in and what it may do', AddApplication, {
      Name: 'scanner',
      Kind: 'server',
      Scopes: ['content.read'],
      Certificate: examplePem,
    }),
    responses: registered('The new application; with its secret, if it is a `client`'),
    refusals: ['NameAlreadyExists'],
  },
};

const checkChange = compileCheck(ChangeApplication);

export const changeApplicationRoute: CallerRoute = {
  method: 'PATCH',
  path: `${path}/{appKey}`,
  action: 'manage',
  async handle({ cabinet }, exchange, caller) {
    const appKey = exchange.parameters.appKey ?? '';
    await applications.admitApplication(cabinet, caller, appKey);
    const { fields, current } = await readManageBody(exchange, caller, {
      check: checkChange,
      example: '{"State": "disabled"}',
    });
    const change = fields.State === 'active' ? 'enable' : 'disable';
    const request = { appKey, change, areTokensKept: fields.RevokeTokens !== true } as const;
    return json(renderApplication(await applications.changeApplication(cabinet, current, request)));
  },
  describe: {
    operationId: 'ApplicationsChange',
    tag: 'Managing',
    summary: 'Disable an application, or enable it again',
    description: 'Takes effect within a second. An application cannot disable itself.',
    parameters: [appKey, headers.spaceId],
    requestBody: jsonBody('The state', ChangeApplication, { State: 'disabled' }),
    responses: shown('The application in its new state'),
    refusals: ['ApplicationNotFound'],
  },
};

export const removeApplicationRoute: CallerRoute = {
  method: 'DELETE',
  path: `${path}/{appKey}`,
  action: 'manage',
  async handle({ cabinet }, { parameters }, caller) {
    const request = { appKey: parameters.appKey ?? '', change: 'remove' } as const;
    return json(renderApplication(await applications.changeApplication(cabinet, caller, request)));
  },
  describe: {
    operationId: 'ApplicationsRemove',
    tag: 'Managing',
    summary: 'Remove an application for good',
    description: 'What it created stays, and its name is not used again. An application cannot remove itself.',
    parameters: [appKey, headers.spaceId],
    responses: shown('The application as it was, removed'),
    refusals: ['ApplicationNotFound'],
  },
};

const checkRotate = compileCheck(RotateSecret);

export const rotateSecretRoute: CallerRoute = {
  method: 'POST',
  path: `${path}/{appKey}/rotate`,
  action: 'manage',
  async handle({ cabinet }, exchange, caller) {
    const appKey = exchange.parameters.appKey ?? '';
    await applications.admitTakeover(cabinet, caller, appKey);
    const { fields, current } = await readManageBody(exchange, caller, {
      check: checkRotate,
      example: '{"OverlapSeconds": 3600}',
      isOptional: true,
    });
    const overlapMs = (fields.OverlapSeconds ?? 0) * 1000;
    return json(renderRegistered(await applications.rotateSecret(cabinet, current, { appKey, overlapMs })));
  },
  describe: {
    operationId: 'ApplicationsRotate',
    tag: 'Managing',
    summary: 'Give an application a new secret',
    description: 'The secret is shown once. The earlier one stays valid for `OverlapSeconds`.',
    parameters: [appKey, headers.spaceId],
    requestBody: {
      ...jsonBody('How long the old secret stays valid', RotateSecret, { OverlapSeconds: 3600 }),
      required: false,
    },
    responses: registered('The application, with its new secret'),
    refusals: ['ApplicationNotFound'],
  },
};
