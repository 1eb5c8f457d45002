// The public keys of one outside issuer. Hides where they are found, when they are fetched again and which are taken.
// What tokens say never makes us ask the issuer more often than the pauses below allow.

import type { CryptoKey, JWK } from 'jose';
import { importJWK } from 'jose/key/import';
import { Refusal } from '../domain/refusal.ts';
import { type Clock, systemClock } from '../runtime/clock.ts';
import { isSafeAddress, outsideAlgorithms } from './outside-rules.ts';

const freshMs = 10 * 60_000;
/** Keys that could not be refreshed for so long may have been withdrawn: nothing is accepted then. */
const usableMs = 60 * 60_000;
const unknownKeyPauseMs = 30_000;
const failurePauseMs = 5_000;
const patienceMs = 5_000;
const mostBytes = 64 * 1024;
const mostKeys = 100;
const leastRsaBits = 2048;

const secretMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'];

export interface OutsideKeysRules {
  issuer: string;
  /** Null: what the issuer's discovery document says. */
  jwksUri: string | null;
  algorithms: readonly string[];
}

export interface OutsideKeysOptions {
  fetch?: typeof fetch;
  clock?: Clock;
  /** How long one fetch may take, the discovery document included. */
  timeoutMs?: number;
  /** Told of every fetch that failed. */
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
  #soughtUnknownAtMs = Number.NEGATIVE_INFINITY;
  #pending: Promise<void> | null = null;

  constructor(rules: OutsideKeysRules, options: OutsideKeysOptions = {}) {
    this.#rules = rules;
    this.#options = { fetch, clock: systemClock, timeoutMs: patienceMs, onFailure: () => {}, ...options };
    this.#address = rules.jwksUri;
  }

  /** The key that a token's header names; null: there is none, or it is for another algorithm. */
  async find({ kid, alg }: { kid?: unknown; alg?: unknown }): Promise<CryptoKey | null> {
    const hasJustFetched = await this.#requireUsable();
    if (kid !== undefined && !this.#keys.some((known) => known.kid === kid)) await this.#seekUnknown(hasJustFetched);
    const named = kid === undefined ? this.#onlyKey() : this.#keys.filter((known) => known.kid === kid);
    return named.find(({ algorithm }) => algorithm === alg)?.key ?? null;
  }

  /** A token need not name its key where there is no choice (OpenID Connect Core, 10.1). */
  #onlyKey(): readonly OutsideKey[] {
    return this.#keys.length === 1 ? this.#keys : [];
  }

  /** True: the keys were fetched while this caller waited. */
  async #requireUsable(): Promise<boolean> {
    const ageMs = this.#sinceMs(this.#fetchedAtMs);
    if (ageMs < freshMs) return false;
    const refreshed = this.#refresh();
    if (ageMs < usableMs) return false;
    await refreshed;
    if (this.#sinceMs(this.#fetchedAtMs) < usableMs) return true;
    throw new Refusal('IssuerUnavailable', "The keys of the access token's issuer cannot be had at present.", {
      retryAfterSeconds: failurePauseMs / 1000,
    });
  }

  async #seekUnknown(hasJustFetched: boolean): Promise<void> {
    const isPaused = this.#sinceMs(this.#soughtUnknownAtMs) < unknownKeyPauseMs;
    if (isPaused && this.#pending === null) return;
    this.#soughtUnknownAtMs = this.#options.clock.now();
    if (!hasJustFetched) await this.#refresh();
  }

  /** Never rejects. Everyone who asks during a fetch waits for the same one. */
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
    const giving = new AbortController();
    const timer = clock.after(timeoutMs, () => giving.abort(new Error(`no answer within ${timeoutMs} ms`)));
    const { signal } = giving;
    try {
      this.#address ??= await this.#discover(signal);
      const { keys } = await this.#fetchObject(this.#address, signal);
      if (!Array.isArray(keys) || keys.length > mostKeys) throw new Error(`no list of at most ${mostKeys} keys`);
      const taken = await Promise.all(keys.map((record) => toKey(record, this.#rules.algorithms)));
      this.#keys = taken.filter((key) => key !== null);
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
    const found = await this.#fetchObject(`${base}/.well-known/openid-configuration`, signal);
    if (found.issuer !== this.#rules.issuer) throw new Error('the discovery document is of another issuer');
    if (typeof found.jwks_uri === 'string' && isSafeAddress(found.jwks_uri)) return found.jwks_uri;
    throw new Error('the discovery document has no jwks_uri with https');
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

  /** Absolute, so that a clock that was set back counts as time gone by instead of making keys last. */
  #sinceMs(timeMs: number): number {
    return Math.abs(this.#options.clock.now() - timeMs);
  }
}

async function readLimited(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of answer.body ?? []) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > mostBytes) throw new Error(`${answer.url} answered more than ${mostBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Null: not a public key for signatures that we take. One such key does not spoil the others. */
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
  return 'modulusLength' in algorithm && Number(algorithm.modulusLength) < leastRsaBits;
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
