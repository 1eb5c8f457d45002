// The issuer's endpoints as routes. The issuer handles them itself, by the rules of OAuth 2.0 and OpenID Connect.

import { issuerRoutes } from '../../auth/issuer.ts';
import { type Description, jsonAnswer, pageAnswer, pathId, query } from '../openapi/description.ts';
import { exampleIds } from '../openapi/examples.ts';
import { answerHeader } from '../openapi/headers.ts';
import { Type } from '../openapi/json-schema.ts';
import type { ForeignRoute } from '../route.ts';

type IssuerPath = (typeof issuerRoutes)[number]['path'];

const OAuthError = Type.Object(
  {
    error: Type.String({ description: 'A code of RFC 6749.' }),
    error_description: Type.Optional(Type.String({ description: 'A sentence for whoever develops the application.' })),
  },
  { title: 'OAuthError', description: 'RFC 6749, section 5.2.' },
);

const TokenRequest = Type.Object(
  {
    grant_type: Type.Enum(['client_credentials', 'authorization_code', 'refresh_token'], {
      description: 'What the token is given for.',
    }),
    scope: Type.Optional(Type.String({ description: 'Less than the application has; without it, all of it.' })),
    client_id: Type.Optional(Type.String({ description: 'The AppKey, unless it is sent by HTTP Basic.' })),
    client_secret: Type.Optional(
      Type.String({ description: 'Unless it is sent by HTTP Basic, or there is a certificate.' }),
    ),
    code: Type.Optional(Type.String({ description: 'Of the sign-in.' })),
    code_verifier: Type.Optional(Type.String({ description: 'Proves who began the sign-in (RFC 7636).' })),
    redirect_uri: Type.Optional(Type.String({ description: 'As in the request that began the sign-in.' })),
    refresh_token: Type.Optional(Type.String({ description: 'Good once; the answer has the next one.' })),
  },
  { title: 'TokenRequest', description: 'A token request (RFC 6749).' },
);

const TokenAnswer = Type.Object(
  {
    access_token: Type.String({ description: 'A JWT; goes into the header Authorization.' }),
    expires_in: Type.Integer({ description: 'Seconds.' }),
    token_type: Type.String({ description: '`Bearer`' }),
    scope: Type.Optional(Type.String({ description: 'What the token allows.' })),
    refresh_token: Type.Optional(Type.String({ description: 'Only for people.' })),
    id_token: Type.Optional(Type.String({ description: 'Who signed in; with the scope openid.' })),
  },
  { title: 'TokenAnswer', description: 'An access token (RFC 6749).' },
);

const RevokeRequest = Type.Object(
  { token: Type.String({ description: 'The refresh token of the sign-in.' }) },
  { title: 'RevokeRequest', description: 'A token to revoke (RFC 7009).' },
);
const KeySet = Type.Object(
  {
    keys: Type.Array(Type.Object({ kty: Type.String({ description: 'EC or RSA.' }) }, { additionalProperties: true }), {
      description: 'The current ones, and those of tokens that are still valid.',
    }),
  },
  { title: 'KeySet', description: 'A set of public keys (RFC 7517).' },
);
const Metadata = Type.Object(
  {
    issuer: Type.String({ description: 'The public address.' }),
    token_endpoint: Type.String({ description: 'Where tokens are got.' }),
  },
  { title: 'IssuerMetadata', description: 'Where the endpoints of the issuer are.' },
);

const refused = jsonAnswer('Refused, as RFC 6749 says', { schema: OAuthError, example: { error: 'invalid_request' } });
const tooMany = jsonAnswer('Too many requests', {
  schema: OAuthError,
  example: { error: 'slow_down' },
  headers: answerHeader('Retry-After'),
});
const unauthenticated = jsonAnswer('The credentials are not right', {
  schema: OAuthError,
  example: { error: 'invalid_client' },
  headers: answerHeader('WWW-Authenticate'),
});
/** A page for browsers; JSON for programs that accept only that. */
const wrong = pageAnswer('Why it cannot go on');
const wrongPage = { 400: { ...wrong, content: { ...wrong.content, ...refused.content } } };
const away = { 303: { description: 'Onwards', headers: answerHeader('Location') } };

