// Makes the OpenAPI 3.1 document from the table of routes and from the schemas that validate requests.

import { tokenLifetimeSeconds } from '../../auth/tokens.ts';
import { scopes } from '../../domain/caller.ts';
import { scopeFor } from '../../domain/permission.ts';
import type { Route } from '../route.ts';
import { Components, type Json } from './components.ts';
import { tags } from './description.ts';
import { toHeadResponses, toResponses } from './responses.ts';

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
    if (route.method === 'GET') operations.head = components.addReferences(toHeadOperation(route, components));
    paths[route.path] = operations;
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Cabinet',
      version: '1.0.0',
      description: 'Folders and files over HTTP. A 200 means durable.',
      contact: { name: 'Whoever runs this service', url: `${publicUrl}/docs` },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl, description: 'This address' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: { ...components.render(), securitySchemes: toSecuritySchemes(publicUrl) },
  };
}

function toOperation(route: Route, components: Components): Json {
  const { operationId, summary, description, parameters, requestBody, responses, tag } = route.describe;
  return {
    tags: [tag],
    operationId,
    summary,
    description,
    ...(parameters !== undefined && { parameters: parameters.map((parameter) => components.addParameter(parameter)) }),
    ...(requestBody !== undefined && { requestBody }),
    security: route.describe.security ?? toSecurity(route),
    responses: toResponses(route, responses, components),
  };
}

function toHeadOperation(route: Route, components: Components): Json {
  const { operationId, summary, parameters, tag } = route.describe;
  return {
    tags: [tag],
    operationId: `${operationId}Head`,
    summary: `${summary}: headers only`,
    description: describeHead(route),
    ...(parameters !== undefined && { parameters: parameters.map((parameter) => components.addParameter(parameter)) }),
    security: route.describe.security ?? toSecurity(route),
    responses: toHeadResponses(route, components),
  };
}

/** Names the headers of a success, because they are all that the answer says. */
function describeHead({ path, describe: { responses, headResponses = responses } }: Route): string {
  const successes = Object.entries(headResponses).filter(([status]) => Number(status) < 300);
  const names = new Set(successes.flatMap(([, { headers = {} }]) => Object.keys(headers)));
  const carried = [...names].map((name) => `\`${name}\``).join(', ');
  return `The status and headers of \`GET ${path}\`, without the body.${carried && ` A success carries ${carried}.`}`;
}

function toSecurity({ action }: Route): Json[] {
  if (action === null || action === 'foreign') return [];
  const identity = { token: [scopeFor[action]], appKey: [] };
  return [identity, { ...identity, certificate: [] }];
}

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
