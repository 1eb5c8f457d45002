// The OpenAPI 3.1 description, made from the table of routes and from the schemas that validate requests.

import Type from 'typebox';
import { tokenLifetimeSeconds } from '../auth/tokens.ts';
import { scopes } from '../domain/caller.ts';
import { refusalCodes } from '../domain/refusal.ts';
import { toStatus } from './answer.ts';
import type { Route } from './route.ts';
import { Entry, Envelope, ErrorAnswer } from './schemas.ts';

export function renderOpenApi(routes: readonly Route[], publicUrl: string): string {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const operations = paths[route.path] ?? {};
    operations[route.method.toLowerCase()] = toOperation(route);
    paths[route.path] = operations;
  }
  return JSON.stringify({
    openapi: '3.1.0',
    info: {
      title: 'Cabinet',
      version: '1.0.0',
      description: 'Folders and files over HTTP. A 200 means durable.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    paths,
    components: { schemas: { Entry, Envelope, Error: ErrorAnswer }, securitySchemes: toSecuritySchemes(publicUrl) },
  });
}

function toOperation({ action, describe }: Route): Record<string, unknown> {
  if (action === null || action === 'foreign') return { ...describe, security: [] };
  return {
    ...describe,
    security: [{ token: [`content.${action}`], appKey: [] }],
    responses: { ...(describe.responses as object), ...errorAnswers },
  };
}

const statuses = [400, 401, 403, 404, 500] as const;

const errorAnswers = Object.fromEntries(
  statuses.map((status) => {
    const codes = refusalCodes.filter((code) => toStatus(code) === status).join(', ');
    const schema = { $ref: '#/components/schemas/Error' };
    return [status, { description: codes, headers: trackingHeader(), content: { 'application/json': { schema } } }];
  }),
);

function trackingHeader(): Record<string, unknown> {
  return {
    requesttrackingid: { schema: Type.String({ format: 'uuid' }), description: 'Names this request in the logs' },
  };
}

export function envelopeAnswer(description: string): Record<string, unknown> {
  return {
    description,
    headers: {
      ...trackingHeader(),
      entryid: { schema: Type.String(), description: 'The id of what was created or saved' },
      Link: { schema: Type.String(), description: 'rel="next" leads to more children, while there are any' },
    },
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Envelope' } } },
  };
}

export function header(name: string, description: string): Record<string, unknown> {
  return { name, in: 'header', description, schema: Type.String() };
}

export const headers = {
  conflictBehavior: (choices: string) => header('ConflictBehavior', `What to do when the name is taken: ${choices}`),
  idempotencyKey: header('Idempotency-Key', 'A repeated request with the same key gets the first result again'),
};

export function pathId(description: string): Record<string, unknown> {
  return { name: 'id', in: 'path', required: true, description, schema: Type.String() };
}

export function pathParameter(example: string): Record<string, unknown> {
  return { name: 'path', in: 'query', required: true, description: 'From the root', schema: Type.String(), example };
}

function toSecuritySchemes(publicUrl: string): Record<string, unknown> {
  return {
    token: {
      type: 'oauth2',
      description: `Access tokens live ${tokenLifetimeSeconds} seconds.`,
      flows: {
        clientCredentials: {
          tokenUrl: `${publicUrl}/oauth2/token`,
          scopes: Object.fromEntries(scopes.map((scope) => [scope, scope])),
        },
      },
    },
    appKey: { type: 'apiKey', in: 'header', name: 'AppKey' },
  };
}
