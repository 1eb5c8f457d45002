// What one thread answers requests with: its listeners, and the context of each environment behind them.

import type { Logger } from 'pino';
import type { AnonymousSessions } from '../auth/anonymous-sessions.ts';
import { Authenticator } from '../auth/authenticate.ts';
import { openIssuer, toAudience, toMcpAudience } from '../auth/issuer.ts';
import { toLinkKeys } from '../auth/links.ts';
import { OutsideIssuer } from '../auth/outside-issuer.ts';
import { TokenVerifier } from '../auth/tokens.ts';
import type { Config } from '../config/config.ts';
import { type EnvironmentName, environmentNames } from '../domain/environment-name.ts';
import { toBasePath } from '../domain/public-url.ts';
import { BodyMemory } from '../rest/bodies/body-memory.ts';
import { atBasePath, readConsole } from '../rest/console-files.ts';
import type { EnvironmentContext, ServiceInfo } from '../rest/environment-context.ts';
import { Slots } from '../rest/slots.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Shared } from '../runtime/shared-counters.ts';
import { readVersion } from '../runtime/version.ts';
import { type Address, openAddress, openMutualTlsAddress } from './addresses.ts';
import type { Environment } from './environment.ts';
import type { Observability } from './observability.ts';

/** For one caller, and for all together. */
const largeBodiesAtOnce = { share: 8, count: 24 };
const archivesAtOnce = { share: 16, count: 64 };
const entryBatchesAtOnce = { share: 4, count: 16 };

export interface ServingOptions {
  config: Config;
  log: Logger;
  observability: Observability;
  shared: Shared;
  ticketKeys: Buffer;
  sessions: Record<EnvironmentName, AnonymousSessions>;
  startedAt: number;
  clock: Clock;
  /** Where the main thread listens, for a thread that does not listen yet. */
  urls?: Urls;
  /** Users, applications or settings have changed. Resolves when every thread answers accordingly. */
  onAdminChange(name: EnvironmentName): Promise<void>;
  /** What `/metrics` answers, for all threads. */
  renderMetrics(name: EnvironmentName): Promise<string>;
}

export type Urls = Record<EnvironmentName | 'mutualTls', string | null>;

/** As much of an environment as is needed to answer for it. */
export type ServedEnvironment = Pick<Environment, 'name' | 'cabinet' | 'keys' | 'isReachable' | 'reload'>;

interface Part {
  context: EnvironmentContext | null;
  address: Address | null;
  outside: OutsideIssuer[] | null;
}

