// Limits wrong passwords. Attempts are counted before the password is checked, so that concurrent attempts are limited like
// sequential ones. They are counted by address, and by address and user. At addresses from which the user has never signed in they are
// also counted by user alone, with a growing delay: nobody can guess from a thousand addresses, or lock out a user where that user
// has been before. Correct passwords are not counted, but only a few per address are checked at once.

import { type Clock, systemClock } from '../runtime/clock.ts';
import { Buckets, toLimitedAddress } from '../runtime/rate-limits.ts';
import { type Counts, openShared, type SharedNumbers } from '../runtime/shared-counters.ts';

const wrongByAddress = { burst: 100, perSecond: 1 / 6 };
const wrongByUser = { burst: 10, perSecond: 1 / 60 };
/** At unknown addresses, for one user: so many at once, then a delay that doubles, up to the longest. Forgotten after an hour of rest. */
const freeGuesses = 20;
const maxDelayMs = 15 * 60 * 1000;
const restMs = 60 * 60 * 1000;
const maxConcurrentByAddress = 4;
export const busySeconds = 2;

/** A number holds the time until which nobody may guess, and how many guesses there were. */
const countsIn = 64;
const maxCount = countsIn - 1;

function toGuesses(stored: number): { untilMs: number; count: number } {
  return { untilMs: Math.floor(stored / countsIn), count: stored % countsIn };
}

export class SignInLimits {
  readonly #environment: string;
  readonly #byAddress: Buckets;
  readonly #byUser: Buckets;
  readonly #concurrent: Counts;
  readonly #guesses: SharedNumbers;
  readonly #clock: Clock;

  constructor(environment: string, { buckets, counts } = openShared(), clock = systemClock) {
    this.#environment = environment;
    this.#byAddress = new Buckets({ name: `${environment} sign-in address`, ...wrongByAddress }, buckets, clock);
    this.#byUser = new Buckets({ name: `${environment} sign-in user`, ...wrongByUser }, buckets, clock);
    this.#concurrent = counts;
    this.#guesses = buckets;
    this.#clock = clock;
  }

  /** Returns the seconds to wait, or 0: then the attempt is counted and `end` must be called. `isKnown`: the user has signed in from
   *  this address before. */
  begin(address: string, user: string, isKnown: boolean): number {
    const key = toLimitedAddress(address);
    const elsewhere = isKnown ? 0 : Math.ceil(this.#delayMs(user) / 1000);
    const wait = Math.max(this.#byAddress.waitSeconds(key), this.#byUser.waitSeconds(`${key} ${user}`), elsewhere);
    if (wait > 0) return wait;
    if (!this.#concurrent.take(this.#toName(key), maxConcurrentByAddress)) return busySeconds;
    this.#byAddress.take(key);
    this.#byUser.take(`${key} ${user}`);
    if (!isKnown) this.#changeGuesses(user, 1);
    return 0;
  }

  end(address: string, user: string, { isCounted, isKnown }: { isCounted: boolean; isKnown: boolean }): void {
    const key = toLimitedAddress(address);
    this.#concurrent.giveBack(this.#toName(key));
    if (isCounted) return;
    this.#byAddress.giveBack(key);
    this.#byUser.giveBack(`${key} ${user}`);
    if (!isKnown) this.#changeGuesses(user, -1);
  }

  #delayMs(user: string): number {
    const { untilMs } = toGuesses(this.#guesses.get(this.#toGuessesName(user)));
    return Math.max(0, untilMs - this.#clock.monotonic());
  }

  #changeGuesses(user: string, by: 1 | -1): void {
    const now = this.#clock.monotonic();
    const change = (stored: number) => {
      const { untilMs, count } = toGuesses(stored);
      const counted = Math.min(maxCount, Math.max(0, (now > untilMs + restMs ? 0 : count) + by));
      const delayMs = counted < freeGuesses || by < 0 ? 0 : Math.min(maxDelayMs, 1000 * 2 ** (counted - freeGuesses));
      return (Math.ceil(now) + delayMs) * countsIn + counted;
    };
    this.#guesses.change(this.#toGuessesName(user), change, Math.max(0, now - restMs) * countsIn);
  }

  #toGuessesName(user: string): string {
    return `${this.#environment} guesses ${user}`;
  }

  #toName(key: string): string {
    return `${this.#environment} sign-in ${key}`;
  }
}
