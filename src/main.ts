// The composition root: `start(config)` puts the parts together and returns a listening service. Parts are closed in the
// reverse order of their opening.

import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { type Logger, pino } from 'pino';
import { type AnonymousSessions, keepAnonymousSessions } from './auth/anonymous-sessions.ts';
import { rotateKeys } from './auth/keys.ts';
import type { Config } from './config/config.ts';
import { serveControl } from './control/socket.ts';
import { type EnvironmentName, environmentNames } from './domain/environment-name.ts';
import type { Fault } from './domain/fault.ts';
import { Refusal } from './domain/refusal.ts';
import { addInitialAccounts, ensureConsole, type InitialAccounts } from './operations/admin/console.ts';
import { type Clock, systemClock } from './runtime/clock.ts';
import { lockFolder } from './runtime/folder-lock.ts';
import { openShared, toBuffers } from './runtime/shared-counters.ts';
import { openOwnAuthority, requireFreePorts } from './server/addresses.ts';
import { checkDisk } from './server/disk.ts';
import { type Environment, emptyEnvironment, openEnvironment } from './server/environment.ts';
import { HttpThreads } from './server/http-threads.ts';
import { toJobs } from './server/jobs.ts';
import { Observability } from './server/observability.ts';
import { Serving } from './server/serving.ts';
import { addUp } from './telemetry/metrics.ts';

/** As TLS of Node wants them. */
const ticketKeyBytes = 48;

export interface FirstApplication extends InitialAccounts {
  environment: EnvironmentName;
  url: string;
}

export interface Service {
  production: string;
  /** Null when the test environment is switched off. */
  test: string | null;
  /** Null when the mutual-TLS address is switched off. */
  mutualTls: string | null;
  hasOwnIssuer: boolean;
  /** Made where an environment was empty; their secrets are told nowhere else. */
  firstApplications: FirstApplication[];
  /** Where people open the console. */
  consoles: { environment: EnvironmentName; url: string }[];
  close(): Promise<void>;
}

export interface StartOptions {
  /** Whether an empty environment gets its first application and person; then someone must be told their secrets. */
  isFirstMade?: boolean;
  /** Whether people sign in to the console. */
  hasConsole?: boolean;
  /** An environment can promise nothing any more. The other one goes on. */
  onFatal?: (environment: EnvironmentName, fault: Fault) => void;
  /** For tests that move it. Threads keep the system's. */
  clock?: Clock;
}

export async function start(config: Config, options: StartOptions = {}): Promise<Service> {
  const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }));
  mkdirSync(config.dataFolder, { recursive: true, mode: 0o700 });
  const lock = lockFolder(config.dataFolder, 'cabinet serve');
  try {
    checkDisk(config, (told, text) => log.warn(told, text));
  } catch (error) {
    lock.release();
    throw error;
  }
  const service = new RunningService(config, log, options);
  try {
    await service.open();
  } catch (error) {
    await service.close();
    lock.release();
    throw error;
  }
  const { production, test, mutualTls, firstApplications, consoles } = service;
  return {
    production,
    test,
    mutualTls,
    hasOwnIssuer: config.isOwnIssuer,
    firstApplications,
    consoles,
    async close() {
      await service.close();
      lock.release();
    },
  };
}

class RunningService {
  readonly firstApplications: FirstApplication[] = [];
  readonly #config: Config;
  readonly #log: Logger;
  readonly #options: StartOptions;
  readonly #environments: Record<EnvironmentName, Environment | null> = { production: null, test: null };
  readonly #shared = openShared();
  readonly #ticketKeys = randomBytes(ticketKeyBytes);
  readonly #clock: Clock;
  readonly #sessions: Record<EnvironmentName, AnonymousSessions>;
  /** What can promise nothing any more. */
  readonly #failed = new Set<EnvironmentName>();
  readonly #startedAt: number;
  #isOpen = false;
  #changing: Promise<unknown> = Promise.resolve();
  #closeControl: (() => Promise<void>) | null = null;
  readonly #observability: Observability;
  readonly #serving: Serving;
  /** Beside the main one; null: there are none yet. */
  #threads: HttpThreads | null = null;

