// The contract between the listener and the faces behind it. A face is one protocol or set of pages that the service offers
// over HTTP: the REST API, the issuer, the console's files. It decides which requests are its own, answers them, and renders
// its refusals. The listener tries the faces of an address in order; the last one handles everything that the others leave.

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Arrival } from '../auth/arrival.ts';
import type { Refusal } from '../domain/refusal.ts';
import type { RouteLabels } from '../telemetry/request-metrics.ts';
import type { Answer } from './answer.ts';
import type { Body, BodyDigests } from './body.ts';

/** A well-formed request, and the response to it. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** The client's address and certificate. */
  arrival: Arrival;
  requestId: string;
  /** Without the path of the public address. */
  path: string;
  /** Without the question mark. */
  queryString: string;
  /** The service is shutting down: a face should start no more writes. */
  isDraining: boolean;
  /** A face that authenticates sets the actor here, for the access log. */
  observation: { actor: string | null };
  /** Starts reading the body. Call it after everything that the headers can decide, so that refusals come early. */
  openBody(digests?: BodyDigests): Body;
}

/** What a face has matched a request to. A face may add its own fields. */
export interface Match {
  /** How metrics, logs and traces name the request: one object per route. Null: unrouted. */
  readonly route: RouteLabels | null;
}

export interface Face<M extends Match = Match> {
  /** Null: the path belongs to another face. A refusal: the path is this face's, but the method is not allowed, for example.
   *  `method` may be any token; `headers` is empty where a request could not be parsed beyond its first line. */
  match(method: string, path: string, headers: IncomingHttpHeaders): M | Refusal | null;
  /** Null: the face has written the response itself. Anything thrown that is not a `Refusal` is a fault. */
  handle(exchange: Exchange, match: M): Promise<Answer | null>;
  renderRefusal(refusal: Refusal, context: RefusalContext<M>): Answer;
}

interface RefusalContext<M extends Match> {
  requestId: string;
  /** Null: the input was malformed. */
  request: IncomingMessage | null;
  /** Null: the request was refused before it was matched. */
  match: M | null;
}
