// One address: its listener, its limits, and the way of every request through it. Headers decide first; a refusal that
// needs no body is sent before one is read. Everything is answered, also what is not HTTP.

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import type { Arrival } from '../auth/arrival.ts';
import type { MutualTls } from '../certificates/mutual-tls.ts';
import type { Peers } from '../certificates/peers.ts';
import type { Caller } from '../domain/caller.ts';
import { Fault } from '../domain/fault.ts';
import { authorize } from '../domain/permission.ts';
import { Refusal } from '../domain/refusal.ts';
import { storageFull } from '../operations/save-file.ts';
import {
  type Answer,
  endIfStalled,
  internalError,
  MethodNotAllowed,
  send,
  toAnswer,
  toStatus,
} from '../rest/answer.ts';
import { allowOrigin, answerPreflight, isPreflight } from '../rest/cors.ts';
import { checkSingleHeaders } from '../rest/parameters.ts';
import type { Exchange, Found } from '../rest/route.ts';
import { answerUnserved, Router, routeNotFound } from '../rest/route.ts';
import { routes } from '../rest/routes.ts';
import type { Served } from '../rest/served.ts';
import type { Clock } from '../runtime/clock.ts';
import { Buckets, toLimitedAddress } from '../runtime/rate-limits.ts';
import type { Shared } from '../runtime/shared-counters.ts';
import { Aborted, Body, Pace } from './body.ts';
import { refuseSocket, sendEarly } from './early.ts';
import { createServer as createHttpServer } from './node-http.ts';
import { Connections, Observation, type Observers } from './observation.ts';
import { shuttingDown, storageUnavailable } from './refusals.ts';
import { checkHttp, isExpecting, malformed, maxHeaderBytes, readMethod, readRequestId, readTarget } from './request.ts';
import { RequestArrival } from './request-arrival.ts';
import { toServerOptions } from './tls.ts';
import { isUnused, toUnread, type Unread, type UnreadError } from './unread.ts';

const headersTimeoutMs = 10_000;
const keepAliveTimeoutMs = 65_000;
const lookAtConnectionsMs = 2_000;
const drainMs = 30_000;
const closeIdleEveryMs = 100;
/** Requests to the token endpoint are small; one that is not whole after this long never will be. */
const smallRequestMs = 30_000;
/** Whoever sends more requests on one connection without reading an answer means no good. */
const mostPipelined = 100;
const strictTransport = 'max-age=31536000';
/** What was looked up is looked up again after this long. */
const renewAfterMs = 500;
const longestPageQuery = 4096;
/** For what the issuer sends by itself; our own pages bring stricter ones. */
const pageHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
};

export interface ListenOptions {
  clock: Clock;
  host: string;
  port: number;
  tls: SecureContextOptions | null;
  /** A session that one thread has begun can be gone on with in another. */
  ticketKeys: Buffer;
  /** Set for the mutual-TLS address. */
  mutualTls: MutualTls | null;
  /** Proxies that are believed when they say who asks. */
  proxies: Peers;
  maxConnections: number;
  maxConnectionsPerPeer: number;
  /** Whether several threads listen on the same address. */
  isPortShared: boolean;
  /** The address, in the names of what is limited. */
  name: string;
  shared: Shared;
  corsOrigins: ReadonlySet<string>;
  observers: Observers;
  onFault: (fault: unknown, requestId: string) => void;
}

/** `null` while the environment behind the address is being opened, emptied or has failed. */
export type Lookup = () => Served | null;

export interface Listener {
  url: string;
  /** A new certificate, for connections from now on. */
  setTls(tls: SecureContextOptions): void;
  /** Stops accepting, lets what is in flight finish, refuses new saves on connections that stay. */
  drain(): Promise<void>;
}

const router = new Router(routes);

