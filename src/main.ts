// The composition root: `start(config)` puts the parts together and returns a listening service. Parts are closed in the
// reverse order of their opening.

import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { type Logger, pino } from 'pino';
import { Authenticator } from './auth/authenticate.ts';
import { createIssuer, toAudience } from './auth/issuer.ts';
import { TokenVerifier } from './auth/tokens.ts';
import { lockFolder } from './catalog/folder-lock.ts';
import type { AddressConfig, Config } from './config.ts';
import { serveControl } from './control/socket.ts';
import type { Fault } from './domain/fault.ts';
import { Refusal } from './domain/refusal.ts';
import { type Environment, type EnvironmentName, folderOf, openEnvironment } from './environment.ts';
import type { Served } from './http/route.ts';
import { type Listener, listen } from './http/server.ts';
import { Slots } from './http/slots.ts';
import { type ApplicationWithSecret, addApplication } from './operations/applications.ts';
import { sweep } from './operations/sweep.ts';

const sweepEveryMs = 60 * 60 * 1000;
const largeBodiesAtOnce = 8;

export interface FirstApplication extends ApplicationWithSecret {
  environment: EnvironmentName;
  url: string;
}

export interface Service {
  production: string;
  /** Null when the test environment is switched off. */
  test: string | null;
  /** Made where an environment was empty; their secrets are told nowhere else. */
  firstApplications: FirstApplication[];
  close(): Promise<void>;
}

export interface StartOptions {
  /** Whether an empty environment gets its first application; then someone must be told its secret. */
  isFirstMade?: boolean;
  /** An environment can promise nothing any more. The other one goes on. */
  onFatal?: (environment: EnvironmentName, fault: Fault) => void;
}

export async function start(config: Config, options: StartOptions = {}): Promise<Service> {
  const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }));
  mkdirSync(config.dataFolder, { recursive: true, mode: 0o700 });
  const lock = lockFolder(config.dataFolder);
  const service = new RunningService(config, log, options);
  try {
    await service.open();
  } catch (error) {
    await service.close();
    lock.release();
    throw error;
  }
  const { production, test, firstApplications } = service;
  return {
    production,
    test,
    firstApplications,
    async close() {
      await service.close();
      lock.release();
    },
  };
}

interface Part {
  environment: Environment | null;
  served: Served | null;
  listener: Listener | null;
}

class RunningService {
  readonly firstApplications: FirstApplication[] = [];
  readonly #config: Config;
  readonly #log: Logger;
  readonly #options: StartOptions;
  readonly #parts: Record<EnvironmentName, Part> = {
    production: { environment: null, served: null, listener: null },
    test: { environment: null, served: null, listener: null },
  };
  #isClosing = false;
  #resetting: Promise<unknown> = Promise.resolve();
  #sweeps: NodeJS.Timeout | null = null;
  #closeControl: (() => Promise<void>) | null = null;

  constructor(config: Config, log: Logger, options: StartOptions) {
    this.#config = config;
    this.#log = log;
    this.#options = options;
  }

  get production(): string {
    return this.#parts.production.listener?.url ?? '';
  }

  get test(): string | null {
    return this.#parts.test.listener?.url ?? null;
  }

  async open(): Promise<void> {
    await this.#listen('production');
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
      reset: (name) => this.#reset(name),
      addresses: () => ({ production: this.production, test: this.test }),
    });
    this.#sweeps = setInterval(() => void this.#sweep(), sweepEveryMs);
    this.#sweeps.unref();
    void this.#sweep();
  }

  async #openPart(name: EnvironmentName): Promise<void> {
    const part = this.#parts[name];
    part.environment = await openEnvironment(this.#config, name, (fault) => this.#fail(name, fault));
    part.served = this.#serve(part.environment, this.#config[name].publicUrl ?? part.listener?.url ?? '');
    const isEmpty = !(await part.environment.cabinet.catalog.hasApplications({}));
    if (this.#options.isFirstMade && isEmpty) await this.#addFirst(part.environment, part.served.publicUrl);
  }

  async #listen(name: EnvironmentName): Promise<void> {
    const address: AddressConfig = this.#config[name];
    const tls = address.tls && { cert: readFileSync(address.tls.certPath), key: readFileSync(address.tls.keyPath) };
    const { maxConnections, maxConnectionsPerPeer, corsOrigins } = this.#config;
    const onFault = (error: unknown, request: string) =>
      this.#log.error({ environment: name, request, err: error }, 'fault');
    const options = {
      host: address.host,
      port: address.port ?? 0,
      tls,
      maxConnections,
      maxConnectionsPerPeer,
      corsOrigins,
      onFault,
    };
    this.#parts[name].listener = await listen(options, () => this.#parts[name].served);
  }

  #serve({ cabinet, keys, name }: Environment, publicUrl: string): Served {
    const audience = toAudience(publicUrl);
    const onError = (error: unknown) => this.#log.warn({ environment: name, err: error }, 'token endpoint');
    const tokens = new TokenVerifier({ issuer: publicUrl, audience, signingKeys: keys.signing });
    return {
      cabinet,
      authenticator: new Authenticator(cabinet.catalog, tokens),
      issue: createIssuer({ issuer: publicUrl, audience, keys, catalog: cabinet.catalog, onError }),
      publicUrl,
      cursorKey: keys.cursors,
      largeBodies: new Slots(largeBodiesAtOnce),
      isReady: () => !this.#isClosing && cabinet.freeBytes() > cabinet.limits.reserveBytes,
    };
  }

  async #addFirst({ cabinet, name }: Environment, url: string): Promise<FirstApplication> {
    const made = await addApplication(cabinet, { name: 'first', kind: 'client', space: null, scopes: null });
    const first = { ...made, environment: name, url };
    this.firstApplications.push(first);
    return first;
  }

  #fail(name: EnvironmentName, fault: Fault): void {
    this.#log.fatal({ environment: name, err: fault }, 'nothing more can be promised');
    this.#parts[name].served = null;
    this.#options.onFatal?.(name, fault);
  }

  #requireEnvironment(name: EnvironmentName): Environment {
    const { environment } = this.#parts[name];
    if (environment === null)
      throw new Refusal('InvalidField', `The ${name} environment is switched off or has failed.`);
    return environment;
  }

  /** One after the other, if several are asked for. */
  #reset(name: EnvironmentName): Promise<FirstApplication> {
    const reset = this.#resetting.then(() => this.#empty(name));
    this.#resetting = reset.catch(() => undefined);
    return reset;
  }

  async #empty(name: EnvironmentName): Promise<FirstApplication> {
    const part = this.#parts[name];
    if (part.listener === null) throw new Refusal('InvalidField', `The ${name} environment is switched off.`);
    const { environment } = part;
    part.served = null;
    part.environment = null;
    await environment?.close();
    rmSync(folderOf(this.#config, name), { recursive: true, force: true });
    await this.#openPart(name);
    return this.firstApplications.at(-1) as FirstApplication;
  }

  async #sweep(): Promise<void> {
    for (const { environment } of Object.values(this.#parts)) {
      if (environment === null) continue;
      try {
        const swept = await sweep(environment.cabinet, Date.now());
        this.#log.debug({ environment: environment.name, ...swept }, 'swept');
      } catch (error) {
        this.#log.error({ environment: environment.name, err: error }, 'sweeping failed');
      }
    }
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    if (this.#sweeps !== null) clearInterval(this.#sweeps);
    const parts = Object.values(this.#parts);
    await Promise.all(parts.map(({ listener }) => listener?.drain()));
    await this.#closeControl?.();
    for (const part of parts) await part.environment?.close();
  }
}
