// Reads the headers of WebDAV: Depth, Overwrite, Destination, Timeout, Lock-Token.

import { Refusal } from '../domain/refusal.ts';
import type { Exchange } from '../listener/face.ts';
import { DavRefusal } from './dav-refusal.ts';
import { isDavPath, toOwnPath } from './path.ts';
import type { DavRequest } from './resource.ts';

export type Depth = 0 | 1 | 'infinity';

const depths: Record<string, Depth> = { 0: 0, 1: 1, infinity: 'infinity' };

/** `fallback`: what its absence means. */
export function readDepth({ exchange }: DavRequest, fallback: Depth): Depth {
  const header = exchange.request.headers.depth;
  if (header === undefined) return fallback;
  const depth = depths[String(header).trim().toLowerCase()];
  if (depth === undefined) throw new DavRefusal(400, 'Depth must be 0, 1 or infinity.');
  return depth;
}

export function readOverwrite({ exchange }: DavRequest): boolean {
  const header = String(exchange.request.headers.overwrite ?? 'T')
    .trim()
    .toUpperCase();
  if (header === 'T' || header === 'F') return header === 'T';
  throw new DavRefusal(400, 'Overwrite must be T or F.');
}

/** The path of the header `Destination`. */
export function readDestination({ exchange, context }: DavRequest): string {
  const [header = '', ...others] = exchange.request.headersDistinct.destination ?? [];
  if (header === '' || others.length > 0) throw new DavRefusal(400, 'Send the header Destination exactly once.');
  const { publicUrl, basePath } = context;
  const path = toOwnPath(header, { publicUrl, basePath, host: exchange.request.headers.host });
  if (path === null || !isDavPath(path)) {
    throw new DavRefusal(502, 'The Destination is on another server, or is not beneath /dav/.');
  }
  return path;
}

export function checkNoBody({ request }: Exchange): void {
  const { headers, method } = request;
  if (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0) {
    throw new DavRefusal(415, `${method} must not have a body.`);
  }
}

/** `Content-Range` on a PUT asks for a change of a part, which is refused (RFC 9110, section 14.4). */
export function checkWholePut({ exchange }: DavRequest): void {
  const { headers } = exchange.request;
  if (headers['content-range'] !== undefined)
    throw new DavRefusal(400, 'PUT sends the whole file. Content-Range is not supported.');
}

/** What Finder announces of a chunked body. Null: nothing. */
export function readExpectedBytes({ exchange }: DavRequest): number | null {
  const header = exchange.request.headers['x-expected-entity-length'];
  if (header === undefined) return null;
  if (/^\d{1,16}$/.test(String(header))) return Number(header);
  throw new DavRefusal(400, 'X-Expected-Entity-Length must be a number of bytes.');
}

export function checkLength(expectedBytes: number | null, receivedBytes: number): void {
  if (expectedBytes === null || expectedBytes === receivedBytes) return;
  throw new Refusal(
    'MalformedRequest',
    `${receivedBytes} bytes arrived, and X-Expected-Entity-Length is ${expectedBytes}. Nothing was saved.`,
  );
}