  constructor(config: Config, log: Logger, options: StartOptions) {
    this.#config = config;
    this.#log = log;
    const { clock = systemClock } = options;
    this.#clock = clock;
    this.#startedAt = clock.now();
    this.#sessions = { production: keepAnonymousSessions(clock), test: keepAnonymousSessions(clock) };
    this.#observability = new Observability(config, log, clock);
    this.#options = options;
    this.#serving = new Serving({
      config,
      log,
      observability: this.#observability,
      shared: this.#shared,
      ticketKeys: this.#ticketKeys,
      sessions: this.#sessions,
      startedAt: this.#startedAt,
      clock,
      onManaged: (name) => this.#lookAgain(name),
      renderMetrics: (name) => this.#renderMetrics(name),
    });
  }

  get production(): string {
    return this.#serving.urlOf('production') ?? '';
  }

  get test(): string | null {
    return this.#serving.urlOf('test');
  }

  get mutualTls(): string | null {
    return this.#serving.mutualTlsUrl;
  }

  get consoles(): Service['consoles'] {
    return environmentNames
      .filter((name) => this.#serving.served(name) !== null)
      .map((environment) => ({ environment, url: this.#serving.publicUrlOf(environment) }));
  }

  async open(): Promise<void> {
    if (this.#config.httpThreads > 1) await requireFreePorts(this.#config);
    await this.#serving.listen('production');
    await this.#openPart('production');
    if (this.#config.test.port !== null) {
      await this.#serving.listen('test');
      // The environments share a process, not a fate: without this one its address answers 500, and production serves.
      await this.#openPart('test').catch((error) => this.#tellUnopened(error));
    }
    await this.#startThreads();
    this.#closeControl = await serveControl(this.#config, {
      environment: (name) => this.#requireEnvironment(name),
      reset: (name) => this.#inTurn(() => this.#empty(name)),
      rotateKeys: (name, isOldRevoked) => this.#inTurn(() => this.#rotateKeys(name, isOldRevoked)),
      authority: () => openOwnAuthority(this.#config, this.#clock),
      hasOwnAuthority: this.#config.mutualTls.caPath === null,
      dataFolder: this.#config.dataFolder,
      places: this.#config,
      addresses: () => ({ production: this.production, test: this.test, mutualTls: this.mutualTls }),
    });
    for (const environment of Object.values(this.#environments)) this.#startJobs(environment);
    this.#isOpen = true;
  }

  async #openPart(name: EnvironmentName): Promise<void> {
    const environment = await openEnvironment(this.#config, name, {
      onFatal: (fault) => this.#fail(name, fault),
      onTrouble: (error, job) => this.#log.error({ environment: name, job, err: error }, 'background work failed'),
      observed: { metrics: this.#observability.metrics[name], tracer: this.#observability.tracer },
      shared: this.#shared,
      clock: this.#clock,
    });
    this.#environments[name] = environment;
    this.#failed.delete(name);
    this.#observability.watch(environment, () => this.#serving.served(name));
    environment.cabinet.search.follow();
    this.#serving.serve(environment);
    const isEmpty = !(await environment.cabinet.catalog.hasApplications({}));
    if (this.#options.isFirstMade && isEmpty) this.firstApplications.push(...(await this.#addFirstUnlessThere(name)));
    if (this.#options.hasConsole && this.#config.isOwnIssuer) await this.#ensureConsole(name);
    environment.onNewKeys(() => {
      if (this.#environments[name] === environment && this.#serving.served(name) !== null)
        this.#serving.serve(environment);
    });
    environment.cabinet.quotas.notifyOthers = async () => await this.#threads?.lookAgain(name);
    await this.#openInThreads(environment);
  }

  async #startThreads(): Promise<void> {
    const { httpThreads } = this.#config;
    if (httpThreads === 1) return;
    const urls = { production: this.production, test: this.test, mutualTls: this.mutualTls };
    this.#threads = new HttpThreads({
      count: httpThreads - 1,
      data: {
        config: this.#toOpened(),
        urls,
        shared: toBuffers(this.#shared),
        ticketKeys: this.#ticketKeys,
        startedAt: this.#startedAt,
      },
      sessions: this.#sessions,
      environment: (name) => this.#environments[name],
      onFatal: (name, fault) => this.#fail(name, fault),
      onManaged: (name) => this.#lookAgain(name),
      renderMetrics: (name) => this.#renderMetrics(name),
    });
    for (const environment of Object.values(this.#environments)) {
      if (environment === null) continue;
      const opening = this.#openInThreads(environment);
      await (environment.name === 'production' ? opening : opening.catch((error) => this.#tellUnopened(error)));
    }
  }

  async #openInThreads(environment: Environment): Promise<void> {
    await this.#threads?.open(environment);
    // They could not be told of what happened while they were opening it.
    if (this.#failed.has(environment.name)) this.#threads?.fail(environment.name, closedByFault);
  }

  #tellUnopened(error: unknown): void {
    this.#log.error({ environment: 'test', err: error }, 'cannot be opened');
  }

  /** The configuration with the ports that were free. */
  #toOpened(): Config {
    const { production, test, mutualTls } = this.#config;
    return {
      ...this.#config,
      production: { ...production, port: toOpenedPort(production.port, this.production) },
      test: { ...test, port: toOpenedPort(test.port, this.test) },
      mutualTls: { ...mutualTls, port: toOpenedPort(mutualTls.port, this.mutualTls) },
    };
  }

  async #lookAgain(name: EnvironmentName): Promise<void> {
    this.#serving.lookAgain(name);
    await this.#threads?.lookAgain(name);
  }

  async #renderMetrics(name: EnvironmentName): Promise<string> {
    const own = await this.#observability.render(name);
    return this.#threads === null ? own : addUp([own, ...(await this.#threads.renderMetrics(name))]);
  }

  async #rotateKeys(name: EnvironmentName, isOldRevoked: boolean): Promise<void> {
    const environment = this.#requireEnvironment(name);
    environment.keys = await rotateKeys(environment.keyStore, isOldRevoked, this.#clock.now());
    // One that has failed meanwhile stays so.
    if (this.#serving.served(name) !== null) this.#serving.serve(environment);
    await this.#threads?.lookAgain(name);
  }

  /** Of several nodes that start together, one makes it. */
  async #addFirstUnlessThere(name: EnvironmentName): Promise<FirstApplication[]> {
    try {
      return [await this.#addInitialAccounts(name)];
    } catch (error) {
      if (error instanceof Refusal && error.code === 'NameAlreadyExists') return [];
      throw error;
    }
  }

  async #addInitialAccounts(name: EnvironmentName): Promise<FirstApplication> {
    const { cabinet } = this.#requireEnvironment(name);
    return { ...(await addInitialAccounts(cabinet)), environment: name, url: this.#serving.publicUrlOf(name) };
  }

  /** Without it nobody signs in there; everything else goes on. */
  async #ensureConsole(name: EnvironmentName): Promise<void> {
    try {
      await ensureConsole(this.#requireEnvironment(name).cabinet, this.#serving.publicUrlOf(name));
    } catch (error) {
      this.#log.warn({ environment: name, err: error }, 'people cannot sign in to the console');
    }
  }

  #fail(name: EnvironmentName, fault: Fault): void {
    if (this.#failed.has(name)) return;
    this.#failed.add(name);
    this.#log.fatal({ environment: name, err: fault }, 'nothing more can be promised');
    this.#serving.unserve(name);
    this.#threads?.fail(name, fault);
    this.#options.onFatal?.(name, fault);
  }

  #requireEnvironment(name: EnvironmentName): Environment {
    const environment = this.#environments[name];
    if (environment === null)
      throw new Refusal('InvalidField', `The ${name} environment is switched off or has failed.`);
    return environment;
  }

  /** One after the other, if several are asked for. */
  #inTurn<Result>(change: () => Promise<Result>): Promise<Result> {
    const changed = this.#changing.then(change);
    this.#changing = changed.catch(() => undefined);
    return changed;
  }

  async #empty(name: EnvironmentName): Promise<FirstApplication> {
    if (this.#serving.urlOf(name) === null) {
      throw new Refusal('InvalidField', `The ${name} environment is switched off.`);
    }
    const environment = this.#environments[name];
    this.#serving.unserve(name);
    await this.#threads?.close(name);
    this.#environments[name] = null;
    this.#observability.metrics[name].close();
    await environment?.close();
    await emptyEnvironment(this.#config, name);
    const known = this.firstApplications.length;
    await this.#openPart(name);
    this.#startJobs(this.#environments[name]);
    return this.firstApplications.splice(known)[0] ?? (await this.#addInitialAccounts(name));
  }

  #startJobs(environment: Environment | null): void {
    if (environment === null) return;
    const { name, jobs } = environment;
    jobs.start(toJobs(this.#config, name, { log: this.#log, metrics: this.#observability.metrics[name] }));
  }

  async close(): Promise<void> {
    this.#serving.isClosing = true;
    this.#threads?.beginClosing();
    // Load balancers see that it is not ready, and send nothing more, before it stops taking connections.
    if (this.#isOpen) await this.#clock.sleep(this.#config.drainSeconds * 1000);
    await Promise.all([this.#serving.drain(), this.#threads?.drain()]);
    await this.#closeControl?.();
    for (const environment of Object.values(this.#environments)) {
      if (environment === null) continue;
      await this.#threads?.close(environment.name);
      await environment.close();
    }
    await this.#threads?.end();
    await this.#observability.close();
  }
}

const closedByFault = { kind: 'fatal', message: 'nothing more can be promised' } as const;

/** The port that was found where any free one was asked for. */
function toOpenedPort(asked: number | null, url: string | null): number | null {
  return asked === 0 && url !== null ? Number(new URL(url).port) : asked;
}
