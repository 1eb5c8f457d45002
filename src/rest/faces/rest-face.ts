// The REST API as a face: it authenticates by token and AppKey, counts requests against the caller's quota, and checks
// permission before parameters. It is the last face of an address, so it also answers for unknown paths.

import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../../domain/caller.ts';
import { authorize } from '../../domain/permission.ts';
import type { Answer } from '../../listener/answer.ts';
import type { Face } from '../../listener/face.ts';
import { shuttingDown } from '../../listener/refusals.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { ContextLookup, EnvironmentContext } from '../environment-context.ts';
import { readLockTokens } from '../lock-tokens.ts';
import type { CallerRoute, OpenRoute, RouteExchange, RouteMatch } from '../route.ts';
import { routeNotFound } from '../route.ts';
import { restRoutes } from '../routes.ts';
import { toShareKeys } from '../slots.ts';
import { routeFace } from './route-face.ts';

const uploadsPath = '/v1/contentmanagement/uploads';
/** After a body that took longer than this, the caller is authenticated again. */
const renewAfterMs = 500;

type RestRoute = CallerRoute | OpenRoute;

export function restFace(lookup: ContextLookup, clock: Clock): Face<RouteMatch<RestRoute>> {
  const face = routeFace<RestRoute>(restRoutes, lookup, async (context, exchange, { route }) =>
    route.action === null
      ? await route.handle(context, exchange)
      : await answerCaller(context, exchange, { route, lookup, clock }),
  );
  return {
    ...face,
    match: (method, path, headers) => face.match(readMethod(method, path, headers), path, headers) ?? routeNotFound(),
  };
}

/** tus: "The X-HTTP-Method-Override request header MUST be a string which MUST be interpreted as the request's method by the
 *  Server, if the header is presented." Only for uploads. */
function readMethod(method: string, path: string, headers: IncomingHttpHeaders): string {
  const override = headers['x-http-method-override'];
  return typeof override === 'string' && path.startsWith(uploadsPath) ? override.toUpperCase() : method;
}

async function answerCaller(
  context: EnvironmentContext,
  exchange: RouteExchange,
  { route, lookup, clock }: { route: CallerRoute; lookup: ContextLookup; clock: Clock },
): Promise<Answer> {
  const { request, arrival, requestId } = exchange;
  // Uses the current context: keys may have changed while a long body was read.
  const lockTokens = readLockTokens(request);
  const authenticate = async () => ({
    ...(await (lookup() ?? context).authenticator.authenticate({
      authorization: request.headers.authorization,
      appKey: request.headers.appkey as string | undefined,
      spaceId: request.headers.spaceid as string | undefined,
      arrival,
      requestId,
    })),
    ...(lockTokens !== null && { lockTokens }),
  });
  const arrivedAt = clock.monotonic();
  const caller: Caller = await authenticate();
  exchange.observation.actor = caller.actor;
  context.cabinet.quotas.countRequest(caller);
  // Every operation checks this as well. Here, it comes before refusals about parameters.
  authorize(caller, route.action);
  const isWrite = route.action !== 'read' && route.method !== 'GET';
  if (exchange.isDraining && isWrite) throw shuttingDown();
  const renewCaller = async () => (clock.monotonic() - arrivedAt < renewAfterMs ? caller : await authenticate());
  const [own = '', ...others] = toShareKeys(caller);
  const held: (() => void)[] = [];
  const holdMemory = async (bytes: number) => {
    held.push(await context.bodyMemory.hold([own, ...others], bytes));
  };
  let answer: Answer;
  try {
    answer = await route.handle(context, { ...exchange, renewCaller, holdMemory }, caller);
  } finally {
    for (const release of held) release();
  }
  if (route.action === 'manage' && route.method !== 'GET') await context.onAdminChange();
  return answer;
}
