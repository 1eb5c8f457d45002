// Limits wrong passwords. Attempts are counted before the password is checked, so that many at once are as limited as one after the
// other; by address, and by address and user, never by the user alone: strangers elsewhere cannot lock anyone out. The right password
// is not counted, but only a few from one address are checked at once.

import { systemClock } from '../runtime/clock.ts';
import { Buckets, toLimitedAddress } from '../runtime/rate-limits.ts';
import { type Counts, openShared } from '../runtime/shared-counters.ts';

const wrongByAddress = { burst: 100, perSecond: 1 / 6 };
const wrongByUser = { burst: 10, perSecond: 1 / 60 };
const atOnceByAddress = 4;
export const busySeconds = 2;

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
