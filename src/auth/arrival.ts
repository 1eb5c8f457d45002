// How a request arrived: on which address, from where, and with which certificate.

import type { ShownCertificate } from '../certificates/mutual-tls.ts';

export interface Arrival {
  isMutualTls: boolean;
  /** Whether nobody between client and service can read along: TLS, also at a trusted proxy, or the same machine. */
  readonly isPrivate: boolean;
  /** The client's address, behind trusted proxies. */
  readonly address: string;
  /** The address is that of a proxy which is not trusted, so that many clients have it. */
  readonly isShared: boolean;
  /** The client certificate with its current validity; only on the mutual-TLS address. */
  certificate(): ShownCertificate;
}
