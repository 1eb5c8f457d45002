// The page that asks whether an application may act for a person, `/oauth2/consent/{uid}`.

import { renderConsentPage } from '../../auth/consent-page.ts';
import type { Interaction } from '../../auth/issuer-contract.ts';
import { toPageHeaders } from '../../auth/pages.ts';
import type { Answer } from '../../listener/answer.ts';
import { giveConsent } from '../../operations/consents.ts';
import { pageAnswer, pathId } from '../openapi/description.ts';
import { answerHeader } from '../openapi/headers.ts';
import { Consent } from '../openapi/schemas.ts';
import type { OpenRoute, RouteExchange } from '../route.ts';
import { answerNotFound, findInteraction, finishInteraction, readPageForm, toWords } from './interaction.ts';

const path = '/oauth2/consent/{uid}';

export const showConsentRoute: OpenRoute = {
  method: 'GET',
  path,
  action: null,
  isForPeople: true,
  async handle(context, exchange) {
    const interaction = await findInteraction(context, exchange, ['consent']);
    return interaction === null ? answerNotFound(exchange) : answerPage(interaction, exchange);
  },
  describe: {
    operationId: 'ConsentPage',
    tag: 'Signing in',
    summary: 'The page on which a person allows an application to act for them',
    description:
      'Where the issuer sends the browser of a person whose consent an application needs, or asks for (`prompt=consent`). It ' +
      'belongs to that browser alone. What the person allows is remembered: `GET /me/consents`.',
    parameters: [pathId('The sign-in that was begun', 'uid')],
    responses: { 200: pageAnswer('The consent page'), 400: pageAnswer('There is no such question in this browser') },
    refusals: ['RouteNotFound', 'StorageFull', 'TooManyRequests'],
  },
};

export const consentRoute: OpenRoute = {
  method: 'POST',
  path,
  action: null,
  isForPeople: true,
  async handle(context, exchange) {
    const interaction = await findInteraction(context, exchange, ['consent']);
    if (interaction === null) return answerNotFound(exchange);
    const answer = (await readPageForm(exchange)).get('answer');
    if (answer === 'allow') {
      const { user, appKey, scopes } = interaction;
      if (user === null) return answerNotFound(exchange);
      await giveConsent(context.cabinet, { user: user.id, appKey, scopes, requestId: exchange.requestId });
      return await finishInteraction(context, exchange, { kind: 'allowed' });
    }
    if (answer === 'deny') return await finishInteraction(context, exchange, { kind: 'denied' });
    return { ...answerPage(interaction, exchange), status: 400 };
  },
  describe: {
    operationId: 'Consent',
    tag: 'Signing in',
    summary: 'Allow an application to act for a person, or not',
    description: 'What the form of the page sends.',
    parameters: [pathId('The sign-in that was begun', 'uid')],
    requestBody: {
      required: true,
      description: 'What the person answers',
      content: { 'application/x-www-form-urlencoded': { schema: Consent, example: { answer: 'allow' } } },
    },
    responses: {
      303: {
        description: 'Back to the application: with a code, or with `access_denied`',
        headers: answerHeader('Location'),
      },
      400: pageAnswer('There is no such question in this browser, or no answer in the form'),
    },
    refusals: ['RouteNotFound', 'StorageFull', 'TooManyRequests'],
  },
};

function answerPage({ user, ...interaction }: Interaction, exchange: RouteExchange): Answer {
  const page = renderConsentPage({ ...interaction, userName: user?.name ?? '' }, toWords(exchange));
  return { status: 200, headers: toPageHeaders(interaction.redirectUri), body: page };
}
