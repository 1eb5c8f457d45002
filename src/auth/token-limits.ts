// Rate limits of the token endpoint. Wrong credentials are counted by address, and by address and client, never by client alone:
// otherwise anyone could lock it out. Correct credentials are always accepted: a secret has 256 random bits, so the limit need not
// protect it from guessing, only keep the cost of guessing low. Issued tokens are counted by client.

import type { Clock } from '../runtime/clock.ts';
import { Buckets, toLimitedAddress } from '../runtime/rate-limits.ts';
import type { SharedNumbers } from '../runtime/shared-counters.ts';

const wrongByAddress = { burst: 600, perSecond: 10 };
const wrongByClient = { burst: 100, perSecond: 1 };
const givenToClient = { burst: 1000, perSecond: 50 };

export class TokenLimits {
  readonly #byAddress: Buckets;
  readonly #byClient: Buckets;
  readonly #given: Buckets;

  constructor(environment: string, shared?: SharedNumbers, clock?: Clock) {
    const toBuckets = (what: string, rules: { burst: number; perSecond: number }) =>
      new Buckets({ name: `${environment} token ${what}`, ...rules }, shared, clock);
    this.#byAddress = toBuckets('address', wrongByAddress);
    this.#byClient = toBuckets('client', wrongByClient);
    this.#given = toBuckets('given', givenToClient);
  }

  /** Counts wrong credentials. Returns the seconds to wait, or 0. */
  wrong(address: string, clientId: string): number {
    const place = toLimitedAddress(address);
    const wait = Math.max(this.#byAddress.waitSeconds(place), this.#byClient.waitSeconds(`${place} ${clientId}`));
    this.#byAddress.take(place);
    this.#byClient.take(`${place} ${clientId}`);
    return wait;
  }

  /** Counts an issued token. Returns the seconds to wait, or 0. */
  given(clientId: string): number {
    const wait = this.#given.waitSeconds(clientId);
    if (wait === 0) this.#given.take(clientId);
    return wait;
  }
}
