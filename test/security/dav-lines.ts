// The lines of the matrix for WebDAV: the request of each method, and what each caller gets. Paths are beneath the space.

import type { Request } from '../interface/client.ts';
import type { ActorName } from './matrix.ts';

export interface DavLine {
  /** `made`: a file that was just made for this request. */
  path(made: string): string;
  request(made: string): Request;
  success: number;
  isWrite: boolean;
  /** In a space of others. */
  foreign: number;
}

const body = (element: string, inside: string) => `<D:${element} xmlns:D="DAV:">${inside}</D:${element}>`;
const lockInfo = body('lockinfo', '<D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype>');
const setX = body('propertyupdate', '<D:set><D:prop><x xmlns="urn:x">1</x></D:prop></D:set>');
const same = (made: string) => made;
const reading = { path: same, isWrite: false, foreign: 404 } as const;
const writing = { path: same, isWrite: true, foreign: 404 } as const;

/** `Destination` is in the caller's space, so that only the source can be in the way. */
export const davLines: Record<string, DavLine> = {
  GET: { ...reading, request: () => ({}), success: 200 },
  HEAD: { ...reading, request: () => ({}), success: 200 },
  PROPFIND: { ...reading, request: () => ({ headers: { Depth: '0' } }), success: 207 },
  PUT: { ...writing, request: () => ({ body: 'changed' }), success: 204, foreign: 409 },
  MKCOL: { ...writing, path: (made) => `${made}-folder`, request: () => ({}), success: 201, foreign: 409 },
  DELETE: { ...writing, request: () => ({}), success: 204 },
  COPY: { ...writing, request: (made) => ({ headers: { Destination: `/dav/left/${made}-copy` } }), success: 201 },
  MOVE: { ...writing, request: (made) => ({ headers: { Destination: `/dav/left/${made}-moved` } }), success: 201 },
  PROPPATCH: { ...writing, request: () => ({ body: setX }), success: 207 },
  LOCK: { ...writing, request: () => ({ body: lockInfo }), success: 200, foreign: 409 },
  // There is no such lock; who may not write is refused before that is looked at.
  UNLOCK: { ...writing, request: () => ({ headers: { 'Lock-Token': '<urn:x>' } }), success: 409 },
};

/** The status for who is refused whatever they ask for; null: nobody is refused. */
export const davRefusals: Record<ActorName, (isWrite: boolean) => number | null> = {
  'the application itself': () => null,
  'no token': () => 401,
  'an invalid token': () => 401,
  // The header is optional here.
  'no AppKey': () => null,
  'another application’s AppKey': () => 401,
  // An application of the same space: others are looked at in their own lines.
  'another space': () => null,
  'content.read alone': (isWrite) => (isWrite ? 403 : null),
  // Every method looks at what is there.
  'content.write alone': () => 403,
  'an application with content.admin': () => null,
  'a viewer': (isWrite) => (isWrite ? 403 : null),
  'an editor': () => null,
  'a manager': () => null,
  'a disabled application': () => 401,
  'a client application on the mutual-TLS address': () => 403,
  'a server application on the plain address': () => 403,
  'a production token on the test address': () => 401,
  'a test token on the production address': () => 401,
};
