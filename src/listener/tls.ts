// The TLS options of the addresses: 1.2 and 1.3, forward secrecy and authenticated encryption only.

import { constants } from 'node:crypto';
import type { SecureContextOptions, TlsOptions } from 'node:tls';
import { longestHandshakeMs } from '../certificates/mutual-tls.ts';

const ciphers = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
].join(':');

const groups = 'X25519MLKEM768:X25519:P-256:P-384:P-521';

/** The mutual-TLS address requests a certificate and verifies it itself, so that a refusal can say what is wrong. It never
 *  resumes a session: each connection presents its certificate. */
export function toServerOptions(tls: SecureContextOptions, ticketKeys: Buffer, isMutual: boolean): TlsOptions {
  const options: TlsOptions = {
    ...tls,
    ticketKeys,
    ciphers,
    ecdhCurve: groups,
    honorCipherOrder: true,
    minVersion: 'TLSv1.2',
    maxVersion: 'TLSv1.3',
    handshakeTimeout: longestHandshakeMs,
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  };
  if (!isMutual) return options;
  const secureOptions = constants.SSL_OP_NO_RENEGOTIATION | constants.SSL_OP_NO_TICKET;
  return { ...options, requestCert: true, rejectUnauthorized: false, secureOptions };
}
