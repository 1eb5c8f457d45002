// The composition root: `start(config)` puts the parts together and returns a listening service. Parts are closed in the
// reverse order of their opening.

import { mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger, pino } from 'pino';
import { type Address, openAddress, openMutualTlsAddress, openOwnAuthority } from './addresses.ts';
import { Authenticator } from './auth/authenticate.ts';
import { createIssuer, toAudience } from './auth/issuer.ts';
import { rotateKeys } from './auth/keys.ts';
import { toLinkKeys } from './auth/links.ts';
import { OutsideIssuer } from './auth/outside-issuer.ts';
import { TokenVerifier } from './auth/tokens.ts';
import { lockFolder } from './catalog/folder-lock.ts';
import type { Config } from './config.ts';
import { serveControl } from './control/socket.ts';
import { checkDisk } from './disk.ts';
import { Fault } from './domain/fault.ts';
import { Refusal } from './domain/refusal.ts';
import {
  type Environment,
  type EnvironmentName,
  emptyEnvironment,
  environmentNames,
  openEnvironment,
} from './environment.ts';
import { readConsole } from './http/console-files.ts';
import type { Served } from './http/route.ts';
import { Slots, tooManyArchives, tooManyBatches } from './http/slots.ts';
import { Observability, readVersion } from './observability.ts';
import { addFirst, type First, keepConsole } from './operations/console.ts';
import { sweep } from './operations/sweep.ts';
import { Scrubber } from './scrubber.ts';

const sweepEveryMs = 60 * 60 * 1000;
const largeBodiesAtOnce = 8;
const batchesAtOnce = 8;
const archivesAtOnce = 16;

export interface FirstApplication extends First {
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

interface Part {
  environment: Environment | null;
  served: Served | null;
  address: Address | null;
  outside: OutsideIssuer[] | null;
}

class RunningService {
  readonly firstApplications: FirstApplication[] = [];
  readonly #config: Config;
  readonly #log: Logger;
  readonly #options: StartOptions;
  readonly #parts: Record<EnvironmentName, Part> = {
    production: { environment: null, served: null, address: null, outside: null },
    test: { environment: null, served: null, address: null, outside: null },
  };
  #mutualTls: Address | null = null;
  /** Production as the mutual-TLS address serves it. */
  #mutuallyServed: Served | null = null;
  #isOpen = false;
  #isClosing = false;
  #changing: Promise<unknown> = Promise.resolve();
  #sweeps: NodeJS.Timeout | null = null;
  #closeControl: (() => Promise<void>) | null = null;
  readonly #observability: Observability;
  readonly #scrubber: Scrubber;
  readonly #console = readConsole();
  readonly #version = readVersion();
  readonly #startedAt = Date.now();

  constructor(config: Config, log: Logger, options: StartOptions) {
    this.#config = config;
    this.#log = log;
    this.#observability = new Observability(config, log);
    this.#scrubber = new Scrubber(config, log);
    this.#options = options;
  }

  get production(): string {
    return this.#parts.production.address?.url ?? '';
  }

  get test(): string | null {
    return this.#parts.test.address?.url ?? null;
  }

  get mutualTls(): string | null {
    return this.#mutualTls?.url ?? null;
  }

  get consoles(): Service['consoles'] {
    return environmentNames.flatMap((environment) => {
      const { served } = this.#parts[environment];
      return served === null ? [] : [{ environment, url: served.publicUrl }];
    });
  }

