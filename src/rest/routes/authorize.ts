// `POST /oauth2/authorize`: the authorization request as a form (OpenID Connect Core 1.0, section 3.1.2.1). It becomes the same
// request by GET: a browser withholds the cookies of a sign-in (SameSite=Lax) from a form of another site, but not from the
// redirect that follows.

import { invalidBody, readWhole } from '../bodies/json.ts';
import { answerHeader } from '../openapi/headers.ts';
import { Type } from '../openapi/json-schema.ts';
import { type OpenRoute, routeNotFound } from '../route.ts';

/** As long as the query of the same request by GET may be. */
const maxFormBytes = 4096;
const hint = 'Send the parameters of the authorization request as application/x-www-form-urlencoded.';

/** Whether they are right is decided after the redirect. */
const AuthorizationRequest = Type.Object(
  {
    client_id: Type.Optional(Type.String({ description: 'The AppKey of the application that asks.' })),
    redirect_uri: Type.Optional(Type.String({ description: 'One of those that the application was registered with.' })),
    response_type: Type.Optional(Type.String({ description: '`code`' })),
    scope: Type.Optional(Type.String({ description: 'What the application asks for.' })),
    state: Type.Optional(Type.String({ description: 'Comes back with the answer.' })),
    code_challenge: Type.Optional(Type.String({ description: 'The hash of the code verifier (RFC 7636).' })),
    code_challenge_method: Type.Optional(Type.String({ description: '`S256`' })),
    prompt: Type.Optional(Type.String({ description: '`none`, or any of `login`, `consent` and `select_account`.' })),
  },
  { title: 'AuthorizationRequest', description: 'An authorization request (RFC 6749); GET decides about it.' },
);

export const postAuthorizeRoute: OpenRoute = {
  method: 'POST',
  path: '/oauth2/authorize',
  action: null,
  isForPeople: true,
  async handle({ issuer, basePath }, { openBody }) {
    if (issuer === null) throw routeNotFound();
    const tooLarge = () => invalidBody(`The form has more than ${maxFormBytes} bytes.`, hint);
    const form = new URLSearchParams((await readWhole(openBody(), maxFormBytes, tooLarge)).toString('utf8'));
    if (form.size === 0) throw invalidBody('The form is empty.', hint);
    const headers = { Location: `${basePath}/oauth2/authorize?${form}`, 'Cache-Control': 'no-store' };
    return { status: 303, headers, body: '' };
  },
  describe: {
    operationId: 'AskAPersonToSignInByForm',
    tag: 'Signing in',
    summary: 'Ask a person to sign in, by a form',
    description: 'The same as `GET /oauth2/authorize`, to which it redirects.',
    requestBody: {
      required: true,
      description: 'The parameters of the authorization request',
      content: {
        'application/x-www-form-urlencoded': {
          schema: AuthorizationRequest,
          example: {
            client_id: 'ak_7k2m9x4q8w3v6t1r5y0p2n8b4c6d1f3h',
            redirect_uri: 'https://app.example/back',
            response_type: 'code',
            scope: 'openid content.read',
            code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
            code_challenge_method: 'S256',
          },
        },
      },
    },
    responses: { 303: { description: 'The same request by GET', headers: answerHeader('Location') } },
    refusals: ['InvalidBody', 'RouteNotFound', 'StorageFull', 'TooManyRequests'],
  },
};
