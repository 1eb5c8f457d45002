// One address: its sockets, TLS, limits and draining, and the dispatch of each request to a face. All input is answered, even
// if it is not HTTP. The listener knows no routes, no JSON and no credentials.

import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import type { MutualTls } from '../certificates/mutual-tls.ts';
import type { Peers } from '../certificates/peers.ts';
import { withoutBasePath } from '../domain/public-url.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Shared } from '../runtime/shared-counters.ts';
import { type Answer, send } from './answer.ts';
import { Aborted, Body, ProgressMonitor } from './body.ts';
import { refuseSocket, sendEarly } from './early.ts';
import type { Exchange, Face, Match } from './face.ts';
import { isUnused, type MalformedInput, type ParserError, toMalformedInput } from './malformed-input.ts';
import { createServer as createHttpServer } from './node-http.ts';
import { Connections, Observation, type Observers } from './observation.ts';
import { Pipeline } from './pipeline.ts';
import { MethodNotAllowed, toRefusal } from './refusals.ts';
import { checkHttp, maxHeaderBytes, readRequestId, readTarget } from './request.ts';
import { RequestArrival } from './request-arrival.ts';
import { toServerOptions } from './tls.ts';

const headersTimeoutMs = 10_000;
const keepAliveTimeoutMs = 65_000;
const checkConnectionsMs = 2_000;
const drainMs = 30_000;
const closeIdleEveryMs = 100;

export interface ListenOptions {
  clock: Clock;
  host: string;
  port: number;
  tls: SecureContextOptions | null;
  /** `Strict-Transport-Security`, with TLS. */
  strictTransport: string;
  /** Shared by all threads, so that a TLS session can be resumed in another one. */
  ticketKeys: Buffer;
  /** Set for the mutual-TLS address. */
  mutualTls: MutualTls | null;
  /** Trusted proxies, whose forwarding headers name the client. */
  proxies: Peers;
  maxConnections: number;
  maxConnectionsPerPeer: number;
  /** Whether several threads listen on the same address. */
  isPortShared: boolean;
  /** Names the address in the counters that all threads share. */
  name: string;
  shared: Shared;
  observers: Observers;
  /** Tried in order; the last one handles everything that the others leave. */
  faces: readonly Face[];
  /** The address as clients see it. Undefined: taken from `Host`. */
  publicUrl: () => string | undefined;
  /** The path of that address, such as `/cabinet`. A proxy may pass it on or strip it; both are understood. */
  basePath: string;
  /** Headers to add to every answer to this request. */
  toExtraHeaders: (request: IncomingMessage) => Record<string, string>;
  onFault: (fault: unknown, requestId: string) => void;
}

export interface Listener {
  url: string;
  /** A new certificate, for connections from now on. */
  setTls(tls: SecureContextOptions): void;
  /** Stops accepting, and lets open requests finish. */
  drain(): Promise<void>;
}

export async function listen(options: ListenOptions): Promise<Listener> {
  const listener = new HttpListener(options);
  await new Promise<void>((resolve, reject) => {
    listener.server.once('error', reject);
    const { port, host, isPortShared } = options;
    listener.server.listen({ port, host, reusePort: isPortShared }, () => resolve());
  });
  const { port } = listener.server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    url: `${options.tls === null ? 'http' : 'https'}://${host}:${port}`,
    setTls: (tls) =>
      (listener.server as HttpsServer).setSecureContext(
        toServerOptions(tls, options.ticketKeys, options.mutualTls !== null),
      ),
    drain: () => listener.drain(),
  };
}

/** The face that a request belongs to, and the result of its `match`. */
interface Target {
  face: Face;
  match: Match | Refusal | null;
  /** Without the base path. */
  path: string;
}

class HttpListener {
  readonly server: Server;
  readonly #options: ListenOptions;
  readonly #lastFace: Face;
  readonly #monitor: ProgressMonitor;
  readonly #connections = new Connections();
  readonly #pipeline = new Pipeline();
  /** Responses that are not finished. */
  readonly #open = new Set<ServerResponse>();
  #isDraining = false;

