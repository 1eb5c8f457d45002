// Whether someone is who they say they are. Unknown, disabled and wrong take the same work and get the same answer.
// Wrong passwords are counted by address and by address and user, never by the user alone: strangers elsewhere cannot
// lock anyone out.

import { Buckets, toLimitedAddress } from '../domain/buckets.ts';
import type { Cabinet } from './cabinet.ts';
import { hashPassword, isPassword, makePassword, TooBusy } from './passwords.ts';

const wrongByAddress = { burst: 100, perSecond: 1 / 6 };
const wrongByUser = { burst: 10, perSecond: 1 / 60 };

export class SignInLimits {
  readonly #byAddress = new Buckets(wrongByAddress);
  readonly #byUser = new Buckets(wrongByUser);

  waitSeconds(address: string, user: string): number {
    const place = toLimitedAddress(address);
    return Math.max(this.#byAddress.waitSeconds(place), this.#byUser.waitSeconds(`${place} ${user}`));
  }

  wrong(address: string, user: string): void {
    const place = toLimitedAddress(address);
    this.#byAddress.take(place);
    this.#byUser.take(`${place} ${user}`);
  }
}

export interface SignInRequest {
  user: string;
  password: string;
  address: string;
}

export type SignedIn = { userId: string } | { userId: null; waitSeconds: number };

/** Somebody that does not exist has this password, which nobody knows. */
let nobodysPassword: Promise<string> | null = null;

export async function signIn(cabinet: Cabinet, { user, password, address }: SignInRequest): Promise<SignedIn> {
  const id = user.trim().toLowerCase();
  const { signInLimits } = cabinet;
  const waitSeconds = signInLimits.waitSeconds(address, id);
  if (waitSeconds > 0) return { userId: null, waitSeconds };
  const found = await cabinet.catalog.findUser({ id });
  nobodysPassword ??= hashPassword(makePassword());
  try {
    const isRight = await isPassword(password, found?.password ?? (await nobodysPassword));
    if (isRight && found?.state === 'active') return { userId: id };
  } catch (error) {
    if (error instanceof TooBusy) return { userId: null, waitSeconds: 5 };
    throw error;
  }
  signInLimits.wrong(address, id);
  return { userId: null, waitSeconds: 0 };
}
