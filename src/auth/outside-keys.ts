// The public keys of one outside issuer. Hides where they are, when they are fetched again and which are accepted. Tokens cannot make
// us query the issuer more often than the pauses below allow.

import type { CryptoKey, JWK } from 'jose';
import { importJWK } from 'jose/key/import';
import { Refusal } from '../domain/refusal.ts';
import { type Clock, systemClock } from '../runtime/clock.ts';
import { isPrivateHost, type Resolve, resolveByDns } from '../runtime/private-addresses.ts';
import { isSafeAddress, outsideAlgorithms } from './outside-rules.ts';

const freshMs = 10 * 60_000;
/** Keys that could not be refreshed for so long may have been withdrawn: nothing is accepted then. */
const usableMs = 60 * 60_000;
const unknownKeyPauseMs = 30_000;
const failurePauseMs = 5_000;
const defaultTimeoutMs = 5_000;
const maxBytes = 64 * 1024;
const maxKeys = 100;
const minRsaBits = 2048;

const secretMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'];

interface OutsideKeysRules {
  issuer: string;
  /** Null for that of the issuer's discovery document. */
  jwksUri: string | null;
  algorithms: readonly string[];
}

export interface OutsideKeysOptions {
  fetch?: typeof fetch;
  /** The addresses of a host name. */
  resolve?: Resolve;
  clock?: Clock;
  /** How long one fetch may take, the discovery document included. */
  timeoutMs?: number;
  /** Called for every failed fetch. */
  onFailure?: (error: unknown) => void;
}

interface OutsideKey {
  kid: string | null;
  algorithm: string;
  key: CryptoKey;
}

type Members = Record<string, unknown>;

export class OutsideKeys {
  readonly #rules: OutsideKeysRules;
  readonly #options: Required<OutsideKeysOptions>;
  #address: string | null;
  #keys: readonly OutsideKey[] = [];
  #fetchedAtMs = Number.NEGATIVE_INFINITY;
  #failedAtMs = Number.NEGATIVE_INFINITY;
  #reloadedForUnknownAtMs = Number.NEGATIVE_INFINITY;
  #pending: Promise<void> | null = null;

