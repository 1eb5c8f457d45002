// Checks a user's password. Unknown users, disabled users and wrong passwords take the same time and get the same result.

import { Fault } from '../domain/fault.ts';
import { toLimitedAddress } from '../runtime/rate-limits.ts';
import type { Cabinet } from './cabinet.ts';
import { makeUnmatchable, TooBusy } from './passwords.ts';
import { busySeconds } from './sign-in-limits.ts';

const maxUserLength = 128;

interface SignInRequest {
  user: string;
  password: string;
  address: string;
  /** The AppKey of the application. */
  application: string;
  requestId: string;
}

/** `signedInAt` in seconds since 1970. */
type SignInResult = { userId: string; signedInAt: number } | { userId: null; waitSeconds: number };

/** For users that do not exist. */
const unmatchable = makeUnmatchable();

/** What the log and the journal say. `user` null: there is no such user. */
export interface SignInEvent {
  user: string | null;
  outcome: 'succeeded' | 'failed' | 'limited';
  address: string;
  application: string;
  reason: string | null;
}

export async function signIn(
  cabinet: Cabinet,
  { user, password, application, requestId, ...request }: SignInRequest,
  onEvent: (event: SignInEvent) => void,
): Promise<SignInResult> {
  const id = user.trim().toLowerCase().slice(0, maxUserLength);
  const address = toLimitedAddress(request.address);
  const isKnown = await cabinet.catalog.isKnownAddress({ user: id, address });
  const waitSeconds = cabinet.signInLimits.begin(address, id, isKnown);
  if (waitSeconds > 0) {
    onEvent({ user: null, outcome: 'limited', address, application, reason: `for ${waitSeconds} s` });
    return { userId: null, waitSeconds };
  }
  const report = async (found: string | null, reason: string | null) => {
    const outcome = reason === null ? 'succeeded' : 'failed';
    const event = { user: found, outcome, address, application, reason } as const;
    onEvent(event);
    const by = found === null || reason !== null ? 'nobody' : found;
    // On a full disk the log alone has it.
    await cabinet.catalog.noteSignIn({ ...event, at: cabinet.clock.now(), by, request: requestId }).catch(unlessFull);
  };
  // Taken before the user is read: a password change from here on is later.
  const startedAt = Math.floor(cabinet.clock.now() / 1000);
  let isCounted = true;
  try {
    const account = await cabinet.catalog.findUser({ id });
    const isRight = await cabinet.isPassword(password, account?.password ?? unmatchable, toLimitedAddress(address));
    if (!isRight || account?.state !== 'active') {
      const known = account === null ? 'no such user' : isRight ? 'the account is disabled' : 'wrong password';
      await report(account === null ? null : id, known);
      return { userId: null, waitSeconds: 0 };
    }
    isCounted = false;
    await report(id, null);
    // Later than the last sign-out, even within the same second.
    return { userId: id, signedInAt: Math.max(startedAt, account.signedOutAt + 1) };
  } catch (error) {
    // The attempt revealed nothing about the password.
    isCounted = false;
    if (error instanceof TooBusy) return { userId: null, waitSeconds: busySeconds };
    throw error;
  } finally {
    cabinet.signInLimits.end(address, id, { isCounted, isKnown });
  }
}

function unlessFull(error: unknown): void {
  if (!(error instanceof Fault && error.kind === 'full')) throw error;
}