export class Serving {
  /** Not ready any more, so that load balancers send nothing. */
  isClosing = false;
  readonly #options: ServingOptions;
  readonly #parts: Record<EnvironmentName, Part> = {
    production: { context: null, address: null, outside: null },
    test: { context: null, address: null, outside: null },
  };
  #mutualTls: Address | null = null;
  /** Production as the mutual-TLS address serves it. */
  #mutualTlsContext: EnvironmentContext | null = null;
  readonly #console = readConsole();
  readonly #version = readVersion();

  readonly #bodyMemory: BodyMemory;

  constructor(options: ServingOptions) {
    this.#options = options;
    this.#bodyMemory = new BodyMemory({ threads: options.config.httpThreads, clock: options.clock });
  }

  /** Where it listens. */
  get urls(): Urls {
    const { urls } = this.#options;
    return {
      production: this.#parts.production.address?.url ?? urls?.production ?? null,
      test: this.#parts.test.address?.url ?? urls?.test ?? null,
      mutualTls: this.#mutualTls?.url ?? urls?.mutualTls ?? null,
    };
  }

  /** Where people open the console. */
  get consoles(): { environment: EnvironmentName; url: string }[] {
    return environmentNames
      .filter((name) => this.contextOf(name) !== null)
      .map((environment) => ({ environment, url: this.publicUrlOf(environment) }));
  }

  isListening(name: EnvironmentName): boolean {
    return this.#parts[name].address !== null;
  }

  /** Null while the environment is not served. */
  contextOf(name: EnvironmentName): EnvironmentContext | null {
    return this.#parts[name].context;
  }

  /** What clients see as the address. */
  publicUrlOf(name: EnvironmentName): string {
    return this.#options.config[name].publicUrl ?? this.urls[name] ?? '';
  }

  async listen(name: EnvironmentName): Promise<void> {
    const { config, shared, ticketKeys, log, observability, clock } = this.#options;
    const { tracer } = observability;
    const context = { shared, ticketKeys, log, clock, metrics: observability.metrics[name].requests, tracer };
    const part = this.#parts[name];
    part.address = await openAddress(config, name, { ...context, lookup: () => part.context });
    if (name !== 'production' || config.mutualTls.port === null) return;
    this.#mutualTls = await openMutualTlsAddress(config, { ...context, lookup: () => this.#mutualTlsContext });
  }

  #serviceInfoOf(environment: EnvironmentName): ServiceInfo {
    const { config, startedAt } = this.#options;
    const { settings, securityContact } = config;
    return { environment, version: this.#version, startedAt, settings, securityContact };
  }

  /** Begins to serve an environment, or goes on with its new keys. */
  serve(environment: ServedEnvironment): void {
    const { config, log, shared, clock } = this.#options;
    const { cabinet, keys, name } = environment;
    const { catalog } = cabinet;
    const publicUrl = this.publicUrlOf(name);
    const basePath = toBasePath(publicUrl);
    const mutualTlsUrl =
      name === 'production' ? this.urls.mutualTls && (config.mutualTls.publicUrl ?? this.urls.mutualTls) : null;
    const [audience, mcpAudience] = [toAudience(publicUrl), toMcpAudience(publicUrl)];
    const mcpAddresses = [publicUrl, ...(mutualTlsUrl === null ? [] : [mutualTlsUrl])];
    const onError = (error: unknown, request: string | null) =>
      log.warn({ environment: name, ...(request !== null && { request }), err: error }, 'issuer');
    const reloadKeys = toReloadKeys(environment);
    const rules = config.isOwnIssuer
      ? { issuer: publicUrl, audience, mcpAudience, signingKeys: keys.signing, reloadKeys }
      : null;
    const tokens = new TokenVerifier(rules, this.#outsideOf(name), clock);
    const { buckets, counts } = shared;
    const own = {
      environment: name,
      issuer: publicUrl,
      mutualTlsUrl,
      audience,
      mcpAudience,
      mcpResources: config.mcp[name] === 'off' ? [] : mcpAddresses.map(toMcpAudience),
      keys,
      idTokenAlgorithm: config.idTokenAlgorithm,
      catalog,
      sessions: this.#options.sessions[name],
      buckets,
      clock,
      onError,
    };
    const isReady = () => !this.isClosing && environment.isReachable();
    const context: EnvironmentContext = {
      cabinet,
      authenticator: new Authenticator(catalog, tokens, clock),
      issuer: config.isOwnIssuer ? openIssuer(own) : null,
      issuers: [...(config.isOwnIssuer ? [publicUrl] : []), ...this.#outsideOf(name).map(({ rules }) => rules.issuer)],
      publicUrl,
      pagesUrl: publicUrl,
      basePath,
      cursorKey: keys.cursors,
      onBackgroundError: (error, request) =>
        log.error({ environment: name, request, err: error }, 'background work failed'),
      onSignIn: (event) => log.info({ environment: name, ...event }, 'sign-in'),
      largeBodies: new Slots(counts, { name: `${name} large bodies`, ...largeBodiesAtOnce }),
      bodyMemory: this.#bodyMemory,
      archives: new Slots(counts, { name: `${name} archives`, ...archivesAtOnce }),
      entryBatches: new Slots(counts, { name: `${name} entry batches`, ...entryBatchesAtOnce }),
      linkKeys: toLinkKeys(keys.cookies),
      metrics: { access: config.telemetry.metrics, render: () => this.#options.renderMetrics(name) },
      console: atBasePath(this.#console, basePath),
      serviceInfo: this.#serviceInfoOf(name),
      isReady,
      isReadyToWrite: () => isReady() && cabinet.freeBytes() > cabinet.limits.reserveBytes,
      onAdminChange: () => this.#options.onAdminChange(name),
    };
    this.#parts[name].context = context;
    if (mutualTlsUrl !== null) {
      this.#mutualTlsContext = { ...context, publicUrl: mutualTlsUrl, basePath: toBasePath(mutualTlsUrl) };
    }
  }

  /** Kept when our own keys change: an issuer may be out of reach just then. */
  #outsideOf(name: EnvironmentName): OutsideIssuer[] {
    const part = this.#parts[name];
    const { clock } = this.#options;
    part.outside ??= this.#options.config.outsideIssuers
      .filter(({ environment }) => environment === name)
      .map((rules) => new OutsideIssuer(rules, { clock, onFailure: (error) => this.#logOutage(rules.name, error) }));
    return part.outside;
  }

  #logOutage(issuer: string, error: unknown): void {
    this.#options.log.warn({ issuer, err: error }, 'cannot fetch the keys of an outside issuer');
  }

  /** Users or applications have changed: what is known of them is read again. */
  invalidate(name: EnvironmentName): void {
    this.#parts[name].context?.authenticator.invalidate();
  }

  /** From now on its addresses answer that it is not available. */
  stopServing(name: EnvironmentName): void {
    this.#parts[name].context = null;
    if (name === 'production') this.#mutualTlsContext = null;
  }

  /** Stops accepting, and lets open requests finish. */
  async drain(): Promise<void> {
    const addresses = [this.#mutualTls, ...environmentNames.map((name) => this.#parts[name].address)];
    await Promise.all(addresses.map((address) => address?.close()));
  }
}

/** The signing keys as other nodes may have changed them. */
function toReloadKeys(environment: ServedEnvironment) {
  const { reload } = environment;
  if (reload === null) return null;
  return async () => {
    await reload();
    return environment.keys.signing;
  };
}