  async open(): Promise<void> {
    await this.#listen('production');
    if (this.#config.mutualTls.port !== null) {
      const context = { ...this.#observed('production'), lookup: () => this.#mutuallyServed };
      this.#mutualTls = await openMutualTlsAddress(this.#config, context);
    }
    await this.#openPart('production');
    if (this.#config.test.port !== null) {
      await this.#listen('test');
      // The environments share a process, not a fate: without this one its address answers 500, and production serves.
      await this.#openPart('test').catch((error) =>
        this.#log.error({ environment: 'test', err: error }, 'cannot be opened'),
      );
    }
    this.#closeControl = await serveControl(this.#config, {
      environment: (name) => this.#requireEnvironment(name),
      reset: (name) => this.#inTurn(() => this.#empty(name)),
      rotateKeys: (name, isOldRevoked) => this.#inTurn(() => this.#rotateKeys(name, isOldRevoked)),
      authority: () => openOwnAuthority(this.#config),
      hasOwnAuthority: this.#config.mutualTls.caPath === null,
      dataFolder: this.#config.dataFolder,
      places: this.#config,
      addresses: () => ({ production: this.production, test: this.test, mutualTls: this.mutualTls }),
    });
    this.#sweeps = setInterval(() => void this.#sweep(), sweepEveryMs);
    this.#sweeps.unref();
    void this.#sweep();
    this.#isOpen = true;
  }

  async #openPart(name: EnvironmentName): Promise<void> {
    const part = this.#parts[name];
    part.environment = await openEnvironment(this.#config, name, {
      onFatal: (fault) => this.#fail(name, fault),
      onTrouble: (error) => this.#log.error({ environment: name, err: error }, 'work in the background failed'),
      observed: { metrics: this.#observability.metrics[name], tracer: this.#observability.tracer },
    });
    this.#observability.watch(part.environment, () => part.served);
    part.environment.cabinet.search.follow();
    this.#serve(part.environment);
    const isEmpty = !(await part.environment.cabinet.catalog.hasApplications({}));
    if (this.#options.isFirstMade && isEmpty) this.firstApplications.push(...(await this.#addFirstUnlessThere(name)));
    if (this.#options.hasConsole && this.#config.isOwnIssuer) await this.#keepConsole(name);
    part.environment.onNewKeys(() => {
      const { environment } = part;
      if (environment !== null && part.served !== null) this.#serve(environment);
    });
  }

  #observed(name: EnvironmentName) {
    const { metrics, tracer } = this.#observability;
    return { log: this.#log, metrics: metrics[name].requests, tracer };
  }

  async #listen(name: EnvironmentName): Promise<void> {
    const part = this.#parts[name];
    part.address = await openAddress(this.#config, name, { ...this.#observed(name), lookup: () => part.served });
  }

  /** Begins to serve an environment, or goes on with its new keys. */
  #serve(environment: Environment): Served {
    const { cabinet, keys, name } = environment;
    const part = this.#parts[name];
    const { catalog } = cabinet;
    const publicUrl = this.#config[name].publicUrl ?? part.address?.url ?? '';
    const mutualTlsUrl =
      name === 'production' && this.#mutualTls !== null
        ? (this.#config.mutualTls.publicUrl ?? this.#mutualTls.url)
        : null;
    const audience = toAudience(publicUrl);
    const onError = (error: unknown, request: string | null) =>
      this.#log.warn({ environment: name, ...(request !== null && { request }), err: error }, 'issuer');
    const { isOwnIssuer, outsideIssuers } = this.#config;
    const lookAgain = toLookAgain(environment);
    const own = isOwnIssuer ? { issuer: publicUrl, audience, signingKeys: keys.signing, lookAgain } : null;
    // Kept when our own keys change: an issuer may be out of reach just then.
    part.outside ??= outsideIssuers
      .filter(({ environment }) => environment === name)
      .map((rules) => new OutsideIssuer(rules, { onFailure: (error) => this.#tellOutage(rules.name, error) }));
    const tokens = new TokenVerifier(own, part.outside);
    const served: Served = {
      cabinet,
      authenticator: new Authenticator(catalog, tokens),
      issuer: isOwnIssuer
        ? createIssuer({ environment: name, issuer: publicUrl, mutualTlsUrl, audience, keys, catalog, onError })
        : null,
      publicUrl,
      cursorKey: keys.cursors,
      largeBodies: new Slots(largeBodiesAtOnce),
      batches: new Slots(batchesAtOnce, tooManyBatches),
      archives: new Slots(archivesAtOnce, tooManyArchives),
      linkKeys: toLinkKeys(keys.cookies),
      metrics: { access: this.#config.telemetry.metrics, render: () => this.#observability.render(name) },
      console: this.#console,
      inForce: {
        environment: name,
        version: this.#version,
        startedAt: this.#startedAt,
        settings: this.#config.settings,
      },
      isReady: () => !this.#isClosing && environment.isReachable() && cabinet.freeBytes() > cabinet.limits.reserveBytes,
    };
    part.served = served;
    if (mutualTlsUrl !== null) this.#mutuallyServed = { ...served, publicUrl: mutualTlsUrl };
    return served;
  }

  #tellOutage(issuer: string, error: unknown): void {
    this.#log.warn({ issuer, err: error }, 'the keys of an outside issuer cannot be fetched');
  }

  async #rotateKeys(name: EnvironmentName, isOldRevoked: boolean): Promise<void> {
    const environment = this.#requireEnvironment(name);
    environment.keys = await rotateKeys(environment.keyStore, isOldRevoked);
    // One that has failed meanwhile stays so.
    if (this.#parts[name].served !== null) this.#serve(environment);
  }

  /** Of several nodes that start together, one makes it. */
  async #addFirstUnlessThere(name: EnvironmentName): Promise<FirstApplication[]> {
    try {
      return [await this.#addFirst(name)];
    } catch (error) {
      if (error instanceof Refusal && error.code === 'NameAlreadyExists') return [];
      throw error;
    }
  }

  async #addFirst(name: EnvironmentName): Promise<FirstApplication> {
    const { cabinet } = this.#requireEnvironment(name);
    return { ...(await addFirst(cabinet)), environment: name, url: this.#parts[name].served?.publicUrl ?? '' };
  }

  /** Without it nobody signs in there; everything else goes on. */
  async #keepConsole(name: EnvironmentName): Promise<void> {
    try {
      await keepConsole(this.#requireEnvironment(name).cabinet, this.#parts[name].served?.publicUrl ?? '');
    } catch (error) {
      this.#log.warn({ environment: name, err: error }, 'people cannot sign in to the console');
    }
  }

  #fail(name: EnvironmentName, fault: Fault): void {
    this.#log.fatal({ environment: name, err: fault }, 'nothing more can be promised');
    this.#unserve(name);
    this.#options.onFatal?.(name, fault);
  }

  #unserve(name: EnvironmentName): void {
    this.#parts[name].served = null;
    if (name === 'production') this.#mutuallyServed = null;
  }

  #requireEnvironment(name: EnvironmentName): Environment {
    const { environment } = this.#parts[name];
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
    const part = this.#parts[name];
    if (part.address === null) throw new Refusal('InvalidField', `The ${name} environment is switched off.`);
    const { environment } = part;
    this.#unserve(name);
    part.environment = null;
    this.#observability.metrics[name].close();
    await this.#scrubber.stop();
    await environment?.close();
    await emptyEnvironment(this.#config, name);
    const known = this.firstApplications.length;
    await this.#openPart(name);
    return this.firstApplications.splice(known)[0] ?? (await this.#addFirst(name));
  }

  async #sweep(): Promise<void> {
    for (const { environment } of Object.values(this.#parts)) {
      if (environment === null) continue;
      try {
        const swept = await environment.unlessOthersDo(() => sweep(environment.cabinet, Date.now()));
        if (swept === null) continue;
        this.#observability.metrics[environment.name].countSweep(true, Date.now());
        this.#log.debug({ environment: environment.name, ...swept }, 'swept');
        void this.#scrubber.look(environment, this.#observability.metrics[environment.name]);
      } catch (error) {
        this.#observability.metrics[environment.name].countSweep(false, Date.now());
        this.#log.error({ environment: environment.name, err: error }, 'sweeping failed');
        if (error instanceof Fault && error.kind === 'fatal') this.#fail(environment.name, error);
      }
    }
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    if (this.#sweeps !== null) clearInterval(this.#sweeps);
    // Load balancers see that it is not ready, and send nothing more, before it stops taking connections.
    if (this.#isOpen) await sleep(this.#config.drainSeconds * 1000);
    const parts = Object.values(this.#parts);
    await Promise.all([this.#mutualTls, ...parts.map(({ address }) => address)].map((address) => address?.close()));
    await this.#closeControl?.();
    await this.#scrubber.stop();
    for (const part of parts) await part.environment?.close();
    await this.#observability.close();
  }
}

/** The signing keys as other nodes may have changed them. */
function toLookAgain(environment: Environment) {
  const { lookAgain } = environment;
  if (lookAgain === null) return null;
  return async () => {
    await lookAgain();
    return environment.keys.signing;
  };
}
