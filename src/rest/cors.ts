// CORS (https://fetch.spec.whatwg.org/#http-cors-protocol): only configured origins are allowed, none by default. Pages send
// credentials in headers that they set themselves, so no cookies are involved.

import type { IncomingMessage } from 'node:http';
import type { Face } from '../listener/face.ts';
import { json, toAnswer } from './answer.ts';

const preflightSeconds = '600';
const exposed =
  'requesttrackingid, entryid, childcount, idempotency-replayed, Preference-Applied, Link, Retry-After, WWW-Authenticate, ETag, Repr-Digest, Content-Range, Content-Disposition, Last-Modified, Accept-Ranges, ' +
  'Location, Upload-Offset, Upload-Length, Upload-Complete, Upload-Incomplete, Upload-Limit, Upload-Draft-Interop-Version, Upload-Expires, Upload-Metadata, Upload-Concat, Upload-Defer-Length, Tus-Resumable, Tus-Version, Tus-Extension, Tus-Max-Size, Tus-Checksum-Algorithm, Accept-Patch';
const accepted =
  'Authorization, AppKey, Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name, FolderId, FileName, SpaceId, SharePassword, ConflictBehavior, Idempotency-Key, Comment, Prefer, Range, If, If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since, If-Range, Repr-Digest, Content-Digest, Content-MD5, requesttrackingid, ' +
  'Content-Disposition, Upload-Offset, Upload-Length, Upload-Complete, Upload-Incomplete, Upload-Draft-Interop-Version, Upload-Metadata, Upload-Concat, Upload-Defer-Length, Upload-Checksum, Tus-Resumable, X-HTTP-Method-Override, X-Request-ID, X-Requested-With';

const preflightHeaders = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
  'Access-Control-Allow-Headers': accepted,
  'Access-Control-Max-Age': preflightSeconds,
};

export function allowOrigin(origins: ReadonlySet<string>, { headers }: IncomingMessage): Record<string, string> {
  const { origin } = headers;
  if (origin === undefined || !origins.has(origin)) return {};
  return { 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': exposed, Vary: 'Origin' };
}

/** Answers preflight requests of allowed origins, whatever they are for. */
export function preflightFace(origins: ReadonlySet<string>): Face {
  const preflight = { route: null };
  return {
    match(method, _path, { origin, 'access-control-request-method': intended }) {
      return method === 'OPTIONS' && intended !== undefined && origins.has(origin ?? '') ? preflight : null;
    },
    handle: async () => json('{}', preflightHeaders),
    renderRefusal: (refusal, { requestId }) => toAnswer(refusal, requestId),
  };
}
