// The contract between the listener and the faces behind it. A face is one way of speaking to the service over HTTP: the REST
// API, the issuer, the console's files. It decides which requests are its own, answers them, and renders its refusals. The
// listener asks the faces of an address in turn; the last one answers for everything that the others leave.

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Arrival } from '../auth/arrival.ts';
import type { Refusal } from '../domain/refusal.ts';
import type { RouteLabels } from '../telemetry/request-metrics.ts';
import type { Answer } from './answer.ts';
import type { Body, BodyDigests } from './body.ts';

/** A request that is HTTP, and the response to it. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** From where, and with which certificate. */
  arrival: Arrival;
  requestId: string;
  path: string;
  /** Without the question mark. */
  queryString: string;
  /** The service is shutting down: a face should begin nothing that changes something. */
  isDraining: boolean;
  /** A face that authenticates says here whom it found, for the access log. */
  observation: { actor: string | null };
  /** Begins to read the body: only when everything that headers can decide has been decided. */
  openBody(digests?: BodyDigests): Body;
}

/** What a face has found for a request. A face keeps its own facts beside `route`. */
export interface Match {
  /** How metrics, logs and traces name it: one object per route. Null: as a request without a route. */
  readonly route: RouteLabels | null;
}

export interface Face<Found extends Match = Match> {
  /** Null: the path is not this face's. A refusal: it is, but there is no such method, for instance. `method` may be any token;
   *  `headers` is empty where a request could not be parsed beyond its first line. */
  match(method: string, path: string, headers: IncomingHttpHeaders): Found | Refusal | null;
  /** Null: it has answered on the response itself. What it throws and is no `Refusal` is a fault. */
  handle(exchange: Exchange, found: Found): Promise<Answer | null>;
  /** `found` is null where the request was refused before it was matched, and `request` where there was none. */
  renderRefusal(refusal: Refusal, context: RefusalContext<Found>): Answer;
}

export interface RefusalContext<Found extends Match = Match> {
  requestId: string;
  request: IncomingMessage | null;
  found: Found | null;
}
