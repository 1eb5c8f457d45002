// The faces of an address, in the order in which the listener asks them.

import type { McpAccess, McpSpaces } from '../domain/caller.ts';
import type { Face } from '../listener/face.ts';
import { mcpFace } from '../mcp/mcp-face.ts';
import { preflightFace } from '../rest/cors.ts';
import type { ContextLookup } from '../rest/environment-context.ts';
import { issuerFace } from '../rest/faces/issuer-face.ts';
import { restFace } from '../rest/faces/rest-face.ts';
import { openFace } from '../rest/faces/route-face.ts';
import { serverOptionsFace } from '../rest/faces/server-options-face.ts';
import { unknownPageFace } from '../rest/faces/unknown-page-face.ts';
import { consoleRoutes, docsRoutes, linkRoutes } from '../rest/routes.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Shared } from '../runtime/shared-counters.ts';
import { webdavFace } from '../webdav/webdav-face.ts';

export interface FacesOptions {
  /** The environment behind the address. */
  lookup: ContextLookup;
  /** Names the address in the counters that all threads share. */
  name: string;
  isMutualTls: boolean;
  corsOrigins: ReadonlySet<string>;
  mcp: McpAccess;
  mcpSpaces: McpSpaces;
  shared: Shared;
  clock: Clock;
}

/** The REST API is last: it also answers for unknown paths. */
export function toFaces(options: FacesOptions): Face[] {
  const { lookup, isMutualTls, corsOrigins, mcp, mcpSpaces, clock } = options;
  const rest = restFace(lookup, clock);
  return [
    preflightFace(corsOrigins),
    serverOptionsFace(),
    webdavFace(options),
    ...(mcp === 'off' ? [] : [mcpFace({ ...options, access: mcp, spaces: mcpSpaces })]),
    ...(isMutualTls ? [] : [openFace(consoleRoutes, lookup), openFace(linkRoutes, lookup)]),
    openFace(docsRoutes, lookup),
    issuerFace(options),
    ...(isMutualTls ? [] : [unknownPageFace(rest, lookup)]),
    rest,
  ];
}
