// The issuer's endpoints as routes. The issuer handles them itself, by the rules of OAuth 2.0 and OpenID Connect.

import { issuerRoutes } from '../../auth/issuer.ts';
import { type Description, jsonAnswer, pageAnswer, pathId, query } from '../openapi/description.ts';
import { Type } from '../openapi/json-schema.ts';
import type { ForeignRoute } from '../route.ts';

type IssuerPath = (typeof issuerRoutes)[number]['path'];

const OAuthError = Type.Object(
  { error: Type.String(), error_description: Type.Optional(Type.String()) },
  { title: 'OAuthError', description: 'RFC 6749, section 5.2.' },
);

const TokenRequest = Type.Object(
  {
    grant_type: Type.Enum(['client_credentials', 'authorization_code', 'refresh_token']),
    scope: Type.Optional(Type.String({ description: 'Less than the application has; without it, all of it.' })),
    client_id: Type.Optional(Type.String({ description: 'The AppKey, unless it is sent by HTTP Basic.' })),
    client_secret: Type.Optional(
      Type.String({ description: 'Unless it is sent by HTTP Basic, or there is a certificate.' }),
    ),
    code: Type.Optional(Type.String()),
    code_verifier: Type.Optional(Type.String()),
    redirect_uri: Type.Optional(Type.String()),
    refresh_token: Type.Optional(Type.String()),
  },
  { title: 'TokenRequest', description: 'A token request (RFC 6749).' },
);

const TokenAnswer = Type.Object(
  {
    access_token: Type.String(),
    expires_in: Type.Integer(),
    token_type: Type.String(),
    scope: Type.Optional(Type.String()),
    refresh_token: Type.Optional(Type.String()),
    id_token: Type.Optional(Type.String()),
  },
  { title: 'TokenAnswer', description: 'An access token (RFC 6749).' },
);

const RevokeRequest = Type.Object(
  { token: Type.String() },
  { title: 'RevokeRequest', description: 'A token to revoke (RFC 7009).' },
);
const KeySet = Type.Object(
  { keys: Type.Array(Type.Object({ kty: Type.String() }, { additionalProperties: true })) },
  { title: 'KeySet', description: 'Public keys (RFC 7517).' },
);
const Metadata = Type.Object(
  { issuer: Type.String(), token_endpoint: Type.String() },
  { title: 'IssuerMetadata', description: 'Where the endpoints of the issuer are.' },
);

const refused = jsonAnswer('Refused, as RFC 6749 says', { schema: OAuthError, example: { error: 'invalid_request' } });
const tooMany = jsonAnswer('Too many: `Retry-After`', { schema: OAuthError, example: { error: 'slow_down' } });
/** A page for browsers; JSON for programs that accept only that. */
const wrong = pageAnswer('Why it cannot go on');
const wrongPage = { 400: { ...wrong, content: { ...wrong.content, ...refused.content } } };
const away = { 303: { description: 'Onwards' } };

type EndpointDescription = Pick<Description, 'description' | 'parameters' | 'requestBody' | 'responses' | 'security'>;

/** HTTP Basic, a certificate, or the secret in the form. */
const security = [{ secret: [] }, { certificate: [] }, {}];

const descriptions: Record<IssuerPath, EndpointDescription> = {
  '/oauth2/token': {
    description: 'The client id is the AppKey; the secret goes by HTTP Basic, or in the form as `client_secret`.',
    security,
    requestBody: formBody(TokenRequest, { grant_type: 'client_credentials', scope: 'content.read' }),
    responses: {
      200: jsonAnswer('A token', {
        schema: TokenAnswer,
        example: {
          access_token: 'eyJhbGciOiJFUzI1NiIs…',
          expires_in: 3600,
          token_type: 'Bearer',
          scope: 'content.read',
        },
      }),
      400: refused,
      401: jsonAnswer('The credentials are not right', { schema: OAuthError, example: { error: 'invalid_client' } }),
      429: tooMany,
    },
  },
  '/oauth2/revoke': {
    description: 'Ends the sign-in, and with it the access tokens that it gave (RFC 7009).',
    security,
    requestBody: formBody(RevokeRequest, { token: 'P1bHvBXnU4…' }),
    responses: { 200: { description: 'It is revoked, or was never there' }, 400: refused, 401: refused, 429: tooMany },
  },
  '/oauth2/jwks': {
    description: 'Public keys (RFC 7517).',
    responses: {
      200: {
        description: 'The keys',
        content: {
          'application/jwk-set+json': { schema: KeySet, example: { keys: [{ kty: 'EC', crv: 'P-256' }] } },
        },
      },
    },
  },
  '/.well-known/oauth-authorization-server': metadata('RFC 8414.'),
  '/.well-known/openid-configuration': metadata('OpenID Connect Discovery 1.0.'),
  '/oauth2/authorize': {
    description: 'Authorization code with PKCE (S256): a browser is sent here by an application.',
    parameters: [
      'client_id',
      'redirect_uri',
      'response_type',
      'scope',
      'state',
      'code_challenge',
      'code_challenge_method',
    ]
      .map((name) => query(name, `\`${name}\` of RFC 6749 or RFC 7636`))
      .concat(query('prompt', '`none`, or any of `login`, `consent` and `select_account`, separated by spaces')),
    responses: { ...away, ...wrongPage },
  },
  '/oauth2/authorize/{uid}': {
    description: 'Where the sign-in page sends the browser.',
    parameters: [pathId('The sign-in that was begun', 'uid')],
    responses: { ...away, ...wrongPage },
  },
  '/oauth2/logout': {
    description: 'OpenID Connect RP-Initiated Logout 1.0.',
    parameters: ['id_token_hint', 'post_logout_redirect_uri', 'state'].map((name) =>
      query(name, `\`${name}\` of that standard`),
    ),
    responses: { 200: pageAnswer('A page that asks'), ...wrongPage },
  },
  '/oauth2/logout/confirm': {
    description: 'What the form of that page sends.',
    responses: { ...away, 400: refused },
  },
  '/oauth2/logout/success': {
    description: 'What is shown when no application waits.',
    responses: { 200: pageAnswer('A page that says so') },
  },
};

function formBody(schema: typeof TokenRequest | typeof RevokeRequest, example: object) {
  const content = { 'application/x-www-form-urlencoded': { schema, example } };
  return { required: true, description: 'A form', content };
}

function metadata(description: string): EndpointDescription {
  const example = { issuer: 'http://127.0.0.1:8080', token_endpoint: 'http://127.0.0.1:8080/oauth2/token' };
  return { description, responses: { 200: jsonAnswer('The metadata', { schema: Metadata, example }) } };
}

export const foreignRoutes: readonly ForeignRoute[] = issuerRoutes.map(({ method, path, summary, isForPeople }) => ({
  method,
  path,
  isForPeople,
  action: 'foreign',
  describe: {
    operationId: summary.replaceAll(/\b\w/g, (letter) => letter.toUpperCase()).replaceAll(/\W/g, ''),
    tag: 'Signing in',
    summary,
    ...descriptions[path],
    refusals: ['RouteNotFound', ...(isForPeople ? (['StorageFull', 'TooManyRequests'] as const) : [])],
  },
}));
