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
    interval: Type.Optional(
      Type.Integer({
        description: 'With `slow_down`: how many seconds a device waits between two requests from now on.',
      }),
    ),
  },
  { title: 'OAuthError', description: 'RFC 6749, section 5.2.' },
);

const TokenRequest = Type.Object(
  {
    grant_type: Type.Enum(
      ['client_credentials', 'authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      { description: 'What the token is given for.' },
    ),
    scope: Type.Optional(Type.String({ description: 'Less than the application has; without it, all of it.' })),
    client_id: Type.Optional(Type.String({ description: 'The AppKey, unless it is sent by HTTP Basic.' })),
    client_secret: Type.Optional(
      Type.String({ description: 'Unless it is sent by HTTP Basic, or there is a certificate.' }),
    ),
    code: Type.Optional(Type.String({ description: 'Of the sign-in.' })),
    code_verifier: Type.Optional(Type.String({ description: 'Proves who began the sign-in (RFC 7636).' })),
    redirect_uri: Type.Optional(Type.String({ description: 'As in the request that began the sign-in.' })),
    device_code: Type.Optional(Type.String({ description: 'Of the sign-in of a device (RFC 8628).' })),
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

const DeviceRequest = Type.Object(
  {
    client_id: Type.String({ description: 'The AppKey of an application that may sign devices in.' }),
    scope: Type.Optional(Type.String({ description: 'What the person is asked for.' })),
  },
  { title: 'DeviceRequest', description: 'The beginning of a sign-in of a device (RFC 8628).' },
);

const DeviceAnswer = Type.Object(
  {
    device_code: Type.String({ description: 'What the device asks for its token with.' }),
    user_code: Type.String({ description: 'What the device shows, and the person types.' }),
    verification_uri: Type.String({ description: 'Where the person types it.' }),
    expires_in: Type.Integer({ description: 'How long the codes are valid, in seconds.' }),
    interval: Type.Integer({
      description: 'How long the device waits between two requests for its token, in seconds.',
    }),
  },
  { title: 'DeviceAnswer', description: 'The codes of a sign-in (RFC 8628).' },
);

const DeviceForm = Type.Object(
  {
    user_code: Type.String({ description: 'The code that the device shows.' }),
    xsrf: Type.String({ description: 'From the page.' }),
    confirm: Type.Optional(Type.Enum(['yes'], { description: 'The person has checked the device.' })),
    abort: Type.Optional(Type.Enum(['yes'], { description: 'The person refuses the device.' })),
  },
  { title: 'DeviceForm', description: 'What the pages for codes send.' },
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
  example: { error: 'temporarily_unavailable' },
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

const sendCode: EndpointDescription = {
  description:
    'What the forms of the page send: first the code; then, on a page that shows which device asks, `confirm` or `abort`. ' +
    'After that the person signs in and is asked for consent. Wrong codes are limited by address.',
  requestBody: formBody('The code', DeviceForm, { user_code: 'WDJB-MJHT', xsrf: '9b1f0c' }),
  responses: {
    200: pageAnswer('The page that shows the device, or that the code is wrong'),
    ...away,
    ...wrongPage,
    429: pageAnswer('Too many wrong codes', 'Retry-After'),
  },
};

const descriptions: Record<IssuerPath, EndpointDescription> = {
  '/oauth2/device': {
    description:
      'For programs without a browser (RFC 8628): the answer has a code for the person, and one with which the device asks ' +
      '`/oauth2/token` until the person has allowed it: 400 `authorization_pending` meanwhile, and `slow_down` when it asks too ' +
      'often. For `cabinet-cli` only.',
    requestBody: formBody('Who asks, and for what', DeviceRequest, {
      client_id: 'ak_cabinetcli0000000000000000000000',
      scope: 'openid content.read content.write',
    }),
    responses: {
      200: jsonAnswer('A code for the person, and one for the device', {
        schema: DeviceAnswer,
        example: {
          device_code: '5Bk0kLkqI2VbWmQmQ0oLwI2m8uKz4dN3',
          user_code: 'WDJB-MJHT',
          verification_uri: 'http://127.0.0.1:8080/device',
          expires_in: 600,
          interval: 5,
        },
      }),
      400: refused,
      401: unauthenticated,
    },
  },
  '/device': {
    description: 'The page on which a person types the code that a device shows. The address never carries the code.',
    responses: { 200: pageAnswer('The page') },
  },
  '/device/{uid}': {
    description: 'Where the browser goes on after the person has signed in and answered.',
    parameters: [pathId('The sign-in that was begun', 'uid')],
    responses: { 200: pageAnswer('The device is signed in, or refused'), ...away, ...wrongPage },
  },
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

type FormSchema = typeof TokenRequest | typeof RevokeRequest | typeof DeviceRequest | typeof DeviceForm;

function formBody(description: string, schema: FormSchema, example: object) {
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
    ...(method === 'POST' && path === '/device' ? sendCode : descriptions[path]),
    refusals: ['RouteNotFound', ...(isForPeople ? (['StorageFull', 'TooManyRequests'] as const) : [])],
  },
}));
