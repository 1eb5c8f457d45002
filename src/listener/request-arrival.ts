// How a request arrived, asked only when it matters.

import type { IncomingMessage } from 'node:http';
import type { Arrival } from '../auth/arrival.ts';
import type { MutualTls, ShownCertificate } from '../certificates/mutual-tls.ts';
import type { Peers } from '../certificates/peers.ts';

interface Address {
  /** Null: it is not the one for mutual TLS. */
  mutualTls: MutualTls | null;
  proxies: Peers;
}

/** A class: an object literal with a getter would get a hidden class of its own each time, which lives until a full garbage
 *  collection, and with it the getter, the request, and all that hangs on it. */
export class RequestArrival implements Arrival {
  readonly isMutualTls: boolean;
  readonly #request: IncomingMessage;
  readonly #address: Address;

  constructor(request: IncomingMessage, address: Address) {
    this.isMutualTls = address.mutualTls !== null;
    this.#request = request;
    this.#address = address;
  }

  get address(): string {
    return this.#address.proxies.findClient(this.#request);
  }

  certificate(): ShownCertificate {
    const shown = this.#address.mutualTls?.show(this.#request);
    return shown ?? { problem: 'Certificates are shown on the mutual-TLS address.' };
  }
}
