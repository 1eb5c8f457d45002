// The issuer as a face: the token endpoint and its metadata, which answer by the rules of OAuth 2.0, and the pages on which
// people sign in and out. The mutual-TLS address has no pages.

import type { IncomingMessage } from 'node:http';
import { Refusal, storageFull } from '../../domain/refusal.ts';
import { endIfStalled } from '../../listener/answer.ts';
import type { Exchange, Face } from '../../listener/face.ts';
import { malformed } from '../../listener/refusals.ts';
import { expectsContinue } from '../../listener/request.ts';
import type { Clock } from '../../runtime/clock.ts';
import { Buckets, toLimitedAddress } from '../../runtime/rate-limits.ts';
import type { Shared } from '../../runtime/shared-counters.ts';
import { allowOrigin } from '../cors.ts';
import type { ContextLookup, EnvironmentContext } from '../environment-context.ts';
import { type ForeignRoute, type OpenRoute, type RouteMatch, routeNotFound } from '../route.ts';
import { issuerRoutes } from '../routes.ts';
import { routeFace } from './route-face.ts';

/** Requests to the issuer are small; one that has not arrived completely after this long is dropped. */
const smallRequestMs = 30_000;
const maxPageQueryLength = 4096;
/** For the answers of `oidc-provider`; our own pages set stricter ones. */
const pageHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  // For what the issuer's library renders itself; our pages have their own.
  'Content-Security-Policy': "default-src 'none'; script-src 'self'; frame-ancestors 'none'; base-uri 'none'",
};

interface IssuerFaceOptions {
  lookup: ContextLookup;
  /** Names the address in the counters that all threads share. */
  name: string;
  isMutualTls: boolean;
  corsOrigins: ReadonlySet<string>;
  shared: Shared;
  clock: Clock;
}

/** Below this part of the reserve, sign-ins are refused too: the rest is for deletions. */
const lastPartOfReserve = 4;

export function issuerFace(options: IssuerFaceOptions): Face<RouteMatch<OpenRoute | ForeignRoute>> {
  const { lookup, name, isMutualTls, shared, clock } = options;
  const own = new Buckets({ name: `${name} pages`, burst: 300, perSecond: 5 }, shared.buckets, clock);
  const common = new Buckets(
    { name: `${name} pages behind a proxy`, burst: 6000, perSecond: 100 },
    shared.buckets,
    clock,
  );
  const routes = issuerRoutes.filter(({ isForPeople }) => !(isForPeople && isMutualTls));
  return routeFace(routes, lookup, async (context, exchange, { route }) => {
    if (route.isForPeople) guardPages(exchange.arrival.isShared ? common : own, context, exchange);
    if (route.action === null) return await route.handle(context, exchange);
    await issue(context, exchange, options);
    return null;
  });
}

/** Anyone can open the sign-in pages, and each sign-in that is started is stored. So the rate, the length of the query and the
 *  use of disk space are limited. A proxy that hides its clients gets as much as twenty of them, so that one does not use up
 *  everybody's. */
function guardPages(pages: Buckets, { cabinet }: EnvironmentContext, { arrival, queryString }: Exchange): void {
  const address = toLimitedAddress(arrival.address);
  const retryAfterSeconds = pages.waitSeconds(address);
  if (retryAfterSeconds > 0) {
    throw new Refusal('TooManyRequests', 'Too many pages were requested.', { retryAfterSeconds });
  }
  pages.take(address);
  if (queryString.length > maxPageQueryLength)
    throw malformed(`The query has more than ${maxPageQueryLength} characters.`);
  // Sign-ins are what the reserve is for, but not all of it.
  if (cabinet.freeBytes() <= cabinet.limits.reserveBytes / lastPartOfReserve) throw storageFull();
}

/** Passes a request to the issuer, which writes the response itself. */
async function issue(
  { issuer }: EnvironmentContext,
  { request, response, path, queryString, arrival, requestId }: Exchange,
  { corsOrigins, clock }: IssuerFaceOptions,
): Promise<void> {
  response.setHeader('requesttrackingid', requestId);
  if (issuer === null) throw routeNotFound();
  const headers = { ...pageHeaders, ...allowOrigin(corsOrigins, request) };
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (expectsContinue(request)) response.writeContinue();
  endUnlessComplete(request, clock);
  endIfStalled(response);
  request.url = queryString === '' ? path : `${path}?${queryString}`;
  await issuer.handle(request, response, arrival);
}

function endUnlessComplete(request: IncomingMessage, clock: Clock): void {
  const timer = clock.after(smallRequestMs, () => {
    if (!request.complete) request.socket.destroy();
  });
  request.once('close', () => timer.cancel());
}
