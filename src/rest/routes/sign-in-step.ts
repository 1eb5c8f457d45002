// The pages that follow the password on `/oauth2/login/{uid}`: a second factor, or setting one up. They share the address of the
// sign-in page, so that the browser's cookie ties them to the same sign-in.

import type { Interaction } from '../../auth/issuer-contract.ts';
import { toPageHeaders } from '../../auth/pages.ts';
import {
  renderRecoveryCodesPage,
  renderSecondFactorPage,
  renderSetupFactorPage,
} from '../../auth/second-factor-page.ts';
import { Refusal } from '../../domain/refusal.ts';
import type { Answer } from '../../listener/answer.ts';
import { askForPasskey, checkPasskey } from '../../operations/passkeys.ts';
import { newTotp, toTotpUri } from '../../operations/second-factors.ts';
import type { NextStep, SignedIn } from '../../operations/sign-in.ts';
import { checkCode, closeStep, openStep, type SignInStep, setUpAtSignIn } from '../../operations/sign-in-steps.ts';
import type { EnvironmentContext } from '../environment-context.ts';
import type { RouteExchange } from '../route.ts';
import { finishInteraction, toWords } from './interaction.ts';

/** Authentication methods of RFC 8176. */
const passwordOnly = ['pwd'];
const withCode = ['pwd', 'otp', 'mfa'];
const withPasskey = ['pwd', 'pop', 'mfa'];

/** The password was right. */
export async function answerPassword(
  context: EnvironmentContext,
  exchange: RouteExchange,
  { interaction, next, ...signedIn }: SignedIn & { interaction: Interaction; next: NextStep },
): Promise<Answer> {
  if (next === 'done') {
    return await finishInteraction(context, exchange, { kind: 'signedIn', ...signedIn, methods: passwordOnly });
  }
  if (next === 'factor')
    return await answerFactor(context, exchange, { interaction, step: { ...signedIn, kind: 'factor' } });
  const { secret } = newTotp(signedIn.userId, context.pagesUrl);
  return answerSetup(context, exchange, { interaction, step: { ...signedIn, kind: 'setup', secret } });
}

interface SentStep {
  interaction: Interaction;
  form: ReadonlyMap<string, string>;
  step: SignInStep;
}

/** Null: the form is of another sign-in, or came too late. The password is needed again. */
export function readStep(
  { cabinet }: EnvironmentContext,
  { uid }: Interaction,
  form: ReadonlyMap<string, string>,
): SignInStep | null {
  return openStep(cabinet, uid, form.get('step') ?? '');
}

export async function answerStep(
  context: EnvironmentContext,
  exchange: RouteExchange,
  { interaction, form, step }: SentStep,
): Promise<Answer> {
  const { kind, userId, signedInAt, challenge = '' } = step;
  const code = form.get('code') ?? '';
  if (kind === 'setup') return await setUp(context, exchange, { interaction, step, code });
  const credential = form.get('credential') ?? null;
  if (kind === 'factor') {
    const request = { ...toRequest(exchange, interaction, step), publicUrl: context.pagesUrl };
    const result =
      credential === null
        ? await checkCode(context.cabinet, { ...request, code }, context.onSignIn)
        : await checkPasskey(context.cabinet, { ...request, credential, challenge }, context.onSignIn);
    if (!result.isRight) return await answerWrong(context, exchange, { interaction, step, ...result });
  }
  const methods = credential === null ? withCode : withPasskey;
  return await finishInteraction(context, exchange, { kind: 'signedIn', userId, signedInAt, methods });
}

function toRequest({ arrival, requestId }: RouteExchange, { appKey }: Interaction, { userId }: SignInStep) {
  return { user: userId, address: arrival.address, application: appKey, requestId };
}

async function answerWrong(
  context: EnvironmentContext,
  exchange: RouteExchange,
  { waitSeconds, ...at }: { interaction: Interaction; step: SignInStep; waitSeconds: number },
): Promise<Answer> {
  const isWrong = waitSeconds === 0;
  const words = toWords(exchange);
  const problem = isWrong ? words.secondStep.wrong : words.tooMany(waitSeconds);
  const answer = await answerFactor(context, exchange, { ...at, problem });
  if (!isWrong) answer.headers['Retry-After'] = String(waitSeconds);
  return { ...answer, status: isWrong ? 403 : 429 };
}

async function setUp(
  context: EnvironmentContext,
  exchange: RouteExchange,
  { interaction, step, code }: { interaction: Interaction; step: SignInStep; code: string },
): Promise<Answer> {
  const request = { ...toRequest(exchange, interaction, step), secret: step.secret ?? '', code };
  try {
    const { recoveryCodes } = await setUpAtSignIn(context.cabinet, request, context.onSignIn);
    const { userId, signedInAt } = step;
    const next = closeStep(context.cabinet, interaction.uid, { kind: 'complete', userId, signedInAt });
    return answerPage(interaction, renderRecoveryCodesPage({ step: next, codes: recoveryCodes }, toWords(exchange)));
  } catch (error) {
    if (!(error instanceof Refusal && isOfCode.has(error.code))) throw error;
    return { ...answerSetup(context, exchange, { interaction, step, problem: error.message }), status: 403 };
  }
}

interface ShownStep {
  interaction: Interaction;
  step: SignInStep;
  problem?: string | null;
}

const isOfCode = new Set(['SecondFactorInvalid', 'TooManySecondFactors']);

async function answerFactor(
  { cabinet, pagesUrl, basePath }: EnvironmentContext,
  exchange: RouteExchange,
  { interaction, step, problem = null }: ShownStep,
): Promise<Answer> {
  const question = await askForPasskey(cabinet, step.userId, pagesUrl);
  const { factors } = await cabinet.catalog.findSecondFactors({ user: step.userId });
  const hasTotp = factors.some(({ kind }) => kind === 'totp');
  const pending = question === null ? step : { ...step, challenge: question.challenge };
  const passkey = question === null ? null : { options: question.options, script: `${basePath}/oauth2/passkey.js` };
  const ticket = closeStep(cabinet, interaction.uid, pending);
  const page = renderSecondFactorPage({ step: ticket, problem, hasTotp, passkey }, toWords(exchange));
  return { status: 200, headers: toPageHeaders(interaction.redirectUri, { hasScript: passkey !== null }), body: page };
}

function answerSetup(
  { cabinet, pagesUrl }: EnvironmentContext,
  exchange: RouteExchange,
  { interaction, step, problem = null }: ShownStep,
): Answer {
  const { secret = '', userId } = step;
  const ticket = closeStep(cabinet, interaction.uid, step);
  const uri = toTotpUri(secret, userId, pagesUrl);
  return answerPage(interaction, renderSetupFactorPage({ step: ticket, problem, secret, uri }, toWords(exchange)));
}

function answerPage({ redirectUri }: Interaction, page: string): Answer {
  return { status: 200, headers: toPageHeaders(redirectUri), body: page };
}
