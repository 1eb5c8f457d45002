// Guards the token endpoint. What is counted are wrong credentials, by the address that they come from and by that
// address together with the client they name; never by the client alone, or strangers could lock it out. The right
// credentials are always taken: a secret has 256 random bits, so a limit need not protect it from guessing, it makes
// guessing and noise cheap to bear. Tokens that are given out are counted by client, which only the client itself can use up.

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

  /** Counts wrong credentials; returns the seconds to wait, 0 while there is no need to. */
  wrong(address: string, clientId: string): number {
    const place = toLimitedAddress(address);
    const wait = Math.max(this.#byAddress.waitSeconds(place), this.#byClient.waitSeconds(`${place} ${clientId}`));
    this.#byAddress.take(place);
    this.#byClient.take(`${place} ${clientId}`);
    return wait;
  }

  /** Counts a token; returns the seconds to wait, 0 while there is no need to. */
  given(clientId: string): number {
    const wait = this.#given.waitSeconds(clientId);
    if (wait === 0) this.#given.take(clientId);
    return wait;
  }
}
