// One environment as an address serves it: everything that routes are given.

import type { Authenticator } from '../auth/authenticate.ts';
import type { Issuer } from '../auth/issuer-contract.ts';
import type { Cabinet } from '../operations/cabinet.ts';
import type { ConsoleFiles } from './console-files.ts';
import type { Slots } from './slots.ts';

export interface Served {
  cabinet: Cabinet;
  authenticator: Authenticator;
  /** Serves the token endpoint and what belongs to it; null: tokens come from outside issuers only. */
  issuer: Issuer | null;
  /** What clients see as the address, without a slash at the end. */
  publicUrl: string;
  cursorKey: string;
  /** Whether new work is taken. */
  isReady(): boolean;
  /** Something was managed: whoever asks from now on finds it so, also in other threads. */
  onManaged(): Promise<void>;
  largeBodies: Slots;
  batches: Slots;
  archives: Slots;
  /** The first seals links, all of them open some. */
  linkKeys: readonly Buffer[];
  metrics: ServedMetrics;
  console: ConsoleFiles;
  inForce: InForce;
}

/** Who may read: whoever shows the token; peers on this machine; anyone; nobody. */
export type MetricsAccess = { token: string } | 'loopback' | 'open' | 'off';

/** The metrics of an address. */
export interface ServedMetrics {
  access: MetricsAccess;
  render(): Promise<string>;
}

export interface InForce {
  environment: string;
  version: string;
  startedAt: number;
  /** Secrets are hidden before they come here. */
  settings: readonly { name: string; value: string; about: string; isDefault: boolean }[];
}
