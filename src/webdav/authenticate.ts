// Who sends a WebDAV request: a person by app password, an application by its secret, a bearer token, or on the mutual-TLS address
// a certificate. Wrong credentials are limited by address; right ones are kept for half a second, because clients send dozens of
// requests at once.

import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../domain/caller.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Exchange } from '../listener/face.ts';
import { checkAppPassword } from '../operations/app-passwords.ts';
import type { EnvironmentContext } from '../rest/environment-context.ts';
import { atMost } from '../runtime/cache-size.ts';
import type { Clock } from '../runtime/clock.ts';
import { Buckets, toLimitedAddress } from '../runtime/rate-limits.ts';
import type { SharedNumbers } from '../runtime/shared-counters.ts';

const wrongByAddress = { burst: 200, perSecond: 2 };
const wrongByUser = { burst: 20, perSecond: 1 / 6 };
const keptMs = 500;
const maxKept = 1000;
/** A longer header is no credential of ours. */
const maxBasicLength = 4096;

interface Basic {
  user: string;
  password: string;
}

export class DavAuthenticator {
  readonly #byAddress: Buckets;
  readonly #byUser: Buckets;
  readonly #kept: LRUCache<string, Caller>;

  constructor({ name, buckets, clock }: { name: string; buckets: SharedNumbers; clock: Clock }) {
    this.#byAddress = new Buckets({ name: `${name} dav address`, ...wrongByAddress }, buckets, clock);
    this.#byUser = new Buckets({ name: `${name} dav user`, ...wrongByUser }, buckets, clock);
    const perf = { now: () => clock.monotonic() };
    this.#kept = new LRUCache({ ...atMost(maxKept), ttl: keptMs, ttlResolution: 0, perf });
  }

  async authenticate(context: EnvironmentContext, { request, arrival, requestId }: Exchange): Promise<Caller> {
    const { authorization, appkey } = request.headers;
    const { authenticator } = context;
    if (/^bearer\b/i.test(authorization ?? '')) {
      const appKey = (appkey as string | undefined) ?? null;
      return await authenticator.authenticate({ authorization, appKey, spaceId: undefined, arrival, requestId });
    }
    if (arrival.isMutualTls) return await authenticator.authenticateCertificate(arrival, requestId);
    if (authorization === undefined) throw credentialsMissing();
    if (!arrival.isPrivate) {
      throw new Refusal('Forbidden', 'Passwords are accepted over TLS only.', { hint: 'Use the https address.' });
    }
    const key = `${context.publicUrl} ${hash('sha256', authorization)}`;
    const known = this.#kept.get(key);
    if (known !== undefined) return { ...known, requestId };
    const caller = await this.#check(context, { arrival, requestId }, readBasic(authorization));
    this.#kept.set(key, caller);
    return caller;
  }

  async #check(
    { cabinet, authenticator }: EnvironmentContext,
    { arrival, requestId }: Pick<Exchange, 'arrival' | 'requestId'>,
    basic: Basic | null,
  ): Promise<Caller> {
    if (basic !== null) {
      const { user, password } = basic;
      const caller = user.startsWith('ak_')
        ? await authenticator.authenticateSecret({ appKey: user, secret: password, arrival, requestId })
        : await checkAppPassword(cabinet, { user, password, requestId });
      if (caller !== null) return caller;
    }
    const retryAfterSeconds = this.#countWrong(toLimitedAddress(arrival.address), basic?.user ?? '');
    if (retryAfterSeconds > 0) {
      throw new Refusal('TooManyRequests', 'Too many wrong credentials were sent from this address.', {
        retryAfterSeconds,
      });
    }
    throw new Refusal('TokenInvalid', 'The name or the password is wrong.', {
      hint: 'Use an app password, not the password of the account; or an AppKey and its secret.',
    });
  }

  /** Returns the seconds to wait, or 0. */
  #countWrong(address: string, user: string): number {
    const byUser = `${address} ${user.slice(0, 200)}`;
    const wait = Math.max(this.#byAddress.waitSeconds(address), this.#byUser.waitSeconds(byUser));
    this.#byAddress.take(address);
    this.#byUser.take(byUser);
    return wait;
  }
}

function credentialsMissing(): Refusal {
  return new Refusal('TokenMissing', 'Credentials are missing.', {
    hint: 'Send your id and an app password, or an AppKey and its secret, with HTTP Basic; or a bearer token.',
  });
}

/** Null: it is not Basic. The user is percent-decoded, because an id of an outside issuer has a colon; Windows may send an id
 *  without one as `DOMAIN\user`. */
function readBasic(authorization: string): Basic | null {
  const [, encoded] = /^basic +([A-Za-z0-9+/=_-]+) *$/i.exec(authorization) ?? [];
  if (encoded === undefined || encoded.length > maxBasicLength) return null;
  const text = Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  if (colon === -1) return null;
  const user = text.slice(0, colon).replace(/^[^%\\]*\\/, '');
  return { user: decodeUser(user), password: text.slice(colon + 1) };
}

function decodeUser(user: string): string {
  try {
    return decodeURIComponent(user);
  } catch {
    return user;
  }
}