  constructor(rules: OutsideKeysRules, options: OutsideKeysOptions = {}) {
    this.#rules = rules;
    this.#options = {
      fetch,
      resolve: resolveByDns,
      clock: systemClock,
      timeoutMs: defaultTimeoutMs,
      onFailure: () => {},
      ...options,
    };
    this.#address = rules.jwksUri;
  }

  /** The key that a token's header names; null when it is unknown or for another algorithm. */
  async find({ kid, alg }: { kid?: unknown; alg?: unknown }): Promise<CryptoKey | null> {
    const hasJustFetched = await this.#requireUsable();
    if (kid !== undefined && !this.#keys.some((known) => known.kid === kid))
      await this.#reloadForUnknown(hasJustFetched);
    const named = kid === undefined ? this.#onlyKey() : this.#keys.filter((known) => known.kid === kid);
    return named.find(({ algorithm }) => algorithm === alg)?.key ?? null;
  }

  /** A token need not name its key where there is no choice (OpenID Connect Core, 10.1). */
  #onlyKey(): readonly OutsideKey[] {
    return this.#keys.length === 1 ? this.#keys : [];
  }

  /** Returns true when the keys were fetched while this caller waited. */
  async #requireUsable(): Promise<boolean> {
    const ageMs = this.#sinceMs(this.#fetchedAtMs);
    if (ageMs < freshMs) return false;
    const refreshed = this.#refresh();
    if (ageMs < usableMs) return false;
    await refreshed;
    if (this.#sinceMs(this.#fetchedAtMs) < usableMs) return true;
    throw new Refusal('IssuerUnavailable', "The keys of the access token's issuer cannot be fetched right now.", {
      retryAfterSeconds: failurePauseMs / 1000,
    });
  }

  async #reloadForUnknown(hasJustFetched: boolean): Promise<void> {
    const isPaused = this.#sinceMs(this.#reloadedForUnknownAtMs) < unknownKeyPauseMs;
    if (isPaused && this.#pending === null) return;
    this.#reloadedForUnknownAtMs = this.#options.clock.now();
    if (!hasJustFetched) await this.#refresh();
  }

  /** Never rejects. Concurrent callers share one fetch. */
  #refresh(): Promise<void> {
    if (this.#pending !== null) return this.#pending;
    if (this.#sinceMs(this.#failedAtMs) < failurePauseMs) return Promise.resolve();
    this.#pending = this.#fetchKeys().finally(() => {
      this.#pending = null;
    });
    return this.#pending;
  }

  async #fetchKeys(): Promise<void> {
    const { clock, timeoutMs } = this.#options;
    const startedAtMs = clock.now();
    const timeout = new AbortController();
    const timer = clock.after(timeoutMs, () => timeout.abort(new Error(`no answer within ${timeoutMs} ms`)));
    const { signal } = timeout;
    try {
      this.#address ??= await this.#discover(signal);
      const { keys } = await this.#fetchObject(this.#address, signal);
      if (!Array.isArray(keys) || keys.length > maxKeys) throw new Error(`no list of at most ${maxKeys} keys`);
      const imported = await Promise.all(keys.map((record) => toKey(record, this.#rules.algorithms)));
      this.#keys = imported.filter((key) => key !== null);
      this.#fetchedAtMs = startedAtMs;
    } catch (error) {
      this.#failedAtMs = clock.now();
      this.#options.onFailure(error);
    } finally {
      timer.cancel();
    }
  }

  async #discover(signal: AbortSignal): Promise<string> {
    const base = this.#rules.issuer.replace(/\/$/, '');
    const document = await this.#fetchObject(`${base}/.well-known/openid-configuration`, signal);
    if (document.issuer !== this.#rules.issuer) throw new Error('the discovery document is of another issuer');
    const { jwks_uri: address } = document;
    if (typeof address !== 'string' || !isSafeAddress(address)) {
      throw new Error('the discovery document has no jwks_uri with https');
    }
    const { hostname } = new URL(address);
    // The document may not send us to other hosts of our own network.
    if (hostname === new URL(base).hostname || !(await isPrivateHost(hostname, this.#options.resolve))) return address;
    throw new Error('the jwks_uri of the discovery document is on a private network; set JwksUri if that is right');
  }

  async #fetchObject(address: string, signal: AbortSignal): Promise<Members> {
    const headers = { accept: 'application/json' };
    const answer = await this.#options.fetch(address, { signal, headers, redirect: 'error' });
    if (answer.status !== 200) {
      await answer.body?.cancel();
      throw new Error(`${address} answered ${answer.status}`);
    }
    const value: unknown = JSON.parse(await readLimited(answer));
    if (isObject(value)) return value;
    throw new Error(`${address} answered no JSON object`);
  }

  /** Absolute, so that setting the clock back does not extend the life of keys. */
  #sinceMs(timeMs: number): number {
    return Math.abs(this.#options.clock.now() - timeMs);
  }
}

async function readLimited(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of answer.body ?? []) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > maxBytes) throw new Error(`${answer.url} answered more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Null when it is not a public key for an accepted algorithm. Such a key does not affect the others. */
async function toKey(record: unknown, algorithms: readonly string[]): Promise<OutsideKey | null> {
  if (!isObject(record) || !isForVerifying(record)) return null;
  const { kid = null, kty, crv, n, e, x, y } = record;
  const algorithm = record.alg ?? toDefaultAlgorithm(record, algorithms);
  if (kid !== null && typeof kid !== 'string') return null;
  if (typeof algorithm !== 'string' || !outsideAlgorithms.includes(algorithm)) return null;
  if (!algorithms.includes(algorithm)) return null;
  try {
    const key = await importJWK({ kty, crv, n, e, x, y } as JWK, algorithm);
    return key instanceof Uint8Array || isWeak(key) ? null : { kid, algorithm, key };
  } catch {
    return null;
  }
}

function isForVerifying(record: Members): boolean {
  const { use = 'sig', key_ops: operations = ['verify'] } = record;
  if (use !== 'sig' || !Array.isArray(operations) || !operations.includes('verify')) return false;
  return secretMembers.every((member) => !Object.hasOwn(record, member));
}

function toDefaultAlgorithm({ kty, crv }: Members, algorithms: readonly string[]): string | null {
  if (kty === 'RSA') return !algorithms.includes('RS256') && algorithms.includes('PS256') ? 'PS256' : 'RS256';
  const ofCurve: Record<string, string> = { 'P-256': 'ES256', 'P-384': 'ES384', 'P-521': 'ES512', Ed25519: 'EdDSA' };
  return ofCurve[String(crv)] ?? null;
}

function isWeak({ algorithm }: CryptoKey): boolean {
  return 'modulusLength' in algorithm && Number(algorithm.modulusLength) < minRsaBits;
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
