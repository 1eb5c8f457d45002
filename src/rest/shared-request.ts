// Reads what a request for a link shows: the secret in its path, the password in its header, or the pass of the page as a cookie.

import { decodeHeader } from '../domain/name.ts';
import type { ShareUse } from '../operations/open-share.ts';
import { readHeader } from './parameters.ts';
import type { RouteExchange } from './route.ts';

export const passCookie = 'cabinet-share';

export function readShareUse({ request, parameters, arrival, requestId }: RouteExchange): ShareUse {
  const header = readHeader(request, 'sharepassword');
  return {
    secret: parameters.secret ?? '',
    // What is not UTF-8 is a wrong password.
    password: header === null ? null : (decodeHeader(header) ?? '\ufffd'),
    pass: readCookie(request.headers.cookie ?? ''),
    address: arrival.address,
    requestId,
  };
}

function readCookie(header: string): string | null {
  for (const pair of header.split(';')) {
    const [name = '', value = ''] = pair.trim().split('=');
    if (name === passCookie) return value;
  }
  return null;
}

/** Nobody else learns the address of a link, and nobody keeps what it leads to. */
export function toSharedHeaders(): Record<string, string> {
  return { 'Referrer-Policy': 'no-referrer', 'X-Robots-Tag': 'noindex', 'Cache-Control': 'no-store' };
}
