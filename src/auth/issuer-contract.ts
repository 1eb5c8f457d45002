// What the embedded issuer is given, and what it does for the rest of the service.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Catalog } from '../catalog/catalog.ts';
import type { Clock } from '../runtime/clock.ts';
import type { SharedNumbers } from '../runtime/shared-counters.ts';
import type { AnonymousSessions } from './anonymous-sessions.ts';
import type { Arrival } from './arrival.ts';
import type { Keys } from './keys.ts';

export interface IssuerOptions {
  environment: string;
  /** The public address; clients see it as `iss` and in discovery, whatever `Host` they send. */
  issuer: string;
  /** Null: there is no mutual-TLS address. */
  mutualTlsUrl: string | null;
  audience: string;
  keys: Keys;
  catalog: Catalog;
  sessions: AnonymousSessions;
  buckets: SharedNumbers;
  /** For what we decide; `oidc-provider` itself reads the system's. */
  clock: Clock;
  /** `requestId` is null where no request is to blame. */
  onError: (error: unknown, requestId: string | null) => void;
}

/** A person who is about to sign in to an application. */
export interface PendingSignIn {
  applicationName: string;
  /** Where the browser is sent in the end. */
  redirectUri: string;
}

export interface FinishedSignIn {
  userId: string;
  /** Seconds since 1970. */
  signedInAt: number;
}

export interface Issuer {
  handle(request: IncomingMessage, response: ServerResponse, arrival: Arrival): Promise<void>;
  /** Null: there is none in this browser, or it took too long. */
  findSignIn(request: IncomingMessage, response: ServerResponse): Promise<PendingSignIn | null>;
  /** Returns the address at which the sign-in goes on. */
  finishSignIn(request: IncomingMessage, response: ServerResponse, signedIn: FinishedSignIn): Promise<string>;
}
