// What a route is, and how a request finds it. The table of routes is plain data, so that tests and the OpenAPI
// description can walk it.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Arrival } from '../auth/arrival.ts';
import type { Caller } from '../domain/caller.ts';
import type { Action } from '../domain/permission.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Body, BodyDigests } from '../listener/body.ts';
import { type Answer, MethodNotAllowed } from './answer.ts';
import type { Description } from './openapi.ts';
import type { Served } from './served.ts';

export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  arrival: Arrival;
  requestId: string;
  parameters: Record<string, string>;
  query(): URLSearchParams;
  /** The methods that the path has, as `Allow` tells them. */
  allowed(): string;
  /** The caller as of now: someone whose rights were taken away while a long body was read has them no more. */
  renewCaller(): Promise<Caller>;
  /** Begins to read: only when everything that headers can decide has been decided. */
  openBody(digests?: BodyDigests): Body;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';

interface Path {
  method: Method;
  /** `/a/{b}`; a name in braces stands for one segment. */
  path: string;
  /** People's browsers use it; it is not there on the mutual-TLS address. */
  isForPeople?: boolean;
  /** Opening it leaves nothing behind, so anyone may as often as they like. */
  isUnlimited?: boolean;
  /** Headers of every answer, also of refusals before the route is asked. */
  toHeaders?(request: IncomingMessage): Record<string, string>;
  /** The OpenAPI operation. */
  describe: Description;
}

export interface CallerRoute extends Path {
  action: Action;
  handle(served: Served, exchange: Exchange, caller: Caller): Promise<Answer>;
}

/** Needs no credentials. */
export interface OpenRoute extends Path {
  action: null;
  handle(served: Served, exchange: Exchange): Promise<Answer>;
  /** While the environment behind the address is being opened, emptied or has failed; else that is refused. */
  answerUnserved?(): Answer;
}

/** Answers by itself, by the rules of another standard. */
export interface ForeignRoute extends Path {
  action: 'foreign';
}

export type Route = CallerRoute | OpenRoute | ForeignRoute;

export interface Found {
  route: Route;
  parameters: Record<string, string>;
}

interface Pattern {
  segments: string[];
  methods: Map<string, Route>;
}

export class Router {
  readonly #fixed = new Map<string, Pattern>();
  readonly #open: Pattern[] = [];

  constructor(routes: readonly Route[]) {
    for (const route of routes) this.#patternFor(route.path).methods.set(route.method, route);
  }

  #patternFor(path: string): Pattern {
    const segments = path.split('/');
    const known = this.#fixed.get(path) ?? this.#open.find((pattern) => pattern.segments.join('/') === path);
    if (known !== undefined) return known;
    const pattern = { segments, methods: new Map<string, Route>() };
    if (path.includes('{')) this.#open.push(pattern);
    else this.#fixed.set(path, pattern);
    return pattern;
  }

  /** Refuses `RouteNotFound`, or `MethodNotAllowed` naming the methods that the path has. */
  find(method: string, path: string): Found {
    const { pattern, parameters } = this.#findPattern(path);
    const route = pattern.methods.get(method === 'HEAD' ? 'GET' : method);
    if (route === undefined) throw new MethodNotAllowed(method, toAllowed(pattern));
    return { route, parameters };
  }

  /** The methods that a path has, as `Allow` tells them. */
  allowed(path: string): string {
    return toAllowed(this.#findPattern(path).pattern);
  }

  #findPattern(path: string): { pattern: Pattern; parameters: Record<string, string> } {
    const pattern = this.#fixed.get(path);
    if (pattern !== undefined) return { pattern, parameters: {} };
    const segments = path.split('/');
    for (const candidate of this.#open) {
      const parameters = match(candidate.segments, segments);
      if (parameters !== null) return { pattern: candidate, parameters };
    }
    throw routeNotFound();
  }

  /** Of a method that no path has. */
  refuse(method: string, path: string): Refusal {
    try {
      this.find(method, path);
    } catch (error) {
      if (error instanceof Refusal) return error;
    }
    return routeNotFound();
  }
}

export function routeNotFound(): Refusal {
  return new Refusal('RouteNotFound', 'There is nothing at this address.', {
    hint: 'Paths begin with /v1/contentmanagement; /openapi.json describes them all.',
  });
}

export function answerUnserved(route: Route): Answer {
  if (route.action === null && route.answerUnserved !== undefined) return route.answerUnserved();
  throw new Refusal('InternalError', 'This environment is not available.', { retryAfterSeconds: 5 });
}

function toAllowed({ methods }: Pattern): string {
  return [...methods.keys()].flatMap((known) => (known === 'GET' ? ['GET', 'HEAD'] : [known])).join(', ');
}

function match(pattern: readonly string[], segments: readonly string[]): Record<string, string> | null {
  if (pattern.length !== segments.length) return null;
  const parameters: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const actual = segments[index] as string;
    if (expected.startsWith('{')) {
      if (actual === '') return null;
      parameters[expected.slice(1, -1)] = decodeSegment(actual);
    } else if (expected !== actual) return null;
  }
  return parameters;
}

/** A segment that is not percent-encoded UTF-8 stays as it is: it names nothing. */
function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
