// Limits how often something may happen, for each of many keys: a bucket holds `burst` and is refilled steadily. Bounded:
// the keys that were not seen for longest are forgotten, and begin again with a full bucket.

import { LRUCache } from 'lru-cache';

export interface BucketRules {
  burst: number;
  perSecond: number;
  /** How many keys are remembered. */
  mostKeys?: number;
}

interface Bucket {
  left: number;
  atMs: number;
}

const defaultMostKeys = 100_000;

export class Buckets {
  readonly #rules: BucketRules;
  readonly #now: () => number;
  readonly #buckets: LRUCache<string, Bucket>;

  constructor(rules: BucketRules, now: () => number = Date.now) {
    this.#rules = rules;
    this.#now = now;
    this.#buckets = new LRUCache({ max: rules.mostKeys ?? defaultMostKeys });
  }

  /** Seconds after which there is something to take again; 0: now. */
  waitSeconds(key: string): number {
    const left = this.#left(key);
    return left >= 1 ? 0 : Math.ceil((1 - left) / this.#rules.perSecond);
  }

  take(key: string): void {
    this.#buckets.set(key, { left: Math.max(0, this.#left(key) - 1), atMs: this.#now() });
  }

  /** Undoes a `take`. */
  giveBack(key: string): void {
    this.#buckets.set(key, { left: Math.min(this.#rules.burst, this.#left(key) + 1), atMs: this.#now() });
  }

  #left(key: string): number {
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) return this.#rules.burst;
    const refilled = ((this.#now() - bucket.atMs) / 1000) * this.#rules.perSecond;
    return Math.min(this.#rules.burst, bucket.left + Math.max(0, refilled));
  }
}

/** Whoever has one IPv6 address has the whole /64 of it, so that is what is limited. */
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
