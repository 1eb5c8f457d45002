// How a request arrived: by which of the addresses, from where, and with which certificate.

import type { ShownCertificate } from '../certificates/mutual-tls.ts';

export interface Arrival {
  isMutualTls: boolean;
  /** Who asks, as far as proxies are believed. */
  readonly address: string;
  /** The certificate as it stands at this moment; only on the mutual-TLS address. */
  certificate(): ShownCertificate;
}
