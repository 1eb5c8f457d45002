// The checks on every request before it is matched: its tracking id, its target, and malformed HTTP that Node's parser
// accepts.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Refusal } from '../domain/refusal.ts';
import { invalidHeader, malformed } from './refusals.ts';

export const maxHeaderBytes = 16 * 1024;
const knownVersions = new Set(['1.0', '1.1']);
export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A repeated header counts as absent: Node joins the values, and the result is not a UUID. */
export function readRequestId(request: IncomingMessage): string {
  const sent = request.headers.requesttrackingid;
  return typeof sent === 'string' && uuid.test(sent) ? sent : randomUUID();
}

/** The path and query of the request target. An absolute target must name our own host. `*` stands for the server (RFC 9112,
 *  section 3.2.4), and is a path that no other target has. */
export function readTarget(request: IncomingMessage, publicUrl: string | undefined): { path: string; query: string } {
  let target = request.url ?? '';
  const isServer = target === '*' && request.method === 'OPTIONS';
  if (!target.startsWith('/') && !isServer) {
    const url = URL.parse(target);
    const own = publicUrl === undefined ? request.headers.host : new URL(publicUrl).host;
    if (url === null || url.host !== own) throw malformed('The request target names another host.');
    target = `${url.pathname}${url.search}`;
  }
  const mark = target.indexOf('?');
  return mark === -1 ? { path: target, query: '' } : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

export function checkHttp(request: IncomingMessage): void {
  // The parser also accepts 0.9 and 2.0 in a request line.
  if (!knownVersions.has(request.httpVersion)) throw malformed('The protocol can only be HTTP/1.1 or HTTP/1.0.');
  const coding = request.headers['transfer-encoding'];
  if (request.httpVersion === '1.0' && coding !== undefined) throw malformed('HTTP/1.0 has no Transfer-Encoding.');
  // The parser accepts any list that ends in chunked; a compressed body would then be stored as the content.
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    throw malformed('Transfer-Encoding can only be chunked.');
  }
  if (request.httpVersion === '1.1' && request.headers.host === undefined) {
    throw malformed('The Host header is missing.');
  }
  checkSingleHost(request);
  if (expectsContinue(request) && request.headers.expect?.toLowerCase() !== '100-continue') {
    throw invalidHeader('Expect', 'can only be 100-continue');
  }
}

/** RFC 9112, section 3.2. Node uses the first one; a proxy in front of us may have used the last. */
function checkSingleHost({ rawHeaders }: IncomingMessage): void {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  if (count > 1) throw malformed('The Host header was sent more than once.');
}

/** "A server that receives a 100-continue expectation in an HTTP/1.0 request MUST ignore that expectation." */
export function expectsContinue({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion !== '1.0' && headers.expect !== undefined;
}

export function toMalformed({ code }: NodeJS.ErrnoException): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new Refusal('HeadersTooLarge', `The headers have more than ${maxHeaderBytes} bytes.`);
  }
  return malformed('This is not a well-formed HTTP/1.1 request, or its headers did not arrive in time.');
}
