// A command of an operator, what it works on, and who waits for its answer.

import type { Authority } from '../certificates/authority.ts';
import type { EnvironmentName } from '../domain/environment-name.ts';
import type { ApplicationWithSecret } from '../operations/admin/applications.ts';
import type { Environment } from '../server/environment.ts';
import type { StorageConfig } from '../server/storage.ts';

export type Input = Record<string, unknown>;

export interface Command {
  name: string;
  input: Input;
}

/** Whoever waits for the answer to a command. */
export interface Watcher {
  /** Something to tell before it is there. */
  progress(told: object): void;
  /** Nobody waits any more, or the answer is wanted now. */
  signal: AbortSignal;
}

/** Most answers are there at once. */
export const nobody: Watcher = { progress: () => undefined, signal: new AbortController().signal };

/** What commands work on. */
export interface Controlled {
  environment(name: EnvironmentName): Environment;
  reset(name: EnvironmentName): Promise<ApplicationWithSecret>;
  rotateKeys(name: EnvironmentName, isOldRevoked: boolean): Promise<void>;
  /** Our own certificate authority. */
  authority(): Promise<Authority>;
  /** Whether the mutual-TLS address trusts it. */
  hasOwnAuthority: boolean;
  /** Where all environments are kept. */
  dataFolder: string;
  storage: StorageConfig;
  addresses(): { production: string; test: string | null; mutualTls: string | null } | null;
}

export type Commands = Record<string, (controlled: Controlled, input: Input, watcher: Watcher) => Promise<object>>;
