// Whether someone is who they say they are. Unknown, disabled and wrong take the same work and get the same answer.

import { randomBytes } from 'node:crypto';
import type { Cabinet } from './cabinet.ts';
import { TooBusy, toPhc } from './passwords.ts';
import { busySeconds } from './sign-in-limits.ts';

const longestUser = 128;

export interface SignInRequest {
  user: string;
  password: string;
  address: string;
}

/** `signedInAt` in seconds since 1970. */
export type SignInResult = { userId: string; signedInAt: number } | { userId: null; waitSeconds: number };

/** What nobody's password would be kept as: no password leads to it. */
const nobodys = toPhc(randomBytes(16), randomBytes(32));

export async function signIn(cabinet: Cabinet, { user, password, address }: SignInRequest): Promise<SignInResult> {
  const id = user.trim().toLowerCase().slice(0, longestUser);
  const waitSeconds = cabinet.signInLimits.begin(address, id);
  if (waitSeconds > 0) return { userId: null, waitSeconds };
  // Before the user is read: a password that is exchanged from here on is later.
  const begunAt = Math.floor(cabinet.clock.now() / 1000);
  let isCounted = true;
  try {
    const found = await cabinet.catalog.findUser({ id });
    const isRight = await cabinet.isPassword(password, found?.password ?? nobodys);
    if (!isRight || found?.state !== 'active') return { userId: null, waitSeconds: 0 };
    isCounted = false;
    // Later than the last time they were signed out, if that was in this very second.
    return { userId: id, signedInAt: Math.max(begunAt, found.signedOutAt + 1) };
  } catch (error) {
    // Nothing was learned about the password.
    isCounted = false;
    if (error instanceof TooBusy) return { userId: null, waitSeconds: busySeconds };
    throw error;
  } finally {
    cabinet.signInLimits.end(address, id, isCounted);
  }
}
