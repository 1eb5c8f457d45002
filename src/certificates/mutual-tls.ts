// Finds the certificate of a request and whether it is valid now, by the current CAs and revocation lists, also on connections
// that were opened long ago.

import type { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { LRUCache } from 'lru-cache';
import { Refusal } from '../domain/refusal.ts';
import { atMost } from '../runtime/cache-size.ts';
import type { Clock } from '../runtime/clock.ts';
import {
  findProblem,
  type PresentedCertificate,
  readForwardedCertificate,
  readSocketCertificate,
} from './certificates.ts';
import type { Peers } from './peers.ts';
import type { RevocationList } from './revocation-list.ts';

const maxForwarded = 1000;

/** The time limit of a handshake. */
export const longestHandshakeMs = 10_000;

/** The CAs and lists by which certificates are checked. */
export interface Trust {
  authorities: readonly X509Certificate[];
  lists: readonly RevocationList[];
  /** Since when it is in force, in milliseconds; 0: since the start. */
  since: number;
}

/** `problem` says why it cannot be used, as a sentence. */
export type ShownCertificate = { problem: string } | { problem: null; leaf: X509Certificate; thumbprint: string };

interface MutualTlsOptions {
  trust: { readonly value: Trust };
  /** Proxies that end TLS and hand the certificate over in `Client-Cert` (RFC 9440). */
  proxies: Peers;
  clock: Clock;
}

export class MutualTls {
  readonly #trust: { readonly value: Trust };
  readonly #proxies: Peers;
  readonly #clock: Clock;
  readonly #greeted = new WeakMap<object, { trust: Trust; at: number }>();
  readonly #bySocket = new WeakMap<object, { trust: Trust; presented: PresentedCertificate | null }>();
  #forwarded = new LRUCache<string, PresentedCertificate>(atMost(maxForwarded));
  #forwardedUnder: Trust | null = null;

  constructor({ trust, proxies, clock }: MutualTlsOptions) {
    this.#trust = trust;
    this.#proxies = proxies;
    this.#clock = clock;
  }

  /** To be called for every connection after its handshake. */
  greet(socket: object): void {
    this.#greeted.set(socket, { trust: this.#trust.value, at: this.#clock.now() });
  }

  show(request: IncomingMessage): ShownCertificate {
    try {
      return this.#check(request);
    } catch (error) {
      if (error instanceof Refusal) return { problem: error.message };
      throw error;
    }
  }

  #check(request: IncomingMessage): ShownCertificate {
    const presented = this.#proxies.has(request.socket.remoteAddress)
      ? this.#readForwarded(request)
      : this.#readSocket(request.socket as TLSSocket);
    if (presented === null) return { problem: 'No certificate was shown.' };
    const problem = findProblem(presented, this.#trust.value.lists, this.#clock.now());
    if (problem !== null) return { problem: `The certificate ${problem}.` };
    return { problem: null, leaf: presented.leaf, thumbprint: presented.thumbprint };
  }

  /** Checked once, and again when the trusted CAs change or one of them expires. */
  #readSocket(socket: TLSSocket): PresentedCertificate | null {
    const trust = this.#trust.value;
    const now = this.#clock.now();
    const known = this.#bySocket.get(socket);
    if (known?.trust === trust && now <= (known.presented?.judgedUntil ?? Number.POSITIVE_INFINITY))
      return known.presented;
    const { authorities } = trust;
    const isHandshakes = known === undefined && this.#isHandshakes(socket, trust);
    const presented = readSocketCertificate(socket, { authorities, isHandshakes, now });
    this.#bySocket.set(socket, { trust, presented });
    return presented;
  }

  /** Whether the handshake was checked with this trust; one in progress when the trust changed may not have been. */
  #isHandshakes(socket: TLSSocket, trust: Trust): boolean {
    const greeted = this.#greeted.get(socket);
    return greeted?.trust === trust && greeted.at - trust.since > longestHandshakeMs;
  }

  /** A proxy's own certificate identifies the proxy, not the client: only the header counts. */
  #readForwarded({ headers }: IncomingMessage): PresentedCertificate | null {
    const [leaf, chain] = [headers['client-cert'], headers['client-cert-chain']].map((header) => header?.toString());
    if (leaf === undefined || leaf === '') return null;
    if (this.#forwardedUnder !== this.#trust.value) {
      this.#forwarded.clear();
      this.#forwardedUnder = this.#trust.value;
    }
    const now = this.#clock.now();
    const key = `${leaf} ${chain ?? ''}`;
    let presented = this.#forwarded.get(key);
    if (presented === undefined || now > presented.judgedUntil) {
      presented = readForwardedCertificate(leaf, chain, { authorities: this.#trust.value.authorities, now });
      this.#forwarded.set(key, presented);
    }
    return presented;
  }
}