  constructor(options: ListenOptions) {
    this.#options = options;
    this.#lastFace = options.faces.at(-1) as Face;
    this.#monitor = new ProgressMonitor(options.clock);
    this.server = createServer(options);
    this.server.on('request', (request, response) => void this.#handle(request, response));
    this.server.on('checkContinue', (request, response) => void this.#handle(request, response));
    this.server.on('checkExpectation', (request, response) => void this.#handle(request, response));
    this.server.on('clientError', (error: ParserError, socket: Socket) => {
      if (error.code === 'ECONNRESET' || isUnused(error, socket)) socket.destroy();
      else this.#refuseSocket(socket, toMalformedInput(error, socket, options.mutualTls !== null));
    });
    this.server.on('connect', (request: IncomingMessage, socket: Socket) => {
      const refusal = new MethodNotAllowed('CONNECT', 'GET, POST');
      this.#refuseSocket(socket, { refusal, requestId: readRequestId(request), line: null });
    });
    this.server.on('connection', (socket: Socket) => this.#countPeer(socket));
    options.observers.metrics.watch({
      openRequests: () => this.#open.size,
      openConnections: () => this.#connections.count,
      receivedBytes: () => this.#connections.readBytes,
      sentBytes: () => this.#connections.writtenBytes,
    });
    const { mutualTls } = options;
    if (mutualTls !== null) this.server.on('secureConnection', (socket: Socket) => mutualTls.greet(socket));
  }

  #refuseSocket(socket: Socket, { refusal, requestId, line }: MalformedInput): void {
    const { face, match } = line === null ? this.#noTarget() : this.#match(line.method, line.path, {});
    const shown = match instanceof Refusal ? match : refusal;
    const answer = face.renderRefusal(shown, { requestId, request: null, match: null });
    this.#options.observers.metrics.countUnrouted(undefined, answer.status);
    refuseSocket(socket, answer, { requestId, pending: this.#lastPending(socket), clock: this.#options.clock });
  }

  /** The last response that is still pending on this socket, to a request that arrived completely. */
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
    // Without a handler, the error of an aborted request would end the process.
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    this.#open.add(response);
    response.once('close', () => {
      this.#open.delete(response);
      this.#pipeline.leave(request.socket);
      observation.end(request, response);
      if (!request.complete && !request.destroyed) this.#monitor.watchRest(request);
    });
    const earlier = this.#pipeline.enter(request, response);
    if (earlier !== null) {
      await earlier;
      if (request.socket.destroyed) {
        // A response without a socket does not notice that it was closed, and the next one in the queue waits for it.
        response.emit('close');
        return;
      }
    }
    if (this.#isDraining) response.setHeader('Connection', 'close');
    if (this.#options.tls !== null) response.setHeader('Strict-Transport-Security', this.#options.strictTransport);
    const respond = () => this.#respond(request, response, observation);
    if (observation.span === null) await respond();
    else await observers.tracer?.within(observation.span, respond);
  }

  async #respond(request: IncomingMessage, response: ServerResponse, observation: Observation): Promise<void> {
    let target = this.#noTarget();
    try {
      const { path, query } = readTarget(request, this.#options.publicUrl());
      checkHttp(request);
      target = this.#match(request.method ?? '', path, request.headers);
      const { face, match } = target;
      if (match === null || match instanceof Refusal) throw match;
      observation.route = match.route;
      const exchange = this.#toExchange(request, response, { path: target.path, query, observation });
      const answer = await face.handle(exchange, match);
      if (answer === null) return;
      this.#addHeaders(answer, request);
      await send(response, answer, observation.requestId);
    } catch (error) {
      this.#refuse(error, target, { request, response, observation });
    }
  }

  /** A path that begins like the base path can be one of our own, where a proxy has stripped the base path: `/files/{id}` is
   *  a page of the console, whatever the base path is. */
  #match(method: string, path: string, headers: IncomingHttpHeaders): Target {
    const within = withoutBasePath(path, this.#options.basePath);
    if (within === null) return this.#matchFace(method, path, headers);
    const target = this.#matchFace(method, within, headers);
    return isUnknown(target) ? this.#matchFace(method, path, headers) : target;
  }

  #matchFace(method: string, path: string, headers: IncomingHttpHeaders): Target {
    for (const face of this.#options.faces) {
      const match = face.match(method, path, headers);
      if (match !== null) return { face, match, path };
    }
    throw new Error('no face matches the request, not even the last one');
  }

  /** The last face renders the refusal of a request that was not matched yet. */
  #noTarget(): Target {
    return { face: this.#lastFace, match: null, path: '' };
  }

  #toExchange(
    request: IncomingMessage,
    response: ServerResponse,
    { path, query, observation }: { path: string; query: string; observation: Observation },
  ): Exchange {
    return {
      request,
      response,
      arrival: new RequestArrival(request, this.#options),
      requestId: observation.requestId,
      path,
      queryString: query,
      isDraining: this.#isDraining,
      observation,
      openBody: (digests = { sha256: null, md5: null }) => new Body({ request, response }, this.#monitor, digests),
    };
  }

  #addHeaders({ headers }: Answer, request: IncomingMessage): void {
    if (this.#options.tls !== null) headers['Strict-Transport-Security'] = this.#options.strictTransport;
    Object.assign(headers, this.#options.toExtraHeaders(request));
  }

  #refuse(
    error: unknown,
    { face, match }: Target,
    {
      request,
      response,
      observation,
    }: { request: IncomingMessage; response: ServerResponse; observation: Observation },
  ): void {
    const { requestId } = observation;
    if (error instanceof Aborted) {
      request.socket.destroy();
      return;
    }
    if (!(error instanceof Refusal)) this.#options.onFault(error, requestId);
    // Part of another answer was sent already: only a broken connection can say that it failed.
    if (response.headersSent) {
      request.socket.destroy();
      return;
    }
    const refusal = error instanceof Refusal ? error : toRefusal(error);
    const context = { requestId, request, match: match instanceof Refusal ? null : match };
    const answer = face.renderRefusal(refusal, context);
    this.#addHeaders(answer, request);
    observation.earlyStatus = answer.status;
    sendEarly({ request, response }, answer, { requestId, clock: this.#options.clock });
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
    this.#monitor.close();
  }
}

function isUnknown({ match }: Target): boolean {
  return match instanceof Refusal && match.code === 'RouteNotFound';
}

function createServer({ tls, ticketKeys, mutualTls }: ListenOptions): Server {
  const settings = {
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: headersTimeoutMs,
    // Node's limit on the whole request would abort every long upload; `ProgressMonitor` ends stalled ones instead.
    requestTimeout: 0,
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionsCheckingInterval: checkConnectionsMs,
    noDelay: true,
    // Checked in `checkHttp`, so that the refusal is rendered like every other.
    requireHostHeader: false,
  };
  const server =
    tls === null
      ? createHttpServer(settings)
      : createHttpsServer({ ...settings, ...toServerOptions(tls, ticketKeys, mutualTls !== null) });
  // A client may close its side after its request (RFC 9112, section 9.6) and still gets its answer.
  return Object.assign(server, { httpAllowHalfOpen: true });
}
