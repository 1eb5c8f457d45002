// A face with a table of routes, which renders refusals as the API does: JSON with a code. REST, the issuer, the console's
// files and the docs page are such faces. They differ in what happens between the match and the handler of the route.

import type { Answer } from '../../listener/answer.ts';
import type { Exchange, Face } from '../../listener/face.ts';
import { toAnswer } from '../answer.ts';
import type { ContextLookup, EnvironmentContext } from '../environment-context.ts';
import { checkSingleHeaders } from '../parameters.ts';
import {
  answerUnavailable,
  type OpenRoute,
  type Route,
  type RouteExchange,
  type RouteMatch,
  Router,
} from '../route.ts';

type Handler<R extends Route> = (
  context: EnvironmentContext,
  exchange: RouteExchange,
  match: RouteMatch<R>,
) => Promise<Answer | null>;

export function routeFace<R extends Route>(
  routes: readonly R[],
  lookup: ContextLookup,
  handler: Handler<R>,
): Face<RouteMatch<R>> {
  const router = new Router(routes);
  return {
    match: (method, path) => router.find(method, path),
    async handle(exchange, match) {
      checkSingleHeaders(exchange.request);
      const context = lookup();
      const answer =
        context === null
          ? answerUnavailable(match.route)
          : await handler(context, toRouteExchange(exchange, match, router), match);
      if (answer !== null && match.route.toHeaders !== undefined)
        Object.assign(answer.headers, match.route.toHeaders(exchange.request));
      return answer;
    },
    renderRefusal(refusal, { requestId, request, match }) {
      const answer = toAnswer(refusal, requestId);
      if (request !== null) Object.assign(answer.headers, match?.route.toHeaders?.(request));
      return answer;
    },
  };
}

/** Routes that need no credentials: the docs page, the console's files. */
export function openFace(routes: readonly OpenRoute[], lookup: ContextLookup): Face<RouteMatch<OpenRoute>> {
  return routeFace(routes, lookup, (context, exchange, { route }) => route.handle(context, exchange));
}

function toRouteExchange<R extends Route>(exchange: Exchange, match: RouteMatch<R>, router: Router<R>): RouteExchange {
  return {
    ...exchange,
    parameters: match.parameters,
    query: () => new URLSearchParams(exchange.queryString),
    allowed: () => router.allowed(exchange.path),
  };
}
