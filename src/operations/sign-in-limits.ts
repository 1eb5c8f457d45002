// Limits wrong passwords. Attempts are counted before the password is checked, so that concurrent attempts are limited like
// sequential ones. They are counted by address and by address and user, never by user alone: nobody can lock out a user from
// elsewhere. Correct passwords are not counted, but only a few per address are checked at once.

import { systemClock } from '../runtime/clock.ts';
import { Buckets, toLimitedAddress } from '../runtime/rate-limits.ts';
import { type Counts, openShared } from '../runtime/shared-counters.ts';

const wrongByAddress = { burst: 100, perSecond: 1 / 6 };
const wrongByUser = { burst: 10, perSecond: 1 / 60 };
const maxConcurrentByAddress = 4;
export const busySeconds = 2;

export class SignInLimits {
  readonly #environment: string;
  readonly #byAddress: Buckets;
  readonly #byUser: Buckets;
  readonly #concurrent: Counts;

  constructor(environment: string, { buckets, counts } = openShared(), clock = systemClock) {
    this.#environment = environment;
    this.#byAddress = new Buckets({ name: `${environment} sign-in address`, ...wrongByAddress }, buckets, clock);
    this.#byUser = new Buckets({ name: `${environment} sign-in user`, ...wrongByUser }, buckets, clock);
    this.#concurrent = counts;
  }

  /** Returns the seconds to wait, or 0: then the attempt is counted and `end` must be called. */
  begin(address: string, user: string): number {
    const key = toLimitedAddress(address);
    const wait = Math.max(this.#byAddress.waitSeconds(key), this.#byUser.waitSeconds(`${key} ${user}`));
    if (wait > 0) return wait;
    if (!this.#concurrent.take(this.#toName(key), maxConcurrentByAddress)) return busySeconds;
    this.#byAddress.take(key);
    this.#byUser.take(`${key} ${user}`);
    return 0;
  }

  end(address: string, user: string, isCounted: boolean): void {
    const key = toLimitedAddress(address);
    this.#concurrent.giveBack(this.#toName(key));
    if (isCounted) return;
    this.#byAddress.giveBack(key);
    this.#byUser.giveBack(`${key} ${user}`);
  }

  #toName(key: string): string {
    return `${this.#environment} sign-in ${key}`;
  }
}
