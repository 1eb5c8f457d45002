// An operator's command, its context, and the observer that waits for its result.

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

/** Waits for the result of a command. */
export interface CommandObserver {
  /** Whoever reports much waits for what it returns: the reader may be slow. */
  progress(progress: object): void | Promise<void>;
  /** Aborted when nobody waits any more, or when the command should end early. */
  signal: AbortSignal;
}

/** For commands without progress that are not interrupted. */
export const nobody: CommandObserver = { progress: () => undefined, signal: new AbortController().signal };

/** What commands need of the service. */
export interface CommandContext {
  environment(name: EnvironmentName): Environment;
  reset(name: EnvironmentName): Promise<ApplicationWithSecret>;
  rotateKeys(name: EnvironmentName, isOldRevoked: boolean): Promise<void>;
  /** Our own certificate authority. */
  authority(): Promise<Authority>;
  /** Whether the mutual-TLS address trusts it. */
  hasOwnAuthority: boolean;
  /** The folder of all environments. */
  dataFolder: string;
  storage: StorageConfig;
  /** What clients see as the address. While the service is stopped, from the settings. */
  publicUrlOf(name: EnvironmentName): string;
  addresses(): { production: string; test: string | null; mutualTls: string | null } | null;
}

export type Commands = Record<
  string,
  (context: CommandContext, input: Input, observer: CommandObserver) => Promise<object>
>;