type EndpointDescription = Pick<Description, 'description' | 'parameters' | 'requestBody' | 'responses' | 'security'>;

/** HTTP Basic, a certificate, or the secret in the form. */
const security = [{ secret: [] }, { certificate: [] }, {}];

const descriptions: Record<IssuerPath, EndpointDescription> = {
  '/oauth2/token': {
    description: 'The client id is the AppKey; the secret goes by HTTP Basic, or in the form as `client_secret`.',
    security,
    requestBody: formBody('The grant, with what it needs', TokenRequest, {
      grant_type: 'client_credentials',
      scope: 'content.read',
    }),
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
      401: unauthenticated,
      429: tooMany,
    },
  },
  '/oauth2/revoke': {
    description: 'Ends the sign-in, and with it the access tokens that it gave (RFC 7009).',
    security,
    requestBody: formBody('The refresh token', RevokeRequest, { token: 'P1bHvBXnU4…' }),
    responses: {
      200: { description: 'It is revoked, or was never there' },
      400: refused,
      401: unauthenticated,
      429: tooMany,
    },
  },
  '/oauth2/jwks': {
    description: 'The public keys by which tokens are verified. Fetch them again when a token names an unknown `kid`.',
    responses: {
      200: {
        description: 'The keys',
        content: {
          'application/jwk-set+json': { schema: KeySet, example: { keys: [{ kty: 'EC', crv: 'P-256' }] } },
        },
      },
    },
  },
  '/.well-known/oauth-authorization-server': metadata('RFC 8414'),
  '/.well-known/openid-configuration': metadata('OpenID Connect Discovery 1.0'),
  '/oauth2/authorize': {
    description: 'Authorization code with PKCE (S256): a browser is sent here by an application.',
    parameters: [
      ...Object.entries({
        client_id: exampleIds.appKey,
        redirect_uri: 'https://app.example.com/callback',
        response_type: 'code',
        scope: 'openid content.read',
        state: 'af0ifjsldkj',
        code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
        code_challenge_method: 'S256',
      }).map(([name, example]) => query(name, `\`${name}\` of RFC 6749 or RFC 7636`, undefined, example)),
      query(
        'prompt',
        '`none`, or any of `login`, `consent` and `select_account`, separated by spaces',
        undefined,
        'select_account',
      ),
    ],
    responses: { ...away, ...wrongPage },
  },
  '/oauth2/authorize/{uid}': {
    description: 'Where the sign-in page sends the browser.',
    parameters: [pathId('The sign-in that was begun', 'uid')],
    responses: { ...away, ...wrongPage },
  },
  '/oauth2/logout': {
    description: 'OpenID Connect RP-Initiated Logout 1.0.',
    parameters: Object.entries({
      id_token_hint: 'eyJhbGciOiJFUzI1NiIs…',
      post_logout_redirect_uri: 'https://app.example.com/',
      state: 'af0ifjsldkj',
    }).map(([name, example]) => query(name, `\`${name}\` of that standard`, undefined, example)),
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

function formBody(description: string, schema: typeof TokenRequest | typeof RevokeRequest, example: object) {
  const content = { 'application/x-www-form-urlencoded': { schema, example } };
  return { required: true, description, content };
}

function metadata(standard: string): EndpointDescription {
  const example = { issuer: 'http://127.0.0.1:8080', token_endpoint: 'http://127.0.0.1:8080/oauth2/token' };
  return {
    description: `${standard}.`,
    responses: { 200: jsonAnswer(`The metadata of ${standard}`, { schema: Metadata, example }) },
  };
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
