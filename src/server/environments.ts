// The environments of this process: opened, served by every HTTP thread, emptied and closed. They share a process, not a fate:
// when one fails, its address answers 500 and the other goes on.

import { rotateKeys } from '../auth/keys.ts';
import { type EnvironmentName, environmentNames } from '../domain/environment-name.ts';
import type { Fault } from '../domain/fault.ts';
import { Refusal } from '../domain/refusal.ts';
import { anchorJournal } from '../jobs/anchor-journal.ts';
import { toBuffers } from '../runtime/shared-counters.ts';
import { addUp } from '../telemetry/metrics.ts';
import { requireFreePorts } from './addresses.ts';
import { type Environment, emptyEnvironment, openEnvironment } from './environment.ts';
import { HttpThreads, withPorts } from './http-threads.ts';
import { addInitialAccounts, type InitialAccounts, prepareAccounts } from './initial-accounts.ts';
import { toJobs } from './jobs.ts';
import type { Serving, ServingOptions } from './serving.ts';

export interface EnvironmentsOptions extends Omit<ServingOptions, 'urls'> {
  serving: Serving;
  hasInitialAccounts: boolean;
  hasConsole: boolean;
  /** The environment can no longer keep its promises. */
  onFatal(name: EnvironmentName, fault: Fault): void;
}

const maxAnchorMs = 3000;

export class Environments {
  /** Created where an environment was empty; their secrets are kept nowhere else. */
  readonly initialAccounts: InitialAccounts[] = [];
  readonly #options: EnvironmentsOptions;
  readonly #open: Record<EnvironmentName, Environment | null> = { production: null, test: null };
  readonly #failed = new Set<EnvironmentName>();
  /** Beside the main one; null: there are none. */
  #threads: HttpThreads | null = null;
  /** Changes of whole environments, one after the other. */
  #lastChange: Promise<unknown> = Promise.resolve();

  constructor(options: EnvironmentsOptions) {
    this.#options = options;
  }

  async open(): Promise<void> {
    const { config, serving } = this.#options;
    await requireFreePorts(config);
    await serving.listen('production');
    await this.#openOne('production');
    if (config.test.port !== null) {
      await serving.listen('test');
      await this.#openOne('test').catch((error) => this.#logUnopened(error));
    }
    if (config.httpThreads > 1) await this.#startThreads();
  }

  /** Last, so that nothing runs behind a start that failed. */
  startJobs(): void {
    for (const name of environmentNames) this.#startJobs(name);
  }

  require(name: EnvironmentName): Environment {
    const environment = this.#open[name];
    if (environment === null)
      throw new Refusal('InvalidField', `The ${name} environment is switched off or has failed.`);
    return environment;
  }

  /** Removes everything in it. */
  empty(name: EnvironmentName): Promise<InitialAccounts> {
    return this.#inTurn(() => this.#empty(name));
  }

