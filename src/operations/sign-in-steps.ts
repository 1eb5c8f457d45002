// What comes after the right password: a code of an authenticator app or a recovery code (`passkeys.ts` has the passkey), or setting up a first second factor where
// the environment requires one. Between the pages, a ticket that only this service can read says whose password was right; it
// belongs to one sign-in in one browser.

import { toLimitedAddress } from '../runtime/rate-limits.ts';
import type { Cabinet } from './cabinet.ts';
import { decryptSecret } from './encrypted-secrets.ts';
import { hashRecoveryCode } from './recovery-codes.ts';
import { type AddedSecondFactor, putTotp, toPlainCode } from './second-factors.ts';
import { reportSignIn, type SignedIn, type SignInEvent } from './sign-in.ts';
import { closeTicket, openTicket } from './tickets.ts';
import { findStep } from './totp.ts';

const stepMs = 10 * 60 * 1000;

export interface SignInStep extends SignedIn {
  /** `complete`: only the page with the recovery codes has to be left. */
  kind: 'factor' | 'setup' | 'complete';
  /** Of the app that is being set up. */
  secret?: string;
  /** What a passkey has to sign. */
  challenge?: string;
}

/** `uid`: the sign-in that was begun. */
export function closeStep(cabinet: Cabinet, uid: string, step: SignInStep): string {
  return closeTicket(cabinet, toPurpose(uid), step, stepMs);
}

/** Null: it is of another sign-in, or too old. */
export function openStep(cabinet: Cabinet, uid: string, ticket: string): SignInStep | null {
  return openTicket<SignInStep>(cabinet, toPurpose(uid), ticket);
}

function toPurpose(uid: string): string {
  return `sign in ${uid}`;
}

export interface StepRequest {
  user: string;
  address: string;
  /** The AppKey of the application. */
  application: string;
  requestId: string;
}

/** `waitSeconds`: 0 after a wrong one. */
export type StepResult = { isRight: true } | { isRight: false; waitSeconds: number };

export type OnEvent = (event: SignInEvent) => void;

/** A code of the app or a recovery code. */
export function checkCode(
  cabinet: Cabinet,
  { code, ...request }: StepRequest & { code: string },
  onEvent: OnEvent,
): Promise<StepResult> {
  return guardStep(cabinet, request, onEvent, () => isRightCode(cabinet, request, code));
}

/** Wrong ones are limited like passwords, and counted apart from them: whoever comes here knows the password. */
export async function guardStep(
  cabinet: Cabinet,
  { user, application, requestId, ...request }: StepRequest,
  onEvent: OnEvent,
  check: () => Promise<boolean>,
): Promise<StepResult> {
  const address = toLimitedAddress(request.address);
  const isKnown = await cabinet.catalog.isKnownAddress({ user, address });
  const counted = `${user} second factor`;
  const waitSeconds = cabinet.signInLimits.begin(address, counted, isKnown);
  if (waitSeconds > 0) {
    onEvent({ user, outcome: 'limited', address, application, reason: `second factor, for ${waitSeconds} s` });
    return { isRight: false, waitSeconds };
  }
  let isCounted = false;
  try {
    const account = await cabinet.catalog.findUser({ id: user });
    const isRight = account?.state === 'active' && (await check());
    isCounted = !isRight;
    const reason = isRight ? null : 'wrong second factor';
    await reportSignIn(cabinet, { user, address, application, requestId, reason }, onEvent);
    return isRight ? { isRight } : { isRight, waitSeconds: 0 };
  } finally {
    cabinet.signInLimits.end(address, counted, { isCounted, isKnown });
  }
}

async function isRightCode(
  cabinet: Cabinet,
  { user, requestId }: Pick<StepRequest, 'user' | 'requestId'>,
  typed: string,
): Promise<boolean> {
  const { catalog, clock } = cabinet;
  const at = clock.now();
  const code = toPlainCode(typed);
  if (!/^\d*$/.test(code)) {
    const hash = hashRecoveryCode(cabinet, code);
    return await catalog.useRecoveryCode({ user, hash, at, by: user, request: requestId });
  }
  const { factors } = await catalog.findSecondFactors({ user });
  for (const { id, secret } of factors) {
    if (secret === null) continue;
    const step = findStep(decryptSecret(cabinet.secondFactorKey, id, secret), code, at);
    if (step !== null) return await catalog.useSecondFactor({ user, id, counter: step, at });
  }
  return false;
}

/** The first second factor of somebody who needs one to sign in. */
export async function setUpAtSignIn(
  cabinet: Cabinet,
  { user, requestId, secret, code, ...request }: StepRequest & { secret: string; code: string },
  onEvent: OnEvent,
): Promise<AddedSecondFactor> {
  const origin = { at: cabinet.clock.now(), by: user, request: requestId };
  const name = 'Authenticator app';
  const added = await putTotp(cabinet, { user, secret, code, name, isFirstOnly: true }, origin);
  const address = toLimitedAddress(request.address);
  await reportSignIn(cabinet, { user, requestId, application: request.application, address, reason: null }, onEvent);
  return added;
}
