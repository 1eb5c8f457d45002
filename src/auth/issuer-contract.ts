// The interface of the embedded issuer.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Catalog } from '../catalog/catalog.ts';
import type { Clock } from '../runtime/clock.ts';
import type { SharedNumbers } from '../runtime/shared-counters.ts';
import type { AnonymousSessions } from './anonymous-sessions.ts';
import type { Arrival } from './arrival.ts';
import type { Device } from './device-pages.ts';
import type { IdTokenAlgorithm } from './id-token-algorithms.ts';
import type { PromptName } from './interaction-policy.ts';
import type { Keys } from './keys.ts';

export interface IssuerOptions {
  environment: string;
  /** The public address; clients see it as `iss` and in discovery, whatever `Host` they send. */
  issuer: string;
  /** Null when there is no mutual-TLS address. */
  mutualTlsUrl: string | null;
  audience: string;
  mcpAudience: string;
  /** The addresses of the MCP endpoint, which clients name as the resource; none where it is switched off. */
  mcpResources: readonly string[];
  keys: Keys;
  idTokenAlgorithm: IdTokenAlgorithm;
  catalog: Catalog;
  sessions: AnonymousSessions;
  buckets: SharedNumbers;
  /** For our own decisions; `oidc-provider` uses the system's clock. */
  clock: Clock;
  /** `requestId` is null for errors outside a request. */
  onError: (error: unknown, requestId: string | null) => void;
}

/** A question to a person on the way to an application. */
export interface Interaction {
  /** Names the sign-in that was begun, in this browser. */
  uid: string;
  prompt: PromptName;
  /** Of the application. */
  appKey: string;
  applicationName: string;
  /** Where the browser is redirected in the end. Null: nowhere, the device goes on by itself. */
  redirectUri: string | null;
  /** What asks, where it is not this browser. */
  device: Device | null;
  /** The scopes that the application asks for and may have. */
  scopes: readonly string[];
  /** The person who is signed in in this browser. Null: nobody. */
  user: { id: string; name: string } | null;
}

/** The person's answer. */
export type InteractionAnswer =
  /** `signedInAt`: seconds since 1970. `methods`: how the person proved who they are (RFC 8176). */
  | { kind: 'signedIn'; userId: string; signedInAt: number; methods: readonly string[] }
  | { kind: 'sameAccount' }
  | { kind: 'allowed' | 'denied' };

export interface Issuer {
  /** The `url` of the request is without the path of the public address. */
  handle(request: IncomingMessage, response: ServerResponse, arrival: Arrival): Promise<void>;
  /** Null when this browser has none, or it has expired. */
  findInteraction(request: IncomingMessage, response: ServerResponse): Promise<Interaction | null>;
  /** Returns the address at which the sign-in continues. */
  finishInteraction(request: IncomingMessage, response: ServerResponse, answer: InteractionAnswer): Promise<string>;
}
