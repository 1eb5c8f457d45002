// The sign-in page, `/oauth2/login/{uid}`, to which the issuer redirects a browser. The issuer's cookie ties the page to the
// browser that started the sign-in. Another site cannot send the form, because browsers withhold that cookie (SameSite).

import { renderErrorPage, renderSignInPage, toPageHeaders } from '../../auth/pages.ts';
import type { Answer } from '../../listener/answer.ts';
import { signIn } from '../../operations/sign-in.ts';
import { invalidBody, parseForm, readWhole } from '../bodies/json.ts';
import type { EnvironmentContext } from '../environment-context.ts';
import { pageAnswer, pathId } from '../openapi/description.ts';
import { SignIn } from '../openapi/schemas.ts';
import { type OpenRoute, type RouteExchange, routeNotFound } from '../route.ts';

const path = '/oauth2/login/{uid}';
const maxFormBytes = 8 * 1024;
const hint = 'Send the form of the sign-in page.';

export const showSignInRoute: OpenRoute = {
  method: 'GET',
  path,
  action: null,
  isForPeople: true,
  async handle(context, exchange) {
    const pending = await findSignIn(context, exchange);
    if (pending === null) return signInNotFound();
    const page = renderSignInPage({ applicationName: pending.applicationName, user: '', problem: null });
    return { status: 200, headers: toPageHeaders(pending.redirectUri), body: page };
  },
  describe: {
    operationId: 'SignInPage',
    tag: 'Signing in',
    summary: 'The page on which a person signs in',
    description: 'Where the issuer sends a browser that asked for a person. It belongs to that browser alone.',
    parameters: [pathId('The sign-in that was begun', 'uid')],
    responses: { 200: pageAnswer('The page'), 400: pageAnswer('There is no such sign-in in this browser') },
    refusals: ['RouteNotFound', 'StorageFull', 'TooManyRequests'],
  },
};

export const signInRoute: OpenRoute = {
  method: 'POST',
  path,
  action: null,
  isForPeople: true,
  async handle(context, exchange) {
    const pending = await findSignIn(context, exchange);
    if (pending === null) return signInNotFound();
    const tooLarge = () => invalidBody(`The form has more than ${maxFormBytes} bytes.`, hint);
    const form = parseForm(await readWhole(exchange.openBody(), maxFormBytes, tooLarge), hint);
    const [user, password] = [form.get('user') ?? '', form.get('password') ?? ''];
    const { address } = exchange.arrival;
    const signedIn = await signIn(context.cabinet, { user, password, address });
    if (signedIn.userId !== null) {
      const location = await context.issuer?.finishSignIn(exchange.request, exchange.response, signedIn);
      return { status: 303, headers: { Location: location ?? '/' }, body: '' };
    }
    const { waitSeconds } = signedIn;
    const problem =
      waitSeconds === 0
        ? 'The user or the password is not right.'
        : `Too many attempts. Try again in ${waitSeconds} seconds.`;
    const page = renderSignInPage({ applicationName: pending.applicationName, user, problem });
    const headers = toPageHeaders(pending.redirectUri);
    if (waitSeconds > 0) headers['Retry-After'] = String(waitSeconds);
    return { status: waitSeconds === 0 ? 403 : 429, headers, body: page };
  },
  describe: {
    operationId: 'SignIn',
    tag: 'Signing in',
    summary: 'Sign in',
    description: 'What the form of the page sends.',
    parameters: [pathId('The sign-in that was begun', 'uid')],
    requestBody: {
      required: true,
      description: 'The form of the page',
      content: {
        'application/x-www-form-urlencoded': { schema: SignIn, example: { user: 'ann', password: 'correct horse' } },
      },
    },
    responses: {
      303: { description: 'Back to the application' },
      400: pageAnswer('There is no such sign-in in this browser'),
      403: pageAnswer('Not right: try again'),
      429: pageAnswer('Too many attempts: `Retry-After`'),
    },
    refusals: ['RouteNotFound', 'StorageFull', 'TooManyRequests'],
  },
};

async function findSignIn({ issuer }: EnvironmentContext, { request, response }: RouteExchange) {
  if (issuer === null) throw routeNotFound();
  return await issuer.findSignIn(request, response);
}

function signInNotFound(): Answer {
  const page = renderErrorPage('This page belongs to a sign-in that is over or was begun in another browser.');
  return { status: 400, headers: toPageHeaders(null), body: page };
}
