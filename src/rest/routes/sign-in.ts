// The sign-in page, `/oauth2/login/{uid}`, to which the issuer redirects a browser. Where an application asks for a choice of
// account, a person who is signed in can go on as they are.

import type { Interaction } from '../../auth/issuer-contract.ts';
import { renderSignInPage, toPageHeaders } from '../../auth/pages.ts';
import type { Answer } from '../../listener/answer.ts';
import { signIn } from '../../operations/sign-in.ts';
import type { EnvironmentContext } from '../environment-context.ts';
import { pageAnswer, pathId } from '../openapi/description.ts';
import { answerHeader } from '../openapi/headers.ts';
import { SignIn } from '../openapi/schemas.ts';
import type { OpenRoute, RouteExchange } from '../route.ts';
import { answerNotFound, findInteraction, finishInteraction, readPageForm, toWords } from './interaction.ts';
import { answerPassword, answerStep, readStep } from './sign-in-step.ts';

const path = '/oauth2/login/{uid}';
const prompts = ['login', 'select_account'] as const;

export const showSignInRoute: OpenRoute = {
  method: 'GET',
  path,
  action: null,
  isForPeople: true,
  async handle(context, exchange) {
    const interaction = await findInteraction(context, exchange, prompts);
    return interaction === null
      ? answerNotFound(exchange)
      : answerPage(exchange, interaction, { user: '', problem: null });
  },
  describe: {
    operationId: 'SignInPage',
    tag: 'Signing in',
    summary: 'The page on which a person signs in',
    description: 'Where the issuer sends a browser for a sign-in. It belongs to that browser alone.',
    parameters: [pathId('The sign-in that was begun', 'uid')],
    responses: { 200: pageAnswer('The sign-in page'), 400: pageAnswer('There is no such sign-in in this browser') },
    refusals: ['RouteNotFound', 'StorageFull', 'TooManyRequests'],
  },
};

export const signInRoute: OpenRoute = {
  method: 'POST',
  path,
  action: null,
  isForPeople: true,
  async handle(context, exchange) {
    const interaction = await findInteraction(context, exchange, prompts);
    if (interaction === null) return answerNotFound(exchange);
    const form = await readPageForm(exchange);
    if (form.get('account') === 'current' && toChoice(interaction) !== null)
      return await finishInteraction(context, exchange, { kind: 'sameAccount' });
    if (!form.has('step')) return await checkPassword(context, exchange, { interaction, form });
    const step = readStep(context, interaction, form);
    if (step !== null) return await answerStep(context, exchange, { interaction, form, step });
    const problem = toWords(exchange).signIn.late;
    return { ...answerPage(exchange, interaction, { user: '', problem }), status: 403 };
  },
  describe: {
    operationId: 'SignIn',
    tag: 'Signing in',
    summary: 'Sign in',
    description:
      'What the form of the page sends. With a second factor, the next page sends `step` and `code` to the same address.',
    parameters: [pathId('The sign-in that was begun', 'uid')],
    requestBody: {
      required: true,
      description: 'The id and the password, or the second factor',
      content: {
        'application/x-www-form-urlencoded': { schema: SignIn, example: { user: 'ann', password: 'correct horse' } },
      },
    },
    responses: {
      200: pageAnswer('The password is right, and a second factor is needed: the next page'),
      303: { description: 'Back to the application', headers: answerHeader('Location') },
      400: pageAnswer('There is no such sign-in in this browser'),
      403: pageAnswer('Not right: try again'),
      429: pageAnswer('Too many attempts', 'Retry-After'),
    },
    refusals: ['RouteNotFound', 'StorageFull', 'TooManyRequests'],
  },
};

async function checkPassword(
  context: EnvironmentContext,
  exchange: RouteExchange,
  { interaction, form }: { interaction: Interaction; form: Map<string, string> },
): Promise<Answer> {
  const [user, password] = [form.get('user') ?? '', form.get('password') ?? ''];
  const { address } = exchange.arrival;
  const { appKey: application } = interaction;
  const request = { user, password, address, application, requestId: exchange.requestId };
  const signedIn = await signIn(context.cabinet, request, context.onSignIn);
  if (signedIn.userId !== null) return await answerPassword(context, exchange, { interaction, ...signedIn });
  const { waitSeconds } = signedIn;
  const isWrong = waitSeconds === 0;
  const words = toWords(exchange);
  const problem = isWrong ? words.signIn.wrong : words.tooMany(waitSeconds);
  const answer = answerPage(exchange, interaction, { user, problem });
  if (!isWrong) answer.headers['Retry-After'] = String(waitSeconds);
  return { ...answer, status: isWrong ? 403 : 429 };
}

/** The person who can go on as they are. Null: nobody, or not without a password. */
function toChoice({ prompt, user }: Interaction): string | null {
  return prompt === 'select_account' && user !== null ? user.name : null;
}

function answerPage(
  exchange: RouteExchange,
  interaction: Interaction,
  { user, problem }: { user: string; problem: string | null },
): Answer {
  const { applicationName, redirectUri } = interaction;
  const shown = { applicationName, user, problem, signedInAs: toChoice(interaction) };
  const page = renderSignInPage(shown, toWords(exchange));
  return { status: 200, headers: toPageHeaders(redirectUri), body: page };
}
