// What a route is, and how a request is matched to one. Routes are plain data, which tests and the OpenAPI document read.

import type { IncomingMessage } from 'node:http';
import type { Caller } from '../domain/caller.ts';
import type { Action } from '../domain/permission.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Answer } from '../listener/answer.ts';
import type { Exchange, Match } from '../listener/face.ts';
import { MethodNotAllowed } from '../listener/refusals.ts';
import type { EnvironmentContext } from './environment-context.ts';
import type { Description } from './openapi/description.ts';

/** The request, as the handler of a route gets it. */
export interface RouteExchange extends Exchange {
  parameters: Record<string, string>;
  query(): URLSearchParams;
  /** The methods of the path, in the format of the header `Allow`. */
  allowed(): string;
}

export interface CallerExchange extends RouteExchange {
  /** The caller as of now: rights may have been revoked while a long body was read. */
  renewCaller(): Promise<Caller>;
  /** Waits for the memory that a body of this size needs; it is given back with the answer. */
  holdMemory(bytes: number): Promise<void>;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';

interface Path {
  method: Method;
  /** `/a/{b}`; a name in braces matches one segment. */
  path: string;
  /** A page for browsers, which the mutual-TLS address does not serve. */
  isForPeople?: boolean;
  /** Headers of every answer, including refusals. */
  toHeaders?(request: IncomingMessage): Record<string, string>;
  /** The OpenAPI operation. */
  describe: Description;
}

export interface CallerRoute extends Path {
  action: Action;
  handle(context: EnvironmentContext, exchange: CallerExchange, caller: Caller): Promise<Answer>;
}

/** Needs no credentials. */
export interface OpenRoute extends Path {
  action: null;
  handle(context: EnvironmentContext, exchange: RouteExchange): Promise<Answer>;
  /** The answer while the environment is being opened or emptied, or has failed. Without it, such requests are refused. */
  answerUnavailable?(): Answer;
}

/** Handled by the issuer, by the rules of OAuth 2.0. */
export interface ForeignRoute extends Path {
  action: 'foreign';
}

export type Route = CallerRoute | OpenRoute | ForeignRoute;

/** The route of a request, and the values of the names in braces. */
export interface RouteMatch<R extends Route = Route> extends Match {
  route: R;
  parameters: Record<string, string>;
}

interface Pattern<R extends Route> {
  segments: string[];
  methods: Map<string, R>;
}

export class Router<R extends Route = Route> {
  readonly #fixed = new Map<string, Pattern<R>>();
  /** Those with names in braces, by how many segments they have. */
  readonly #open: Pattern<R>[][] = [];
  /** The first segments of all paths: a quick test that rules out most requests for other faces. */
  readonly #firsts = new Set<string>();

  constructor(routes: readonly R[]) {
    for (const route of routes) this.#patternFor(route.path).methods.set(route.method, route);
  }

  #patternFor(path: string): Pattern<R> {
    const segments = path.split('/');
    const known =
      this.#fixed.get(path) ?? this.#open[segments.length]?.find((pattern) => pattern.segments.join('/') === path);
    if (known !== undefined) return known;
    const pattern = { segments, methods: new Map<string, R>() };
    this.#firsts.add(toFirst(path));
    if (path.includes('{')) this.#open[segments.length] = [...(this.#open[segments.length] ?? []), pattern];
    else this.#fixed.set(path, pattern);
    return pattern;
  }

  /** Null: there is no such path. A refusal: the path does not have this method. */
  find(method: string, path: string): RouteMatch<R> | Refusal | null {
    const known = this.#findPattern(path);
    if (known === null) return null;
    const { pattern, parameters } = known;
    const route = pattern.methods.get(method === 'HEAD' ? 'GET' : method);
    if (route === undefined) return new MethodNotAllowed(method, toAllowed(pattern));
    return { route, parameters };
  }

  /** The methods of a path, in the format of the header `Allow`. */
  allowed(path: string): string {
    const known = this.#findPattern(path);
    return known === null ? '' : toAllowed(known.pattern);
  }

  #findPattern(path: string): { pattern: Pattern<R>; parameters: Record<string, string> } | null {
    const pattern = this.#fixed.get(path);
    if (pattern !== undefined) return { pattern, parameters: {} };
    if (!this.#firsts.has(toFirst(path))) return null;
    const segments = path.split('/');
    for (const candidate of this.#open[segments.length] ?? []) {
      const parameters = match(candidate.segments, segments);
      if (parameters !== null) return { pattern: candidate, parameters };
    }
    return null;
  }
}

/** `/a/b/c` → `/a`. */
function toFirst(path: string): string {
  const end = path.indexOf('/', 1);
  return end === -1 ? path : path.slice(0, end);
}

export function routeNotFound(): Refusal {
  return new Refusal('RouteNotFound', 'There is nothing at this address.', {
    hint: 'Paths begin with /v1/contentmanagement; /openapi.json describes them all.',
  });
}

export function answerUnavailable(route: Route): Answer {
  if (route.action === null && route.answerUnavailable !== undefined) return route.answerUnavailable();
  throw new Refusal('InternalError', 'This environment is not available.', { retryAfterSeconds: 5 });
}

function toAllowed<R extends Route>({ methods }: Pattern<R>): string {
  return [...methods.keys()].flatMap((known) => (known === 'GET' ? ['GET', 'HEAD'] : [known])).join(', ');
}

function match(pattern: readonly string[], segments: readonly string[]): Record<string, string> | null {
  const parameters: Record<string, string> = {};
  for (let index = 0; index < pattern.length; index += 1) {
    const expected = pattern[index] as string;
    const actual = segments[index] as string;
    if (expected === actual) continue;
    if (actual === '' || !expected.startsWith('{')) return null;
    parameters[expected.slice(1, -1)] = decodeSegment(actual);
  }
  return parameters;
}

/** A segment that is not percent-encoded UTF-8 is left as it is: no id matches it. */
function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
