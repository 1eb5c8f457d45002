// What the pages on the way to an application share: the interaction that they belong to, their form, and the way back. The
// issuer's cookie ties a page to the browser that started the sign-in. Another site cannot send the form, because browsers
// withhold that cookie (SameSite).

import type { PromptName } from '../../auth/interaction-policy.ts';
import type { Interaction, InteractionAnswer } from '../../auth/issuer-contract.ts';
import { type AuthWords, chooseAuthWords } from '../../auth/page-words.ts';
import { renderErrorPage, toPageHeaders } from '../../auth/pages.ts';
import type { Answer } from '../../listener/answer.ts';
import { invalidBody, parseForm, readWhole } from '../bodies/json.ts';
import type { EnvironmentContext } from '../environment-context.ts';
import { type RouteExchange, routeNotFound } from '../route.ts';

const maxFormBytes = 8 * 1024;

/** Null: this browser has none that this page could answer. */
export async function findInteraction(
  { issuer }: EnvironmentContext,
  { request, response }: RouteExchange,
  prompts: readonly PromptName[],
): Promise<Interaction | null> {
  if (issuer === null) throw routeNotFound();
  const interaction = await issuer.findInteraction(request, response);
  return interaction !== null && prompts.includes(interaction.prompt) ? interaction : null;
}

/** In the language that the browser prefers. */
export function toWords({ request }: RouteExchange): AuthWords {
  return chooseAuthWords(request.headers['accept-language']);
}

export function answerNotFound(exchange: RouteExchange): Answer {
  const words = toWords(exchange);
  const page = renderErrorPage(words.over, words);
  return { status: 400, headers: toPageHeaders(null), body: page };
}

export async function readPageForm(exchange: RouteExchange): Promise<Map<string, string>> {
  const hint = 'Send the form of the page.';
  const tooLarge = () => invalidBody(`The form has more than ${maxFormBytes} bytes.`, hint);
  return parseForm(await readWhole(exchange.openBody(), maxFormBytes, tooLarge), hint);
}

/** Passes the person's answer to the issuer, and sends the browser on. */
export async function finishInteraction(
  { issuer }: EnvironmentContext,
  { request, response }: RouteExchange,
  answer: InteractionAnswer,
): Promise<Answer> {
  if (issuer === null) throw routeNotFound();
  const location = await issuer.finishInteraction(request, response, answer);
  return { status: 303, headers: { Location: location }, body: '' };
}
