// Input that Node's parser could not read as a request: how it is refused, and under which tracking id.

import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { Refusal } from '../domain/refusal.ts';
import { toMalformed, uuid } from './request.ts';

/** The error of the event `clientError`. */
export interface ParserError extends NodeJS.ErrnoException {
  rawPacket?: Buffer;
  bytesParsed?: number;
}

export interface MalformedInput {
  refusal: Refusal;
  requestId: string;
  /** The request line, where the parser stopped at a method that it does not know. */
  line: { method: string; path: string } | null;
}

export function toMalformedInput(error: ParserError, socket: Socket, isMutual: boolean): MalformedInput {
  const refusal = toRefusal(error, socket, isMutual);
  return { refusal, requestId: randomUUID(), line: null, ...readUnknownMethod(error) };
}

/** A connection that the client opened in advance, as browsers do, and has not used in time. It must be closed without an
 *  answer: a request may be on its way, and would be refused by it. A client whose connection was closed sends it again. */
export function isUnused({ code }: ParserError, { bytesRead }: Socket): boolean {
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' && bytesRead === 0;
}

/** OpenSSL's error about a certificate can surface late, in place of the request. */
function toRefusal(error: ParserError, socket: Socket, isMutual: boolean): Refusal {
  const isUntrusted = isMutual && (socket as TLSSocket).authorized === false;
  if (!isUntrusted || !/^ERR_(OSSL|SSL)/.test(error.code ?? '')) return toMalformed(error);
  return new Refusal('CertificateInvalid', 'The certificate is not trusted.');
}

const requestLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) (\/[^ ?]*)(?:\?[^ ]*)? HTTP\/1\.[01]\r\n/;
const trackingId = /^requesttrackingid:[ \t]*(\S*)[ \t]*\r$/gim;

/** The parser knows registered methods only, but the standard allows any token. Null: it stopped at something else. */
function readUnknownMethod({ code, rawPacket, bytesParsed = 0 }: ParserError): Omit<MalformedInput, 'refusal'> | null {
  if (code !== 'HPE_INVALID_METHOD' || rawPacket === undefined) return null;
  const text = rawPacket.toString('latin1');
  const [, method, path] = requestLine.exec(text) ?? [];
  // After another request in the same packet, it is unknown where this one starts.
  if (method === undefined || path === undefined || bytesParsed > method.length) return null;
  const [[, sent = ''] = [], ...more] = text.matchAll(trackingId);
  const requestId = uuid.test(sent) && more.length === 0 ? sent : randomUUID();
  return { requestId, line: { method, path } };
}
