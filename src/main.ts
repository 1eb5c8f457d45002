// The composition root: `start(config)` puts the parts together and returns a listening service. Parts are closed in the
// reverse order of this list, whether the service was stopped or could not start.

import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { pino } from 'pino';
import { keepAnonymousSessions } from './auth/anonymous-sessions.ts';
import type { Config } from './config/config.ts';
import { ControlSocket } from './control/socket.ts';
import type { EnvironmentName } from './domain/environment-name.ts';
import type { Fault } from './domain/fault.ts';
import { type Clock, systemClock } from './runtime/clock.ts';
import { waitForFolder } from './runtime/folder-lock.ts';
import { openShared } from './runtime/shared-counters.ts';
import { openOwnAuthority } from './server/addresses.ts';
import { checkConverter } from './server/converter-check.ts';
import { checkDisk } from './server/disk-check.ts';
import { Environments } from './server/environments.ts';
import type { InitialAccounts } from './server/initial-accounts.ts';
import { Observability } from './server/observability.ts';
import { Serving } from './server/serving.ts';

/** As TLS of Node wants them. */
const ticketKeyBytes = 48;

export interface Service {
  production: string;
  /** Null when the test environment is switched off. */
  test: string | null;
  /** Null when the mutual-TLS address is switched off. */
  mutualTls: string | null;
  hasOwnIssuer: boolean;
  /** Created where an environment was empty; their secrets are shown nowhere else. */
  initialAccounts: readonly InitialAccounts[];
  /** Where people open the console. */
  consoles: { environment: EnvironmentName; url: string }[];
  close(): Promise<void>;
}

export interface StartOptions {
  /** Other processes read it when they find the data folder in use. */
  command?: string;
  /** Whether an empty environment gets its first application and person; then someone must be shown their secrets. */
  hasInitialAccounts?: boolean;
  /** Whether people sign in to the console. */
  hasConsole?: boolean;
  /** An environment can no longer keep its promises. The other one goes on. */
  onFatal?: (environment: EnvironmentName, fault: Fault) => void;
  /** For tests that move it. Threads keep the system's. */
  clock?: Clock;
}

export async function start(config: Config, options: StartOptions = {}): Promise<Service> {
  const { clock = systemClock, hasInitialAccounts = false, hasConsole = false, onFatal = () => undefined } = options;
  const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }));
  await using parts = new AsyncDisposableStack();

  mkdirSync(config.dataFolder, { recursive: true, mode: 0o700 });
  parts.adopt(await waitForFolder(config.dataFolder, options.command), (lock) => lock.release());
  checkDisk(config, (details, message) => log.warn(details, message));
  await checkConverter(config.officeConverter, log);
  const observability = parts.adopt(new Observability(config, log, clock), (part) => part.close());

  const servingOptions = {
    config,
    log,
    clock,
    observability,
    shared: openShared(),
    ticketKeys: randomBytes(ticketKeyBytes),
    sessions: { production: keepAnonymousSessions(clock), test: keepAnonymousSessions(clock) },
    startedAt: clock.now(),
    onAdminChange: (name: EnvironmentName) => environments.invalidate(name),
    renderMetrics: (name: EnvironmentName) => environments.renderMetrics(name),
  };
  const serving = new Serving(servingOptions);
  const environments: Environments = parts.adopt(
    new Environments({ ...servingOptions, serving, hasInitialAccounts, hasConsole, onFatal }),
    (part) => part.close(),
  );
  const control = parts.adopt(
    new ControlSocket(config, {
      environment: (name) => environments.require(name),
      reset: (name) => environments.empty(name),
      rotateKeys: (name, isOldRevoked) => environments.rotateKeys(name, isOldRevoked),
      authority: () => openOwnAuthority(config, clock),
      hasOwnAuthority: config.mutualTls.caPath === null,
      dataFolder: config.dataFolder,
      storage: config,
      publicUrlOf: (name) => serving.publicUrlOf(name),
      addresses: () => ({ ...serving.urls, production: serving.urls.production ?? '' }),
    }),
    (part) => part.close(),
  );
  let isOpen = false;
  parts.defer(async () => {
    environments.beginClosing();
    // Load balancers see that it is not ready, and send nothing more, before it stops accepting connections.
    if (isOpen) await clock.sleep(config.drainSeconds * 1000);
    await environments.drain();
  });

  await environments.open();
  await control.listen();
  environments.startJobs();
  isOpen = true;

  const running = parts.move();
  return {
    production: serving.urls.production ?? '',
    test: serving.urls.test,
    mutualTls: serving.urls.mutualTls,
    hasOwnIssuer: config.isOwnIssuer,
    initialAccounts: environments.initialAccounts,
    consoles: serving.consoles,
    close: () => running.disposeAsync(),
  };
}
