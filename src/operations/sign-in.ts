// Checks a user's password. Unknown users, disabled users and wrong passwords take the same time and get the same result.

import type { User } from '../catalog/verbs/people.ts';
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
type SignInResult = ({ next: NextStep } & SignedIn) | { userId: null; waitSeconds: number };

export interface SignedIn {
  userId: string;
  signedInAt: number;
}

/** What the person has to do yet: nothing, to show a second factor, or to set one up. */
export type NextStep = 'done' | 'factor' | 'setup';

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
  const report = (found: string | null, reason: string | null) =>
    reportSignIn(cabinet, { user: found, reason, address, application, requestId }, onEvent);
  // Taken before the user is read: a password change from here on is later.
  const startedAt = Math.floor(cabinet.clock.now() / 1000);
  let isCounted = true;
  try {
    const account = await findAccount(cabinet, id);
    const isRight = await cabinet.isPassword(password, account?.password ?? unmatchable, toLimitedAddress(address));
    if (!isRight || account?.state !== 'active') {
      const known = account === null ? 'no such user' : isRight ? 'the account is disabled' : 'wrong password';
      await report(account === null ? null : id, known);
      return { userId: null, waitSeconds: 0 };
    }
    isCounted = false;
    const next = await findNextStep(cabinet, id);
    if (next === 'done') await report(id, null);
    // Later than the last sign-out, even within the same second.
    return { userId: id, signedInAt: Math.max(startedAt, account.signedOutAt + 1), next };
  } catch (error) {
    // The attempt revealed nothing about the password.
    isCounted = false;
    if (error instanceof TooBusy) return { userId: null, waitSeconds: busySeconds };
    throw error;
  } finally {
    cabinet.signInLimits.end(address, id, { isCounted, isKnown });
  }
}

/** An erased account is as if there were none: nothing new is recorded about its person. */
async function findAccount({ catalog }: Cabinet, id: string): Promise<User | null> {
  const found = await catalog.findUser({ id });
  return found === null || found.erasedAt !== null ? null : found;
}

async function findNextStep({ catalog, isSecondFactorRequired }: Cabinet, user: string): Promise<NextStep> {
  const { factors } = await catalog.findSecondFactors({ user });
  if (factors.length > 0) return 'factor';
  return isSecondFactorRequired ? 'setup' : 'done';
}

export interface SignInReport extends Pick<SignInEvent, 'user' | 'address' | 'application'> {
  /** Why it failed. Null: it succeeded. */
  reason: string | null;
  requestId: string;
}

/** Tells the log and the journal of a sign-in, once it is complete or has failed. */
export async function reportSignIn(
  { catalog, clock }: Cabinet,
  { requestId, ...report }: SignInReport,
  onEvent: (event: SignInEvent) => void,
): Promise<void> {
  const event = { ...report, outcome: report.reason === null ? 'succeeded' : 'failed' } as const;
  onEvent(event);
  const by = report.user === null || report.reason !== null ? 'nobody' : report.user;
  // On a full disk the log alone has it.
  await catalog.noteSignIn({ ...event, at: clock.now(), by, request: requestId }).catch(unlessFull);
}

function unlessFull(error: unknown): void {
  if (!(error instanceof Fault && error.kind === 'full')) throw error;
}
