// The client's address and certificate, looked up only when somebody needs them.

import type { IncomingMessage } from 'node:http';
import type { Arrival } from '../auth/arrival.ts';
import type { MutualTls, ShownCertificate } from '../certificates/mutual-tls.ts';
import { isInside, type Peers } from '../certificates/peers.ts';

interface Address {
  /** Null: not the mutual-TLS address. */
  mutualTls: MutualTls | null;
  proxies: Peers;
}

/** A class, because each object literal with a getter gets a hidden class of its own, which keeps the getter and the request
 *  alive until a full garbage collection. */
export class RequestArrival implements Arrival {
  readonly isMutualTls: boolean;
  readonly #request: IncomingMessage;
  readonly #address: Address;

  constructor(request: IncomingMessage, address: Address) {
    this.isMutualTls = address.mutualTls !== null;
    this.#request = request;
    this.#address = address;
  }

  get isPrivate(): boolean {
    if (this.isMutualTls || 'encrypted' in this.#request.socket) return true;
    return this.#address.proxies.isPrivate(this.#request);
  }

  get address(): string {
    return this.#address.proxies.findClient(this.#request);
  }

  get isShared(): boolean {
    const { headers, socket } = this.#request;
    const isForwarded = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;
    // From outside, the headers are anybody's claim, and must not earn more than their absence does.
    return isForwarded && isInside(socket.remoteAddress) && !this.#address.proxies.has(socket.remoteAddress);
  }

  certificate(): ShownCertificate {
    const shown = this.#address.mutualTls?.show(this.#request);
    return shown ?? { problem: 'Certificates are shown on the mutual-TLS address.' };
  }
}
