// What one thread answers requests with: its listeners, and the environments behind them as they are served now.

import type { Logger } from 'pino';
import type { AnonymousSessions } from '../auth/anonymous-sessions.ts';
import { Authenticator } from '../auth/authenticate.ts';
import { openIssuer, toAudience } from '../auth/issuer.ts';
import { toLinkKeys } from '../auth/links.ts';
import { OutsideIssuer } from '../auth/outside-issuer.ts';
import { TokenVerifier } from '../auth/tokens.ts';
import type { Config } from '../config/config.ts';
import { type EnvironmentName, environmentNames } from '../domain/environment-name.ts';
import { readConsole } from '../rest/console-files.ts';
import type { EnvironmentContext } from '../rest/environment-context.ts';
import { Slots, tooManyArchives, tooManyBatches, tooManyUploads } from '../rest/slots.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Shared } from '../runtime/shared-counters.ts';
import { type Address, openAddress, openMutualTlsAddress } from './addresses.ts';
import type { Environment } from './environment.ts';
import { type Observability, readVersion } from './observability.ts';

const largeBodiesAtOnce = 8;
const batchesAtOnce = 8;
const archivesAtOnce = 16;

export interface ServingOptions {
  config: Config;
  log: Logger;
  observability: Observability;
  shared: Shared;
  ticketKeys: Buffer;
  sessions: Record<EnvironmentName, AnonymousSessions>;
  startedAt: number;
  clock: Clock;
  /** Where another thread listens already, so that it is known before this one does. */
  urls?: Urls;
  /** Whoever has managed something wants it to be seen in all threads. */
  onManaged(name: EnvironmentName): Promise<void>;
  /** What `/metrics` says of an environment. */
  renderMetrics(name: EnvironmentName): Promise<string>;
}

export type Urls = Record<EnvironmentName | 'mutualTls', string | null>;

/** As much of an environment as is needed to answer for it. */
export type ServedEnvironment = Pick<Environment, 'name' | 'cabinet' | 'keys' | 'isReachable' | 'lookAgain'>;

interface Part {
  served: EnvironmentContext | null;
  address: Address | null;
  outside: OutsideIssuer[] | null;
}

