// Rate limits by key: token buckets with `burst` tokens that are refilled steadily, shared by all threads of the process. Only
// the time when a bucket will be full again is stored, so that a full one needs no room.

import { type Clock, systemClock } from './clock.ts';
import { SharedNumbers } from './shared-counters.ts';

interface BucketRules {
  /** Buckets with the same name are the same. */
  name: string;
  burst: number;
  perSecond: number;
}

export class Buckets {
  readonly #rules: BucketRules;
  readonly #fullAt: SharedNumbers;
  readonly #clock: Clock;
  readonly #refillMs: number;

  constructor(rules: BucketRules, shared = new SharedNumbers(), clock = systemClock) {
    this.#rules = rules;
    this.#fullAt = shared;
    this.#clock = clock;
    this.#refillMs = 1000 / rules.perSecond;
  }

  /** Seconds until a token is available; 0: now. */
  waitSeconds(key: string): number {
    const left =
      this.#rules.burst - Math.max(0, this.#fullAt.get(this.#toName(key)) - this.#clock.monotonic()) / this.#refillMs;
    // A token that is missing only by rounding is available.
    return left >= 1 - 1e-9 ? 0 : Math.ceil((1 - left) / this.#rules.perSecond);
  }

  take(key: string): void {
    this.#add(key, 1);
  }

  /** Undoes a `take`. */
  giveBack(key: string): void {
    this.#add(key, -1);
  }

  #add(key: string, tokens: number): void {
    const now = this.#clock.monotonic();
    const emptied = now + this.#rules.burst * this.#refillMs;
    const add = (fullAt: number) => Math.min(emptied, Math.max(now, fullAt) + tokens * this.#refillMs);
    this.#fullAt.change(this.#toName(key), add, now);
  }

  #toName(key: string): string {
    return `${this.#rules.name} ${key}`;
  }
}

/** The key for limits by address. Whoever has one IPv6 address has its whole /64, so that is limited. */
export function toLimitedAddress(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (!plain.includes(':')) return plain;
  const [head = '', tail] = plain.split('::');
  const left = head.split(':').filter(Boolean);
  const right = (tail ?? '').split(':').filter(Boolean);
  const missing = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const groups = [...left, ...Array<string>(missing).fill('0'), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
