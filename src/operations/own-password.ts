// The current password as a fresh proof of who asks: before an account is changed, a stolen token alone must not do. Wrong guesses
// count like wrong sign-ins.

import { Refusal } from '../domain/refusal.ts';
import { toLimitedAddress } from '../runtime/rate-limits.ts';
import type { Cabinet } from './cabinet.ts';
import { TooBusy } from './passwords.ts';
import { busySeconds } from './sign-in-limits.ts';

interface OwnPassword {
  id: string;
  password: string;
  address: string;
  /** The field that it was sent as. */
  target: string;
}

/** Returns the stored hash of the password. */
export async function checkOwnPassword(
  cabinet: Cabinet,
  { id, password, address, target }: OwnPassword,
): Promise<string> {
  const stored = await requirePassword(cabinet, id);
  const isKnown = await cabinet.catalog.isKnownAddress({ user: id, address: toLimitedAddress(address) });
  const waitSeconds = cabinet.signInLimits.begin(address, id, isKnown);
  if (waitSeconds > 0) throw tooManyAttempts(waitSeconds);
  let isWrong = false;
  try {
    isWrong = !(await unlessBusy(() => cabinet.isPassword(password, stored, id)));
  } finally {
    cabinet.signInLimits.end(address, id, { isCounted: isWrong, isKnown });
  }
  if (isWrong) throw passwordInvalid(target);
  return stored;
}

/** Its stored hash. */
export async function requirePassword({ catalog }: Cabinet, id: string): Promise<string> {
  const stored = (await catalog.findUser({ id }))?.password ?? null;
  if (stored !== null) return stored;
  throw new Refusal('Forbidden', 'People of outside issuers have no password here. They sign in there.');
}

export async function unlessBusy<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof TooBusy ? tooManyAttempts(busySeconds) : error;
  }
}

export function passwordInvalid(target: string): Refusal {
  return new Refusal('PasswordInvalid', 'The current password is wrong.', { target });
}

export function tooManyAttempts(waitSeconds: number): Refusal {
  const message = `Too many attempts. Try again in ${waitSeconds} seconds.`;
  return new Refusal('TooManyRequests', message, { retryAfterSeconds: waitSeconds });
}
