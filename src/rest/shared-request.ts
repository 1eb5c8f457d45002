// Reads what a request for a link shows: the secret in its path, the password in its header, or the pass of the page as a cookie.

import { decodeHeader } from '../domain/name.ts';
import type { ShareUse } from '../operations/open-share.ts';
import { readHeader } from './parameters.ts';
import type { RouteExchange } from './route.ts';

/** The name of a cookie: this, and the id of the share. */
export const passCookie = 'cabinet-share-';

export function readShareUse({ request, parameters, arrival, requestId }: RouteExchange): ShareUse {
  const header = readHeader(request, 'sharepassword');
  return {
    secret: parameters.secret ?? '',
    // What is not UTF-8 is a wrong password.
    password: header === null ? null : (decodeHeader(header) ?? '\ufffd'),
    passes: readPasses(request.headers.cookie ?? ''),
    address: arrival.address,
    requestId,
  };
}

function readPasses(header: string): Map<string, string> {
  const passes = new Map<string, string>();
  for (const pair of header.split(';')) {
    const [name = '', value = ''] = pair.trim().split('=');
    if (name.startsWith(passCookie)) passes.set(name.slice(passCookie.length), value);
  }
  return passes;
}

/** Nobody else learns the address of a link, and nobody keeps what it leads to. */
export function toSharedHeaders(): Record<string, string> {
  return { 'Referrer-Policy': 'no-referrer', 'X-Robots-Tag': 'noindex', 'Cache-Control': 'no-store' };
}
