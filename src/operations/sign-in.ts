// Checks a user's password. Unknown users, disabled users and wrong passwords take the same time and get the same result.

import { toLimitedAddress } from '../runtime/rate-limits.ts';
import type { Cabinet } from './cabinet.ts';
import { makeUnmatchable, TooBusy } from './passwords.ts';
import { busySeconds } from './sign-in-limits.ts';

const maxUserLength = 128;

interface SignInRequest {
  user: string;
  password: string;
  address: string;
}

/** `signedInAt` in seconds since 1970. */
type SignInResult = { userId: string; signedInAt: number } | { userId: null; waitSeconds: number };

/** For users that do not exist. */
const unmatchable = makeUnmatchable();

export async function signIn(cabinet: Cabinet, { user, password, address }: SignInRequest): Promise<SignInResult> {
  const id = user.trim().toLowerCase().slice(0, maxUserLength);
  const waitSeconds = cabinet.signInLimits.begin(address, id);
  if (waitSeconds > 0) return { userId: null, waitSeconds };
  // Taken before the user is read: a password change from here on is later.
  const startedAt = Math.floor(cabinet.clock.now() / 1000);
  let isCounted = true;
  try {
    const account = await cabinet.catalog.findUser({ id });
    const isRight = await cabinet.isPassword(password, account?.password ?? unmatchable, toLimitedAddress(address));
    if (!isRight || account?.state !== 'active') return { userId: null, waitSeconds: 0 };
    isCounted = false;
    // Later than the last sign-out, even within the same second.
    return { userId: id, signedInAt: Math.max(startedAt, account.signedOutAt + 1) };
  } catch (error) {
    // The attempt revealed nothing about the password.
    isCounted = false;
    if (error instanceof TooBusy) return { userId: null, waitSeconds: busySeconds };
    throw error;
  } finally {
    cabinet.signInLimits.end(address, id, isCounted);
  }
}
