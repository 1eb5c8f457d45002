// Browser sessions without a signed-in user. Anyone can start one, so they are kept in memory and never written to disk.

import { LRUCache } from 'lru-cache';
import type { AdapterPayload } from 'oidc-provider';
import { atMost } from '../runtime/cache-size.ts';
import type { Clock } from '../runtime/clock.ts';

const maxSessions = 2000;
const lifetimeMs = 60 * 60 * 1000;

/** Keyed by the hash of their ids. */
export interface AnonymousSessions {
  set(id: string, payload: AdapterPayload): Promise<void>;
  get(id: string): Promise<AdapterPayload | undefined>;
  /** Whether there was one. */
  delete(id: string): Promise<boolean>;
}

export function keepAnonymousSessions(clock: Clock): AnonymousSessions {
  const perf = { now: () => clock.monotonic() };
  const sessions = new LRUCache<string, AdapterPayload>({ ...atMost(maxSessions), ttl: lifetimeMs, perf });
  return {
    set: async (id, payload) => void sessions.set(id, payload),
    get: async (id) => sessions.get(id),
    delete: async (id) => sessions.delete(id),
  };
}
