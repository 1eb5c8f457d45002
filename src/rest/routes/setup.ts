// The page behind a setup link, `/setup/{secret}`: a plain form that works without script. The secret in the path is all that it
// needs, so the page is sent to nobody else: no referrer, no cache, no scripts.

import type { AuthWords } from '../../auth/page-words.ts';
import { toPageHeaders } from '../../auth/pages.ts';
import { renderNoSetupPage, renderSetupDonePage, renderSetupPage } from '../../auth/setup-page.ts';
import type { User } from '../../catalog/verbs/people.ts';
import { Refusal } from '../../domain/refusal.ts';
import type { Answer } from '../../listener/answer.ts';
import { passwordLength, TooBusy } from '../../operations/passwords.ts';
import { findSetup, useSetup } from '../../operations/setup-links.ts';
import { busySeconds } from '../../operations/sign-in-limits.ts';
import type { EnvironmentContext } from '../environment-context.ts';
import { pageAnswer, pathId } from '../openapi/description.ts';
import { Type } from '../openapi/json-schema.ts';
import type { OpenRoute, RouteExchange } from '../route.ts';
import { readPageForm, toWords } from './interaction.ts';

const path = '/setup/{secret}';
const SetupForm = Type.Object(
  { password: Type.String({ enforced: passwordLength, description: 'The new password, 12 to 256 characters.' }) },
  { title: 'SetupForm', description: 'The form of the setup page.' },
);
const setupSecret = pathId('The secret of the setup link', 'secret');
const noLink = pageAnswer('The link was used, has ended, or does not exist');

export const showSetupRoute: OpenRoute = {
  method: 'GET',
  path,
  action: null,
  isForPeople: true,
  async handle({ cabinet }, exchange) {
    const user = await findSetup(cabinet, exchange.parameters.secret ?? '');
    const words = toWords(exchange);
    return user === null ? answerNoLink(words) : answerForm(user, words, { status: 200, problem: null });
  },
  describe: {
    operationId: 'SetupPage',
    tag: 'Signing in',
    summary: 'The page on which a person sets the first password',
    description: 'Where a setup link leads. Reading the page does not use the link up.',
    parameters: [setupSecret],
    responses: { 200: pageAnswer('The page with a form for the password'), 404: noLink },
    refusals: ['RouteNotFound', 'StorageFull', 'TooManyRequests'],
  },
};

export const setupRoute: OpenRoute = {
  method: 'POST',
  path,
  action: null,
  isForPeople: true,
  async handle(context, exchange) {
    const user = await findSetup(context.cabinet, exchange.parameters.secret ?? '');
    const words = toWords(exchange);
    if (user === null) return answerNoLink(words);
    const password = (await readPageForm(exchange)).get('password') ?? '';
    try {
      return await setPassword(context, exchange, { user, password, words });
    } catch (error) {
      if (error instanceof TooBusy) return answerBusy(user, words);
      if (!(error instanceof Refusal && error.code === 'InvalidField')) throw error;
      return answerForm(user, words, { status: 400, problem: words.setPassword.refused ?? error.message });
    }
  },
  describe: {
    operationId: 'Setup',
    tag: 'Signing in',
    summary: 'Set the first password',
    description: 'What the form of the page sends. A refused password does not use the link up.',
    parameters: [setupSecret],
    requestBody: {
      required: true,
      description: 'The new password',
      content: {
        'application/x-www-form-urlencoded': { schema: SetupForm, example: { password: 'four words nobody expects' } },
      },
    },
    responses: {
      200: pageAnswer('The password is set'),
      400: pageAnswer('The password is refused: try another one'),
      404: noLink,
      429: pageAnswer('Too much at once', 'Retry-After'),
    },
    refusals: ['RouteNotFound', 'StorageFull', 'TooManyRequests'],
  },
};

async function setPassword(
  { cabinet, basePath }: EnvironmentContext,
  { parameters, requestId }: RouteExchange,
  { user, password, words }: { user: User; password: string; words: AuthWords },
): Promise<Answer> {
  const isSet = await useSetup(cabinet, { user, secret: parameters.secret ?? '', password, requestId });
  if (!isSet) return answerNoLink(words);
  return { status: 200, headers: toPageHeaders(null), body: renderSetupDonePage(`${basePath}/`, words) };
}

interface Shown {
  status: number;
  problem: string | null;
}

function answerForm({ id, name }: User, words: AuthWords, { status, problem }: Shown): Answer {
  return { status, headers: toPageHeaders(null), body: renderSetupPage({ user: id, name, problem }, words) };
}

function answerBusy(user: User, words: AuthWords): Answer {
  const answer = answerForm(user, words, { status: 429, problem: words.setPassword.busy(busySeconds) });
  answer.headers['Retry-After'] = String(busySeconds);
  return answer;
}

function answerNoLink(words: AuthWords): Answer {
  return { status: 404, headers: toPageHeaders(null), body: renderNoSetupPage(words) };
}
