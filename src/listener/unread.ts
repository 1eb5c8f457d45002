// What came over a connection and was not understood as a request: how it is refused, and under which tracking id.

import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { Refusal } from '../domain/refusal.ts';
import { toMalformed, uuid } from './request.ts';

/** As Node's parser throws it. */
export interface UnreadError extends NodeJS.ErrnoException {
  rawPacket?: Buffer;
  bytesParsed?: number;
}

export interface Unread {
  refusal: Refusal;
  requestId: string;
  /** Where the request was cut short at a method that the parser does not know. */
  line: { method: string; path: string } | null;
}

export function toUnread(error: UnreadError, socket: Socket, isMutual: boolean): Unread {
  const refusal = toRefusal(error, socket, isMutual);
  return { refusal, requestId: randomUUID(), line: null, ...readUnknownMethod(error) };
}

/** A connection that its client opened in advance, as browsers do, and did not need in time. An answer to a request that is on its way
 *  by now would refuse what is in order; a client whose connection is just closed sends it again. */
export function isUnused({ code }: UnreadError, { bytesRead }: Socket): boolean {
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' && bytesRead === 0;
}

/** OpenSSL's complaint about a certificate can surface late, in place of the request. */
function toRefusal(error: UnreadError, socket: Socket, isMutual: boolean): Refusal {
  const isUntrusted = isMutual && (socket as TLSSocket).authorized === false;
  if (!isUntrusted || !/^ERR_(OSSL|SSL)/.test(error.code ?? '')) return toMalformed(error);
  return new Refusal('CertificateInvalid', 'The certificate is not trusted.');
}

const requestLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) (\/[^ ?]*)(?:\?[^ ]*)? HTTP\/1\.[01]\r\n/;
const trackingId = /^requesttrackingid:[ \t]*(\S*)[ \t]*\r$/gim;

/** The parser knows the registered methods only; by the standard any token is one. Null: it stopped at something else. */
function readUnknownMethod({ code, rawPacket, bytesParsed = 0 }: UnreadError): Omit<Unread, 'refusal'> | null {
  if (code !== 'HPE_INVALID_METHOD' || rawPacket === undefined) return null;
  const text = rawPacket.toString('latin1');
  const [, method, path] = requestLine.exec(text) ?? [];
  // Behind another request of the same packet nobody can say where this one begins.
  if (method === undefined || path === undefined || bytesParsed > method.length) return null;
  const [[, sent = ''] = [], ...more] = text.matchAll(trackingId);
  const requestId = uuid.test(sent) && more.length === 0 ? sent : randomUUID();
  return { requestId, line: { method, path } };
}