export async function listen(options: ListenOptions, lookup: Lookup): Promise<Listener> {
  const door = new Door(options, lookup);
  await new Promise<void>((resolve, reject) => {
    door.server.once('error', reject);
    const { port, host, isPortShared } = options;
    door.server.listen({ port, host, reusePort: isPortShared }, () => resolve());
  });
  const { port } = door.server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    url: `${options.tls === null ? 'http' : 'https'}://${host}:${port}`,
    setTls: (tls) =>
      (door.server as HttpsServer).setSecureContext(
        toServerOptions(tls, options.ticketKeys, options.mutualTls !== null),
      ),
    drain: () => door.drain(),
  };
}

class Door {
  readonly server: Server;
  readonly #options: ListenOptions;
  readonly #lookup: Lookup;
  readonly #pace: Pace;
  readonly #connections = new Connections();
  /** Pages of sign-ins, by address. */
  readonly #pages: Buckets;
  /** How many responses each connection is owed, and the last of them. */
  readonly #turns = new Map<Socket, { count: number; last: ServerResponse }>();
  /** Responses that are not finished. */
  readonly #open = new Set<ServerResponse>();
  #isDraining = false;

  constructor(options: ListenOptions, lookup: Lookup) {
    this.#options = options;
    this.#lookup = lookup;
    const { name, shared, clock } = options;
    this.#pace = new Pace(clock);
    this.#pages = new Buckets({ name: `${name} pages`, burst: 300, perSecond: 5 }, shared.buckets, clock);
    const settings = {
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: headersTimeoutMs,
      // Node's own limit on the whole request would cut every long upload; `Pace` watches progress instead.
      requestTimeout: 0,
      keepAliveTimeout: keepAliveTimeoutMs,
      connectionsCheckingInterval: lookAtConnectionsMs,
      noDelay: true,
      // Checked by ourselves, so that this refusal looks like every other.
      requireHostHeader: false,
    };
    const { tls, ticketKeys, mutualTls } = options;
    const secured = tls === null ? null : toServerOptions(tls, ticketKeys, mutualTls !== null);
    this.server = secured === null ? createHttpServer(settings) : createHttpsServer({ ...settings, ...secured });
    this.server.on('request', (request, response) => void this.#handle(request, response));
    this.server.on('checkContinue', (request, response) => void this.#handle(request, response));
    this.server.on('checkExpectation', (request, response) => void this.#handle(request, response));
    this.server.on('clientError', (error: UnreadError, socket: Socket) => {
      if (error.code === 'ECONNRESET' || isUnused(error, socket)) socket.destroy();
      else this.#refuseSocket(socket, toUnread(error, socket, router, mutualTls !== null));
    });
    this.server.on('connect', (request: IncomingMessage, socket: Socket) => {
      const refusal = new MethodNotAllowed('CONNECT', 'GET, POST');
      this.#refuseSocket(socket, { refusal, requestId: readRequestId(request) });
    });
    this.server.on('connection', (socket: Socket) => this.#countPeer(socket));
    options.observers.metrics.watch({
      openRequests: () => this.#open.size,
      openConnections: () => this.#connections.count,
      receivedBytes: () => this.#connections.readBytes,
      sentBytes: () => this.#connections.writtenBytes,
    });
    if (mutualTls !== null) this.server.on('secureConnection', (socket: Socket) => mutualTls.greet(socket));
  }

  #refuseSocket(socket: Socket, unread: Unread): void {
    this.#options.observers.metrics.countUnrouted(undefined, toStatus(unread.refusal.code));
    refuseSocket(socket, unread, { pending: this.#lastPending(socket), clock: this.#options.clock });
  }

  /** The last response that is still owed on this socket to a request that arrived whole. */
  #lastPending(socket: Socket): ServerResponse | undefined {
    return [...this.#open].findLast(({ req }) => req.socket === socket && req.complete);
  }

  #countPeer(socket: Socket): void {
    const { name, shared, maxConnections, maxConnectionsPerPeer } = this.#options;
    const { counts } = shared;
    const all = `${name} connections`;
    const ofPeer = `${all} ${socket.remoteAddress ?? ''}`;
    if (!counts.take(all, maxConnections)) {
      socket.destroy();
      return;
    }
    if (!counts.take(ofPeer, maxConnectionsPerPeer)) {
      counts.giveBack(all);
      socket.destroy();
      return;
    }
    this.#connections.add(socket);
    socket.once('close', () => {
      counts.giveBack(ofPeer);
      counts.giveBack(all);
    });
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { observers } = this.#options;
    const observation = new Observation(observers, request, readRequestId(request));
    // Without a listener an error of a cut request would end the process.
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    this.#open.add(response);
    response.once('close', () => {
      this.#open.delete(response);
      this.#leaveTurn(request.socket);
      observation.end(request, response);
    });
    const turn = this.#takeTurn(request, response);
    if (turn !== null) {
      await turn;
      if (request.socket.destroyed) {
        // A response that never had the socket does not notice that it is gone; the next in turn waits for it.
        response.emit('close');
        return;
      }
    }
    if (this.#isDraining) response.setHeader('Connection', 'close');
    if (this.#options.tls !== null) response.setHeader('Strict-Transport-Security', strictTransport);
    const respond = () => this.#respond(request, response, observation);
    if (observation.span === null) await respond();
    else await observers.tracer?.within(observation.span, respond);
  }

  /** Requests that one connection sends without waiting for answers are answered one at a time: what the second one opens
   *  is not held while the first one's answer is on its way. Null: it is its turn. */
  #takeTurn({ socket }: IncomingMessage, response: ServerResponse): Promise<void> | null {
    const turns = this.#turns.get(socket) ?? { count: 0, last: response };
    const before = turns.count === 0 ? null : turns.last;
    this.#turns.set(socket, { count: turns.count + 1, last: response });
    if (before === null) return null;
    if (turns.count >= mostPipelined) socket.destroy();
    if (before.closed || socket.destroyed) return Promise.resolve();
    return new Promise((resolve) => before.once('close', () => resolve()));
  }

  #leaveTurn(socket: Socket): void {
    const turns = this.#turns.get(socket);
    if (turns === undefined) return;
    turns.count -= 1;
    if (turns.count === 0) this.#turns.delete(socket);
  }

  async #respond(request: IncomingMessage, response: ServerResponse, observation: Observation): Promise<void> {
    try {
      const answer = await this.#answer(request, response, observation);
      if (answer === null) return;
      Object.assign(answer.headers, this.#toCommonHeaders(request, observation));
      await send(response, answer, observation.requestId);
    } catch (error) {
      this.#refuse(error, request, response, observation);
    }
  }

  #toCommonHeaders(request: IncomingMessage, { route }: Observation): Record<string, string> {
    const { tls, corsOrigins } = this.#options;
    const strict = tls !== null && { 'Strict-Transport-Security': strictTransport };
    return { ...route?.toHeaders?.(request), ...strict, ...allowOrigin(corsOrigins, request) };
  }

  async #answer(request: IncomingMessage, response: ServerResponse, observation: Observation): Promise<Answer | null> {
    const { requestId } = observation;
    const served = this.#lookup();
    const { path, query } = readTarget(request, served?.publicUrl);
    checkHttp(request);
    if (isPreflight(this.#options.corsOrigins, request)) return answerPreflight();
    const { route, parameters }: Found = router.find(readMethod(request, path), path);
    if (route.isForPeople && this.#options.mutualTls !== null) throw routeNotFound();
    observation.route = route;
    checkSingleHeaders(request);
    if (served === null) return answerUnserved(route);
    const arrival = new RequestArrival(request, this.#options);
    if (route.isForPeople && !route.isUnlimited) this.#guardPages(arrival, query, served);
    if (route.action === 'foreign') {
      response.setHeader('requesttrackingid', requestId);
      await this.#issue(served, request, response, arrival);
      return null;
    }
    // As it is served now: keys may have changed while a long body was read.
    const authenticate = () =>
      (this.#lookup() ?? served).authenticator.authenticate({
        authorization: request.headers.authorization,
        appKey: request.headers.appkey as string | undefined,
        spaceId: request.headers.spaceid as string | undefined,
        arrival,
        requestId,
      });
    const { clock } = this.#options;
    const arrivedAt = clock.monotonic();
    let caller: Caller;
    const exchange: Exchange = {
      request,
      response,
      arrival,
      requestId,
      parameters,
      query: () => new URLSearchParams(query),
      allowed: () => router.allowed(path),
      renewCaller: async () => (clock.monotonic() - arrivedAt < renewAfterMs ? caller : await authenticate()),
      openBody: (digests = { sha256: null, md5: null }) => new Body(request, response, this.#pace, digests),
    };
    if (route.action === null) return await route.handle(served, exchange);
    caller = await authenticate();
    observation.actor = caller.actor;
    served.cabinet.quotas.countRequest(caller);
    // Every operation asks this itself; asked here too, it comes before anything is said about parameters.
    authorize(caller, route.action);
    if (this.#isDraining && route.action !== 'read' && route.method !== 'GET') throw shuttingDown();
    const answer = await route.handle(served, exchange, caller);
    if (route.action === 'manage' && route.method !== 'GET') await served.onManaged();
    return answer;
  }

  /** Hands a request over to the issuer, which answers by itself. */
  async #issue(
    { issuer }: Served,
    request: IncomingMessage,
    response: ServerResponse,
    arrival: Arrival,
  ): Promise<void> {
    if (issuer === null) throw routeNotFound();
    const headers = { ...pageHeaders, ...allowOrigin(this.#options.corsOrigins, request) };
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if (isExpecting(request)) response.writeContinue();
    endUnlessComplete(request, this.#options.clock);
    endIfStalled(response);
    await issuer.handle(request, response, arrival);
  }

  /** Anyone can open the pages of a sign-in, and what is begun there is remembered: not too often, not too much of it,
   *  and not when the disk is full. */
  #guardPages({ address }: Arrival, query: string, { cabinet }: Served): void {
    const place = toLimitedAddress(address);
    const retryAfterSeconds = this.#pages.waitSeconds(place);
    if (retryAfterSeconds > 0) {
      throw new Refusal('TooManyRequests', 'Too many pages were asked for.', { retryAfterSeconds });
    }
    this.#pages.take(place);
    if (query.length > longestPageQuery) throw malformed(`The query has more than ${longestPageQuery} characters.`);
    if (cabinet.freeBytes() <= cabinet.limits.reserveBytes) throw storageFull();
  }

  #refuse(error: unknown, request: IncomingMessage, response: ServerResponse, observation: Observation): void {
    const { requestId } = observation;
    if (error instanceof Aborted) {
      request.socket.destroy();
      return;
    }
    const refusal = this.#toRefusal(error, requestId);
    // Part of another answer is on its way already: the only honest end is a broken connection.
    if (response.headersSent) {
      request.socket.destroy();
      return;
    }
    const answer = toAnswer(refusal, requestId);
    Object.assign(answer.headers, this.#toCommonHeaders(request, observation));
    observation.earlyStatus = answer.status;
    sendEarly(request, response, answer, { trackingId: requestId, clock: this.#options.clock });
  }

  #toRefusal(error: unknown, requestId: string): Refusal {
    if (error instanceof Refusal) return error;
    this.#options.onFault(error, requestId);
    if (!(error instanceof Fault)) return internalError();
    if (error.kind === 'full') return storageFull();
    return error.kind === 'unavailable' ? storageUnavailable() : internalError();
  }

  async drain(): Promise<void> {
    this.#isDraining = true;
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const response of this.#open) {
      if (!response.headersSent) response.setHeader('Connection', 'close');
    }
    this.server.closeIdleConnections();
    const { clock } = this.#options;
    const idle = clock.every(closeIdleEveryMs, () => this.server.closeIdleConnections());
    const timer = clock.after(drainMs, () => this.server.closeAllConnections());
    await closed;
    idle.cancel();
    timer.cancel();
    this.#pace.close();
  }
}

function endUnlessComplete(request: IncomingMessage, clock: Clock): void {
  const timer = clock.after(smallRequestMs, () => {
    if (!request.complete) request.socket.destroy();
  });
  request.once('close', () => timer.cancel());
}
