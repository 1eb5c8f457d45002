// Makes the OpenAPI 3.1 document from the table of routes and from the schemas that validate requests.

import { tokenLifetimeSeconds } from '../../auth/tokens.ts';
import { scopes } from '../../domain/caller.ts';
import { scopeFor } from '../../domain/permission.ts';
import type { RefusalCode } from '../../domain/refusal.ts';
import { toStatus } from '../answer.ts';
import type { Route } from '../route.ts';
import { Components, type Json, tracking, withTrackingId } from './components.ts';
import { type Description, type ResponseDescription, tags } from './description.ts';
import { Type } from './json-schema.ts';
import { ErrorAnswer } from './schemas.ts';

/** Refusals that every request can get. */
const anyRequest: readonly RefusalCode[] = [
  'DuplicateHeader',
  'HeadersTooLarge',
  'InternalError',
  'InvalidHeader',
  'MalformedRequest',
];

/** Refusals that every request with credentials can get. */
const anyCaller: readonly RefusalCode[] = [
  'AppKeyMismatch',
  'AppKeyMissing',
  'AppKeyUnknown',
  'CertificateInvalid',
  'Forbidden',
  'InsufficientScope',
  'IssuerUnavailable',
  'MutualTlsNotAllowed',
  'MutualTlsRequired',
  'SpaceNotFound',
  'StorageUnavailable',
  'TokenInvalid',
  'TokenMissing',
  'TooManyRequests',
];

const anyWrite: readonly RefusalCode[] = ['ShuttingDown', 'StorageFull'];
const anyBody: readonly RefusalCode[] = [
  'DigestMismatch',
  'InvalidBody',
  'InvalidField',
  'UnsupportedEncoding',
  'UploadTooSlow',
];

/** Refusals that a parameter can cause, by its name. */
const impliedBy: Record<string, readonly RefusalCode[]> = {
  Comment: ['InvalidField'],
  ConflictBehavior: ['InvalidField', 'NameAlreadyExists'],
  'Idempotency-Key': ['IdempotencyKeyReused'],
  SpaceId: ['SpaceMissing', 'SpaceNotFound'],
  cursor: ['InvalidCursor'],
};

const rendered = new Map<string, string>();

/** Rendered once per address. */
export function renderOpenApi(routes: readonly Route[], publicUrl: string): string {
  const known = rendered.get(publicUrl);
  if (known !== undefined) return known;
  const text = JSON.stringify(toDocument(routes, publicUrl));
  rendered.set(publicUrl, text);
  return text;
}

export function toDocument(routes: readonly Route[], publicUrl: string): Json {
  const components = new Components();
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const operations = paths[route.path] ?? {};
    operations[route.method.toLowerCase()] = components.addReferences(toOperation(route, components));
    paths[route.path] = operations;
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Cabinet',
      version: '1.0.0',
      description: 'Folders and files over HTTP. A 200 means durable.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl, description: 'This address' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: { ...components.render(), headers: commonHeaders, securitySchemes: toSecuritySchemes(publicUrl) },
  };
}

function toOperation(route: Route, components: Components): Json {
  const { tag, refusals: _refusals, statuses: _statuses, responses, ...described } = route.describe;
  return {
    tags: [tag],
    ...described,
    security: route.describe.security ?? toSecurity(route),
    responses: toResponses(route, responses, components),
  };
}

function toSecurity({ action }: Route): Json[] {
  if (action === null || action === 'foreign') return [];
  const identity = { token: [scopeFor[action]], appKey: [] };
  return [identity, { ...identity, certificate: [] }];
}

export function listRefusals({ action, describe }: Route): RefusalCode[] {
  const { parameters = [], requestBody, refusals = [] } = describe;
  const isOpen = action === null || action === 'foreign';
  const codes = new Set([
    ...anyRequest,
    ...(isOpen ? [] : anyCaller),
    ...(isOpen || action === 'read' ? [] : anyWrite),
    ...(requestBody === undefined ? [] : anyBody),
    ...parameters.flatMap(({ name }) => impliedBy[name] ?? []),
    ...(parameters.some((parameter) => parameter.in === 'query') ? (['InvalidField'] as const) : []),
    ...refusals,
  ]);
  return [...codes].sort();
}

function toResponses(route: Route, responses: Description['responses'], components: Components): Json {
  const answers: Json = {};
  for (const [status, response] of Object.entries(responses)) answers[status] = withTrackingId(response);
  for (const [status, codes = []] of Object.entries(groupByStatus(route))) {
    const refusal = toRefusalResponse(codes, components);
    const own = responses[Number(status)];
    answers[status] = own === undefined ? components.addRefusal(status, refusal) : merge(own, refusal);
  }
  return answers;
}

function groupByStatus(route: Route): Partial<Record<string, RefusalCode[]>> {
  const { statuses } = route.describe;
  return Object.groupBy(listRefusals(route), (code) => String(statuses?.[code] ?? toStatus(code)));
}

function toRefusalResponse(codes: readonly RefusalCode[], components: Components): ResponseDescription {
  const examples = Object.fromEntries(codes.map((code) => [code, components.addExample(code)]));
  return {
    description: codes.map((code) => `\`${code}\``).join(', '),
    content: { 'application/json': { schema: ErrorAnswer, examples } },
  };
}

/** For a status that both a refusal and a page or an answer of another standard can have. */
function merge(own: ResponseDescription, refusal: ResponseDescription): Json {
  const [ours, theirs] = [refusal.content?.['application/json'], own.content?.['application/json']];
  const both = theirs && {
    schema: { anyOf: [theirs.schema, ours?.schema] },
    examples: { Other: { summary: own.description, value: theirs.example }, ...ours?.examples },
  };
  const content = { ...own.content, 'application/json': both ?? ours };
  const description = `${own.description}; or ${refusal.description}`;
  return { ...own, description, content, headers: { ...tracking, ...own.headers } };
}

const commonHeaders = {
  requesttrackingid: { schema: Type.String({ format: 'uuid' }), description: 'Names this request in the logs' },
};

function toSecuritySchemes(publicUrl: string): Json {
  const tokenUrl = `${publicUrl}/oauth2/token`;
  const known = Object.fromEntries(scopes.map((scope) => [scope, scopeMeanings[scope]]));
  return {
    token: {
      type: 'oauth2',
      description: `Access tokens live ${tokenLifetimeSeconds} seconds.`,
      flows: {
        clientCredentials: { tokenUrl, scopes: known },
        authorizationCode: { authorizationUrl: `${publicUrl}/oauth2/authorize`, tokenUrl, scopes: known },
      },
    },
    appKey: {
      type: 'apiKey',
      in: 'header',
      name: 'AppKey',
      description: 'The application that the token was given to.',
    },
    secret: {
      type: 'http',
      scheme: 'basic',
      description: 'For tokens: the AppKey and the secret of the application.',
    },
    certificate: { type: 'mutualTLS', description: 'On the mutual-TLS address: the certificate of the application.' },
  };
}

const scopeMeanings = {
  'content.read': 'Read folders and files',
  'content.write': 'Create, save, change and delete them',
  'content.admin': 'Manage spaces, applications and people',
};
