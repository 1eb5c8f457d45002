// Whether someone is who they say they are. Unknown, disabled and wrong take the same work and get the same answer.
// Attempts are counted before the password is looked at, so that many at once are as limited as one after the other; by
// address, and by address and user, never by the user alone: strangers elsewhere cannot lock anyone out. The right password
// is not counted, but only a few from one address are looked at at once.

import { randomBytes } from 'node:crypto';
import { Buckets, toLimitedAddress } from '../domain/buckets.ts';
import { type Counts, openShared } from '../domain/shared-numbers.ts';
import { systemClock } from '../runtime/clock.ts';
import type { Cabinet } from './cabinet.ts';
import { TooBusy, toPhc } from './passwords.ts';

const wrongByAddress = { burst: 100, perSecond: 1 / 6 };
const wrongByUser = { burst: 10, perSecond: 1 / 60 };
const atOnceByAddress = 4;
const busySeconds = 2;
const longestUser = 128;

export class SignInLimits {
  readonly #environment: string;
  readonly #byAddress: Buckets;
  readonly #byUser: Buckets;
  readonly #atOnce: Counts;

  constructor(environment: string, { buckets, counts } = openShared(), clock = systemClock) {
    this.#environment = environment;
    this.#byAddress = new Buckets({ name: `${environment} sign-in address`, ...wrongByAddress }, buckets, clock);
    this.#byUser = new Buckets({ name: `${environment} sign-in user`, ...wrongByUser }, buckets, clock);
    this.#atOnce = counts;
  }

  /** Returns the seconds to wait, or 0: then the attempt is counted and `end` must be called. */
  begin(address: string, user: string): number {
    const place = toLimitedAddress(address);
    const wait = Math.max(this.#byAddress.waitSeconds(place), this.#byUser.waitSeconds(`${place} ${user}`));
    if (wait > 0) return wait;
    if (!this.#atOnce.take(this.#toName(place), atOnceByAddress)) return busySeconds;
    this.#byAddress.take(place);
    this.#byUser.take(`${place} ${user}`);
    return 0;
  }

  end(address: string, user: string, isCounted: boolean): void {
    const place = toLimitedAddress(address);
    this.#atOnce.giveBack(this.#toName(place));
    if (isCounted) return;
    this.#byAddress.giveBack(place);
    this.#byUser.giveBack(`${place} ${user}`);
  }

  #toName(place: string): string {
    return `${this.#environment} sign-in ${place}`;
  }
}

export interface SignInRequest {
  user: string;
  password: string;
  address: string;
}

/** `signedInAt` in seconds since 1970. */
export type SignedIn = { userId: string; signedInAt: number } | { userId: null; waitSeconds: number };

/** What nobody's password would be kept as: no password leads to it. */
const nobodys = toPhc(randomBytes(16), randomBytes(32));

export async function signIn(cabinet: Cabinet, { user, password, address }: SignInRequest): Promise<SignedIn> {
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