  rotateKeys(name: EnvironmentName, isOldRevoked: boolean): Promise<void> {
    return this.#inTurn(async () => {
      const environment = this.require(name);
      environment.keys = await rotateKeys(environment.keyStore, isOldRevoked, this.#options.clock.now());
      this.#serveAgain(environment);
      await this.#threads?.reload(name);
    });
  }

  /** Resolves when no thread relies any more on what it knew of users, applications and quotas. */
  async invalidate(name: EnvironmentName): Promise<void> {
    this.#options.serving.invalidate(name);
    const cabinet = this.#open[name]?.cabinet;
    if (cabinet !== undefined && cabinet.limits.spaceQuotaBytes !== null) await cabinet.quotas.load();
    await this.#threads?.reload(name);
  }

  /** Of all threads. */
  async renderMetrics(name: EnvironmentName): Promise<string> {
    const own = await this.#options.observability.render(name);
    return this.#threads === null ? own : addUp([own, ...(await this.#threads.renderMetrics(name))]);
  }

  /** From now on no thread says that it is ready. */
  beginClosing(): void {
    this.#options.serving.isClosing = true;
    this.#threads?.beginClosing();
  }

  /** Stops accepting in all threads, and lets open requests finish. */
  async drain(): Promise<void> {
    await Promise.all([this.#options.serving.drain(), this.#threads?.drain()]);
  }

  async close(): Promise<void> {
    for (const environment of Object.values(this.#open)) {
      if (environment === null) continue;
      await this.#threads?.close(environment.name);
      if (!this.#failed.has(environment.name)) await this.#anchor(environment);
      await environment.close();
    }
    await this.#threads?.end();
  }

  /** Whatever happens while it is stopped, this head is known. */
  async #anchor(environment: Environment): Promise<void> {
    const { log, clock } = this.#options;
    const anchored = anchorJournal(environment, log).catch((error) =>
      log.error({ environment: environment.name, err: error }, 'cannot anchor the head of the journal'),
    );
    // A database that cannot be reached must not keep the service from stopping.
    const abort = new AbortController();
    await Promise.race([anchored, clock.sleep(maxAnchorMs, abort.signal).catch(() => undefined)]);
    abort.abort();
  }

  async #openOne(name: EnvironmentName): Promise<void> {
    const { config, log, observability, serving, shared, clock } = this.#options;
    const environment = await openEnvironment(config, name, {
      onFatal: (fault) => this.#fail(name, fault),
      onBackgroundError: (error, job) => log.error({ environment: name, job, err: error }, 'background work failed'),
      observed: { metrics: observability.metrics[name], tracer: observability.tracer },
      shared,
      clock,
    });
    this.#open[name] = environment;
    this.#failed.delete(name);
    observability.watch(environment, () => serving.contextOf(name));
    environment.cabinet.search.follow();
    serving.serve(environment);
    this.initialAccounts.push(
      ...(await prepareAccounts(environment, { ...this.#options, url: serving.publicUrlOf(name) })),
    );
    environment.onNewKeys(() => {
      if (this.#open[name] === environment) this.#serveAgain(environment);
    });
    environment.cabinet.quotas.notifyOthers = async () => await this.#threads?.reload(name);
    await this.#openInThreads(environment);
  }

  /** With new keys. An environment that has failed meanwhile stays so. */
  #serveAgain(environment: Environment): void {
    const { serving } = this.#options;
    if (serving.contextOf(environment.name) !== null) serving.serve(environment);
  }

  async #startThreads(): Promise<void> {
    const { config, serving, shared, ticketKeys, startedAt, ...rest } = this.#options;
    const data = {
      config: withPorts(config, serving.urls),
      urls: serving.urls,
      shared: toBuffers(shared),
      ticketKeys,
      startedAt,
    };
    this.#threads = new HttpThreads({
      ...rest,
      count: config.httpThreads - 1,
      data,
      environment: (name) => this.#open[name],
      onFatal: (name, fault) => this.#fail(name, fault),
    });
    for (const environment of Object.values(this.#open)) {
      if (environment === null) continue;
      const opening = this.#openInThreads(environment);
      await (environment.name === 'production' ? opening : opening.catch((error) => this.#logUnopened(error)));
    }
  }

  async #openInThreads(environment: Environment): Promise<void> {
    await this.#threads?.open(environment);
    // It may have failed while they were opening it.
    if (this.#failed.has(environment.name)) this.#threads?.fail(environment.name, closedByFault);
  }

  #logUnopened(error: unknown): void {
    this.#options.log.error(
      { environment: 'test', err: error },
      'cannot open the environment; its address answers 500',
    );
  }

  #startJobs(name: EnvironmentName): void {
    const { config, log, observability, serving } = this.#options;
    const context = { log, metrics: observability.metrics[name], publicUrl: serving.publicUrlOf(name) };
    this.#open[name]?.jobs.start(toJobs(config, name, context));
  }

  #fail(name: EnvironmentName, fault: Fault): void {
    if (this.#failed.has(name)) return;
    this.#failed.add(name);
    const { log, serving, onFatal } = this.#options;
    log.fatal(
      { environment: name, err: fault },
      'fatal: storage can no longer be trusted; the environment stops serving',
    );
    serving.stopServing(name);
    this.#threads?.fail(name, fault);
    onFatal(name, fault);
  }

  #inTurn<Result>(change: () => Promise<Result>): Promise<Result> {
    const changed = this.#lastChange.then(change);
    this.#lastChange = changed.catch(() => undefined);
    return changed;
  }

  async #empty(name: EnvironmentName): Promise<InitialAccounts> {
    const { config, serving, observability } = this.#options;
    if (serving.urls[name] === null) throw new Refusal('InvalidField', `The ${name} environment is switched off.`);
    const environment = this.#open[name];
    serving.stopServing(name);
    await this.#threads?.close(name);
    this.#open[name] = null;
    observability.metrics[name].close();
    await environment?.close();
    await emptyEnvironment(config, name);
    const knownCount = this.initialAccounts.length;
    await this.#openOne(name);
    this.#startJobs(name);
    const [created] = this.initialAccounts.splice(knownCount);
    return created ?? (await addInitialAccounts(this.require(name), serving.publicUrlOf(name)));
  }
}

const closedByFault = { kind: 'fatal', message: 'storage can no longer be trusted' } as const;
