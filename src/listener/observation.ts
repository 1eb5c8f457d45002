// Counts every request when it ends and, if configured, logs and traces it: route, status, duration and sizes, but never ids,
// query, headers or any part of a body.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestMetrics, RouteLabels } from '../telemetry/request-metrics.ts';
import type { Span, Tracer } from '../telemetry/tracer.ts';

/** A line of the access log. */
interface AccessLogEntry {
  request: string;
  method: string;
  /** The path pattern of the route; null: unrouted. */
  route: string | null;
  /** Null: the client disconnected before it got an answer. */
  status: number | null;
  ms: number;
  receivedBytes: number;
  sentBytes: number;
  /** Null: the request carried no valid credentials, or needed none. */
  actor: string | null;
  trace: string | null;
}

export interface Observers {
  metrics: RequestMetrics;
  /** Null, here and below: switched off. */
  tracer: Tracer | null;
  onRequestEnd: ((entry: AccessLogEntry) => void) | null;
}

/** One request, from its headers to the end of the answer. */
export class Observation {
  readonly requestId: string;
  readonly span: Span | null;
  route: RouteLabels | null = null;
  actor: string | null = null;
  /** The status of an answer that bypassed Node's own response. */
  earlyStatus: number | null = null;
  readonly #observers: Observers;
  readonly #startedAt = performance.now();

  constructor(observers: Observers, { headers }: IncomingMessage, requestId: string) {
    this.#observers = observers;
    this.requestId = requestId;
    this.span = observers.tracer?.begin(headers.traceparent as string | undefined, 'request') ?? null;
  }

  end(request: IncomingMessage, response: ServerResponse): void {
    const { metrics, onRequestEnd } = this.#observers;
    const status = this.earlyStatus ?? (response.headersSent ? response.statusCode : 0);
    const ms = performance.now() - this.#startedAt;
    if (this.route === null) metrics.countUnrouted(request.method, status);
    else metrics.count(this.route, request.method ?? '', status, ms / 1000);
    if (this.span !== null) this.#endSpan(this.span, request, status);
    onRequestEnd?.(this.#toLogEntry(request, status, ms));
  }

  #endSpan(span: Span, { method = '' }: IncomingMessage, status: number): void {
    const { attributes } = span;
    span.name = this.route === null ? method : `${method} ${this.route.path}`;
    attributes['http.request.method'] = method;
    if (this.route !== null) attributes['http.route'] = this.route.path;
    if (status !== 0) attributes['http.response.status_code'] = status;
    attributes['cabinet.tracking_id'] = this.requestId;
    span.isFailed = status === 0 || status >= 500;
    span.end();
  }

  #toLogEntry(request: IncomingMessage, status: number, ms: number): AccessLogEntry {
    const { receivedBytes, sentBytes } = takeBytes(request.socket);
    return {
      request: this.requestId,
      method: request.method ?? '',
      route: this.route?.path ?? null,
      status: status === 0 ? null : status,
      ms: Math.round(ms * 1000) / 1000,
      receivedBytes,
      sentBytes,
      actor: this.actor,
      trace: this.span?.traceId ?? null,
    };
  }
}

const countedBytes = new WeakMap<Socket, { read: number; written: number }>();

/** The bytes of a connection since its last request ended, headers included. */
function takeBytes(socket: Socket): { receivedBytes: number; sentBytes: number } {
  const before = countedBytes.get(socket);
  const { bytesRead: read, bytesWritten: written } = socket;
  countedBytes.set(socket, { read, written });
  return { receivedBytes: read - (before?.read ?? 0), sentBytes: written - (before?.written ?? 0) };
}

/** The connections of an address, and how many bytes they have carried. */
export class Connections {
  readonly #open = new Set<Socket>();
  #readBefore = 0;
  #writtenBefore = 0;

  add(socket: Socket): void {
    this.#open.add(socket);
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#readBefore += socket.bytesRead;
      this.#writtenBefore += socket.bytesWritten;
    });
  }

  get count(): number {
    return this.#open.size;
  }

  get readBytes(): number {
    return this.#sum(this.#readBefore, 'bytesRead');
  }

  get writtenBytes(): number {
    return this.#sum(this.#writtenBefore, 'bytesWritten');
  }

  #sum(before: number, of: 'bytesRead' | 'bytesWritten'): number {
    let all = before;
    for (const socket of this.#open) all += socket[of];
    return all;
  }
}