export class Serving {
  /** From here on it is not ready, so that load balancers send nothing more. */
  isClosing = false;
  readonly #options: ServingOptions;
  readonly #parts: Record<EnvironmentName, Part> = {
    production: { served: null, address: null, outside: null },
    test: { served: null, address: null, outside: null },
  };
  #mutualTls: Address | null = null;
  /** Production as the mutual-TLS address serves it. */
  #mutuallyServed: EnvironmentContext | null = null;
  readonly #console = readConsole();
  readonly #version = readVersion();

  constructor(options: ServingOptions) {
    this.#options = options;
  }

  urlOf(name: EnvironmentName): string | null {
    return this.#parts[name].address?.url ?? this.#options.urls?.[name] ?? null;
  }

  get mutualTlsUrl(): string | null {
    return this.#mutualTls?.url ?? this.#options.urls?.mutualTls ?? null;
  }

  isListening(name: EnvironmentName): boolean {
    return this.#parts[name].address !== null;
  }

  served(name: EnvironmentName): EnvironmentContext | null {
    return this.#parts[name].served;
  }

  /** What clients see as the address. */
  publicUrlOf(name: EnvironmentName): string {
    return this.#options.config[name].publicUrl ?? this.urlOf(name) ?? '';
  }

  async listen(name: EnvironmentName): Promise<void> {
    const { config, shared, ticketKeys, log, observability, clock } = this.#options;
    const { tracer } = observability;
    const context = { shared, ticketKeys, log, clock, metrics: observability.metrics[name].requests, tracer };
    const part = this.#parts[name];
    part.address = await openAddress(config, name, { ...context, lookup: () => part.served });
    if (name !== 'production' || config.mutualTls.port === null) return;
    this.#mutualTls = await openMutualTlsAddress(config, { ...context, lookup: () => this.#mutuallyServed });
  }

  /** Begins to serve an environment, or goes on with its new keys. */
  serve(environment: ServedEnvironment): void {
    const { config, log, shared, startedAt, clock } = this.#options;
    const { cabinet, keys, name } = environment;
    const { catalog } = cabinet;
    const publicUrl = this.publicUrlOf(name);
    const mutualTlsUrl =
      name === 'production' ? this.mutualTlsUrl && (config.mutualTls.publicUrl ?? this.mutualTlsUrl) : null;
    const audience = toAudience(publicUrl);
    const onError = (error: unknown, request: string | null) =>
      log.warn({ environment: name, ...(request !== null && { request }), err: error }, 'issuer');
    const lookAgain = toLookAgain(environment);
    const rules = config.isOwnIssuer ? { issuer: publicUrl, audience, signingKeys: keys.signing, lookAgain } : null;
    const tokens = new TokenVerifier(rules, this.#outsideOf(name), clock);
    const { buckets, counts } = shared;
    const own = {
      environment: name,
      issuer: publicUrl,
      mutualTlsUrl,
      audience,
      keys,
      catalog,
      sessions: this.#options.sessions[name],
      buckets,
      clock,
      onError,
    };
    const served: EnvironmentContext = {
      cabinet,
      authenticator: new Authenticator(catalog, tokens, clock),
      issuer: config.isOwnIssuer ? openIssuer(own) : null,
      publicUrl,
      cursorKey: keys.cursors,
      largeBodies: new Slots(counts, `${name} large bodies`, largeBodiesAtOnce, tooManyUploads),
      batches: new Slots(counts, `${name} batches`, batchesAtOnce, tooManyBatches),
      archives: new Slots(counts, `${name} archives`, archivesAtOnce, tooManyArchives),
      linkKeys: toLinkKeys(keys.cookies),
      metrics: { access: config.telemetry.metrics, render: () => this.#options.renderMetrics(name) },
      console: this.#console,
      serviceInfo: { environment: name, version: this.#version, startedAt, settings: config.settings },
      isReady: () => !this.isClosing && environment.isReachable() && cabinet.freeBytes() > cabinet.limits.reserveBytes,
      onAdminChange: () => this.#options.onManaged(name),
    };
    this.#parts[name].served = served;
    if (mutualTlsUrl !== null) this.#mutuallyServed = { ...served, publicUrl: mutualTlsUrl };
  }

  /** Kept when our own keys change: an issuer may be out of reach just then. */
  #outsideOf(name: EnvironmentName): OutsideIssuer[] {
    const part = this.#parts[name];
    const { clock } = this.#options;
    part.outside ??= this.#options.config.outsideIssuers
      .filter(({ environment }) => environment === name)
      .map((rules) => new OutsideIssuer(rules, { clock, onFailure: (error) => this.#tellOutage(rules.name, error) }));
    return part.outside;
  }

  #tellOutage(issuer: string, error: unknown): void {
    this.#options.log.warn({ issuer, err: error }, 'the keys of an outside issuer cannot be fetched');
  }

  /** Whoever has just managed something finds it so at once. */
  lookAgain(name: EnvironmentName): void {
    this.#parts[name].served?.authenticator.lookAgain();
  }

  unserve(name: EnvironmentName): void {
    this.#parts[name].served = null;
    if (name === 'production') this.#mutuallyServed = null;
  }

  /** Stops accepting, and lets what is in flight finish. */
  async drain(): Promise<void> {
    const addresses = [this.#mutualTls, ...environmentNames.map((name) => this.#parts[name].address)];
    await Promise.all(addresses.map((address) => address?.close()));
  }
}

/** The signing keys as other nodes may have changed them. */
function toLookAgain(environment: ServedEnvironment) {
  const { lookAgain } = environment;
  if (lookAgain === null) return null;
  return async () => {
    await lookAgain();
    return environment.keys.signing;
  };
}
