// One environment as an address serves it: everything that the handlers of the faces need.

import type { Authenticator } from '../auth/authenticate.ts';
import type { Issuer } from '../auth/issuer-contract.ts';
import type { Cabinet } from '../operations/cabinet.ts';
import type { SignInEvent } from '../operations/sign-in.ts';
import type { BodyMemory } from './bodies/body-memory.ts';
import type { ConsoleFiles } from './console-files.ts';
import type { Slots } from './slots.ts';

export interface EnvironmentContext {
  cabinet: Cabinet;
  authenticator: Authenticator;
  /** The token endpoint and its pages. Null: tokens come from external issuers only. */
  issuer: Issuer | null;
  /** All whose tokens are accepted, ours first. */
  issuers: readonly string[];
  /** The address as clients see it, without a slash at the end. */
  publicUrl: string;
  /** The address of pages for people, also where this address has none. */
  pagesUrl: string;
  /** The path of that address, without a slash at the end: `/cabinet`, or empty. */
  basePath: string;
  cursorKey: string;
  /** Whether requests are answered: for load balancers. */
  isReady(): boolean;
  /** Whether what adds bytes is accepted, too: not while the disk has no more than the reserve. */
  isReadyToWrite(): boolean;
  /** Users, applications or settings have changed. Resolves when every thread has seen it. */
  onAdminChange(): Promise<void>;
  /** Somebody has signed in, or tried to: for the log. */
  onSignIn(event: SignInEvent): void;
  /** Work that went on after its answer has failed: for the log. */
  onBackgroundError(error: unknown, request: string): void;
  /** For files as base64 in JSON, and for batches, of more than 1 MiB. */
  largeBodies: Slots;
  bodyMemory: BodyMemory;
  archives: Slots;
  /** For changes of many entries. */
  entryBatches: Slots;
  /** The first encrypts new links; each can decrypt some. */
  linkKeys: readonly Buffer[];
  metrics: MetricsPage;
  console: ConsoleFiles;
  serviceInfo: ServiceInfo;
}

/** Null while the environment is being opened or emptied, or has failed. */
export type ContextLookup = () => EnvironmentContext | null;

/** Who may read the metrics: clients with the token, clients on this machine, anyone, or nobody. */
export type MetricsAccess = { token: string } | 'loopback' | 'open' | 'off';

/** The content of `/metrics`, and who may read it. */
interface MetricsPage {
  access: MetricsAccess;
  render(): Promise<string>;
}

/** What managers see of the running service. */
export interface ServiceInfo {
  environment: string;
  version: string;
  startedAt: number;
  /** A URI; null: none was set. */
  securityContact: string | null;
  /** With secrets hidden. */
  settings: readonly { name: string; value: string; about: string; isDefault: boolean; isForManagers: boolean }[];
}
