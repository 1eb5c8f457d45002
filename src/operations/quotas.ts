// Quotas and request rates, checked at every request. All quotas are kept in memory, so that without quotas nothing is queried.
// The verb that writes a save makes the exact check; here a save that cannot fit is refused before its body is sent. Setting a quota
// notifies the other threads and nodes, which reload.

import { LRUCache } from 'lru-cache';
import type { Catalog } from '../catalog/catalog.ts';
import type { Quota, UsageOf } from '../catalog/verbs/quotas.ts';
import type { Caller, SpaceAccess } from '../domain/caller.ts';
import { quotaExceeded, Refusal } from '../domain/refusal.ts';
import { atMost } from '../runtime/cache-size.ts';
import { type Clock, systemClock } from '../runtime/clock.ts';
import { Buckets } from '../runtime/rate-limits.ts';
import type { Shared } from '../runtime/shared-counters.ts';
import { BytesInFlight } from './bytes-in-flight.ts';

/** How long a usage figure is cached. */
const usageTtlMs = 1000;
const maxCachedUsage = 1000;
const everyone = '';

/** Call it after a space was created: it may have a quota from its first byte. */
export async function reloadQuotas({ quotas, limits }: { quotas: Quotas; limits: { spaceQuotaBytes: number | null } }) {
  if (limits.spaceQuotaBytes === null) return;
  await quotas.load();
  await quotas.notifyOthers();
}

interface QuotasOptions {
  environment: string;
  shared: Pick<Shared, 'rates' | 'counts'>;
  clock?: Clock;
}

export class Quotas {
  /** Called after a quota was set here, so that others reload theirs. */
  notifyOthers: () => Promise<void> = async () => undefined;
  readonly #catalog: Catalog;
  readonly #environment: string;
  readonly #shared: QuotasOptions['shared'];
  readonly #clock: Clock;
  #quotas = new Map<string, Quota>();
  /** By key, for quotas with a request rate. */
  #rates = new Map<string, Buckets>();
  readonly #usage: LRUCache<string, UsageOf>;

  constructor(catalog: Catalog, { environment, shared, clock = systemClock }: QuotasOptions) {
    this.#catalog = catalog;
    this.#environment = environment;
    this.#shared = shared;
    this.#clock = clock;
    const perf = { now: () => clock.monotonic() };
    this.#usage = new LRUCache({ ...atMost(maxCachedUsage), ttl: usageTtlMs, ttlResolution: 0, perf });
  }

  async load(): Promise<void> {
    const listed = await this.#catalog.listQuotas({ isWhole: false });
    this.#quotas = new Map(listed.map(({ space, actor, quota }) => [toKey(space, actor), quota]));
    const rates = new Map<string, Buckets>();
    for (const [key, { requests }] of this.#quotas) {
      if (requests === null) continue;
      const name = `${this.#environment} requests`;
      rates.set(key, new Buckets({ name, burst: requests, perSecond: requests }, this.#shared.rates, this.#clock));
    }
    this.#rates = rates;
    this.#usage.clear();
  }

  /** Counts a request; refuses one too many. */
  countRequest(caller: Caller): void {
    if (this.#rates.size === 0) return;
    const keys = candidateSpaces(caller).flatMap(({ space }) => [toKey(space, everyone), toKey(space, caller.actor)]);
    const limited = keys.filter((key) => this.#rates.has(key));
    const retryAfterSeconds = Math.max(0, ...limited.map((key) => this.#rates.get(key)?.waitSeconds(key) ?? 0));
    if (retryAfterSeconds > 0) {
      throw new Refusal('TooManyRequests', 'The limit of requests per second was exceeded.', {
        hint: 'GET /v1/contentmanagement/limits shows the limit.',
        retryAfterSeconds,
      });
    }
    for (const key of limited) this.#rates.get(key)?.take(key);
  }

  /** The refusal for so many more bytes; null when they fit, by figures that may be a second old. */
  async findShortage({ space }: Pick<SpaceAccess, 'space'>, actor: string, bytes: number): Promise<Refusal | null> {
    for (const { holder, max } of this.#findMaxima(space, actor)) {
      const used = (await this.#find(space, holder)).bytes;
      if (used + bytes > max) return exceeded(holder, max, used);
    }
    return null;
  }

  /** For the bytes of a save, while they are received. They may replace as many that are counted already, so that only what all
   *  saves receive at once is bounded. */
  receiving({ space }: Pick<SpaceAccess, 'space'>, actor: string): BytesInFlight {
    const bounds = this.#findMaxima(space, actor).map(({ holder, max }) => ({
      counts: this.#shared.counts,
      name: `${this.#environment} saving ${toKey(space, holder)}`,
      maxBytes: max,
      refuse: () => exceeded(holder, max, null),
    }));
    return new BytesInFlight(bounds);
  }

  /** For the bytes of an upload: they add to what is used. */
  async parking({ space }: Pick<SpaceAccess, 'space'>, actor: string): Promise<BytesInFlight> {
    const bounds = [];
    for (const { holder, max } of this.#findMaxima(space, actor)) {
      const used = (await this.#find(space, holder)).bytes;
      const refuse = () => exceeded(holder, max, used);
      const name = `${this.#environment} parking ${toKey(space, holder)}`;
      bounds.push({ counts: this.#shared.counts, name, maxBytes: max - used, refuse });
    }
    return new BytesInFlight(bounds);
  }

  /** The quotas for bytes that apply to an actor. */
  #findMaxima(space: number, actor: string): { holder: string; max: number }[] {
    return [everyone, actor].flatMap((holder) => {
      const max = this.#quotas.get(toKey(space, holder))?.bytes ?? null;
      return max === null ? [] : [{ holder, max }];
    });
  }

  /** What the space holds, and how many bytes the actor can add; null: as many as the disk has. Figures may be a second old. */
  async findRoom({ space }: SpaceAccess, actor: string): Promise<{ usedBytes: number; availableBytes: number | null }> {
    let availableBytes: number | null = null;
    for (const { holder, max } of this.#findMaxima(space, actor)) {
      const left = Math.max(0, max - (await this.#find(space, holder)).bytes);
      availableBytes = Math.min(availableBytes ?? left, left);
    }
    return { usedBytes: (await this.#find(space, everyone)).bytes, availableBytes };
  }

  async #find(space: number, actor: string): Promise<UsageOf> {
    const key = toKey(space, actor);
    const known = this.#usage.get(key);
    if (known !== undefined) return known;
    const usage = await this.#catalog.findUsage({ space, actor });
    this.#usage.set(key, usage);
    return usage;
  }
}

function exceeded(holder: string, max: number, used: number | null): Refusal {
  const whose = holder === everyone ? 'The space' : JSON.stringify(holder);
  const holds = used === null ? 'more are being received at once' : `holds ${used}`;
  return quotaExceeded(`${whose} may hold ${max} bytes and ${holds}.`);
}

function toKey(space: number, actor: string): string {
  return `${space} ${actor}`;
}

/** A person of several spaces who selects none may mean any: the request counts in each. */
function candidateSpaces(caller: Caller): readonly SpaceAccess[] {
  if (caller.spaceId === null) return caller.spaces;
  return caller.spaces.filter(({ spaceId }) => spaceId === caller.spaceId);
}
