// What an environment needs before anybody can use it: an application and a person where it is empty, and the applications
// that the console and the command line are to the issuer.

import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { EnvironmentName } from '../domain/environment-name.ts';
import { Refusal } from '../domain/refusal.ts';
import {
  type InitialAccounts as Accounts,
  addInitialAccounts as add,
  ensureCommandLine,
  ensureConsole,
} from '../operations/admin/console.ts';
import type { Environment } from './environment.ts';

export interface InitialAccounts extends Accounts {
  environment: EnvironmentName;
  url: string;
}

export interface PrepareOptions {
  config: Config;
  log: Logger;
  url: string;
  /** Whether an empty environment gets its first application and person; then someone must be shown their secrets. */
  hasInitialAccounts: boolean;
  /** Whether people sign in to the console, and by the command line. */
  hasConsole: boolean;
}

/** Returns what was created, with its secrets. */
export async function prepareAccounts(environment: Environment, options: PrepareOptions): Promise<InitialAccounts[]> {
  const { config, log, url, hasInitialAccounts, hasConsole } = options;
  const { name, cabinet } = environment;
  const isEmpty = !(await cabinet.catalog.hasApplications({}));
  const created = hasInitialAccounts && isEmpty ? await addUnlessPresent(environment, url) : [];
  if (hasConsole && config.isOwnIssuer) {
    await ensureConsole(cabinet, url).catch((error) =>
      log.warn({ environment: name, err: error }, 'people cannot sign in to the console'),
    );
    await ensureCommandLine(cabinet);
  }
  return created;
}

export async function addInitialAccounts({ name, cabinet }: Environment, url: string): Promise<InitialAccounts> {
  return { ...(await add(cabinet)), environment: name, url };
}

/** Of several nodes that start together, one creates them. */
async function addUnlessPresent(environment: Environment, url: string): Promise<InitialAccounts[]> {
  try {
    return [await addInitialAccounts(environment, url)];
  } catch (error) {
    if (error instanceof Refusal && error.code === 'NameAlreadyExists') return [];
    throw error;
  }
}
