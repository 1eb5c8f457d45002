// Limits wrong passwords of shares: ten for a share from an address, then one a minute. Attempts are counted before the password is
// checked, so that concurrent ones are limited like sequential ones.

import { Refusal } from '../domain/refusal.ts';
import { type Clock, systemClock } from '../runtime/clock.ts';
import { Buckets, toLimitedAddress } from '../runtime/rate-limits.ts';
import { openShared, type Shared } from '../runtime/shared-counters.ts';

const wrong = { burst: 10, perSecond: 1 / 60 };

export class ShareLimits {
  readonly #wrong: Buckets;

  constructor(environment: string, { buckets }: Pick<Shared, 'buckets'> = openShared(), clock: Clock = systemClock) {
    this.#wrong = new Buckets({ name: `${environment} share passwords`, ...wrong }, buckets, clock);
  }

  /** Counts an attempt. Returns a function that takes the count back: the password was right, or was not checked. */
  begin(share: string, address: string): () => void {
    const key = `${share} ${toLimitedAddress(address)}`;
    const retryAfterSeconds = this.#wrong.waitSeconds(key);
    if (retryAfterSeconds > 0) {
      throw new Refusal('TooManyRequests', 'Too many wrong passwords were sent from here.', { retryAfterSeconds });
    }
    this.#wrong.take(key);
    return () => this.#wrong.giveBack(key);
  }
}
