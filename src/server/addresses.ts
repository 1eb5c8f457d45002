// The addresses that the service listens on, with the certificates that they show and trust. Certificates, keys and
// revocation lists are exchanged while it runs: a file that changes is in force within a second.

import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import type { Logger } from 'pino';
import { type Authority, openAuthority } from '../certificates/authority.ts';
import { readAuthorities } from '../certificates/certificates.ts';
import { MutualTls, type Trust } from '../certificates/mutual-tls.ts';
import { Peers } from '../certificates/peers.ts';
import { readRevocationLists } from '../certificates/revocation-list.ts';
import { type Watched, watchFiles } from '../certificates/watched-files.ts';
import type { AddressConfig, Config } from '../config/config.ts';
import type { EnvironmentName } from '../domain/environment-name.ts';
import { toBasePath } from '../domain/public-url.ts';
import { type Listener, type ListenOptions, listen } from '../listener/http-listener.ts';
import type { Observers } from '../listener/observation.ts';
import { allowOrigin } from '../rest/cors.ts';
import type { ContextLookup } from '../rest/environment-context.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Shared } from '../runtime/shared-counters.ts';
import type { RequestMetrics } from '../telemetry/request-metrics.ts';
import type { Tracer } from '../telemetry/tracer.ts';
import { folderOf } from './environment.ts';
import { toFaces } from './faces.ts';

export interface Address {
  url: string;
  /** Stops accepting and lets what is in flight finish. */
  close(): Promise<void>;
}

export interface AddressContext {
  lookup: ContextLookup;
  shared: Shared;
  ticketKeys: Buffer;
  log: Logger;
  metrics: RequestMetrics;
  tracer: Tracer | null;
  clock: Clock;
}

export async function openAddress(config: Config, name: EnvironmentName, context: AddressContext): Promise<Address> {
  const { tls } = config[name];
  const log = context.log.child({ environment: name });
  const opened = new OpenedAddress(log, context.clock);
  const observers = toObservers(config, { ...context, log });
  const loaded = tls === null ? null : await opened.watchTls([tls.certPath, tls.keyPath]);
  const common = toListenOptions(config, config[name], { ...context, environment: name, name, isMutualTls: false });
  return await opened.listen({ ...common, tls: loaded, mutualTls: null, observers });
}

export async function openMutualTlsAddress(config: Config, context: AddressContext): Promise<Address> {
  const { tls, caPath, crlPath, proxies } = config.mutualTls;
  const own = tls === null || caPath === null ? await openOwnAuthority(config, context.clock) : null;
  const log = context.log.child({ environment: 'production', address: 'mutual TLS' });
  const opened = new OpenedAddress(log, context.clock);
  const observers = toObservers(config, { ...context, log });
  const paths = [tls?.certPath ?? own?.serverCertPath, tls?.keyPath ?? own?.serverKeyPath, caPath ?? own?.caPath];
  const watched = await opened.watchMutualTls([...paths, ...(crlPath === null ? [] : [crlPath])] as string[]);
  const trust = {
    get value() {
      return watched.value.trust;
    },
  };
  const mutualTls = new MutualTls({ trust, proxies: new Peers(proxies), clock: context.clock });
  const common = toListenOptions(config, config.mutualTls, {
    ...{ ...context, environment: 'production', name: 'mutual TLS', isMutualTls: true },
  });
  return await opened.listen({ ...common, tls: watched.value.tls, mutualTls, observers });
}

/** The settings of each listener, for messages. */
const settingsOf = {
  production: { port: 'CABINET_PORT', off: '' },
  test: { port: 'CABINET_TEST_PORT', off: ', or to off' },
  mutualTls: { port: 'CABINET_MTLS_PORT', off: ', or to off' },
} as const;

/**
 * Throws where ports cannot be listened on, with all of them. Before anything is created: the secrets of a first start that fails would never be shown.
 * And a port that threads share could be shared with another process too, unawares.
 */
export async function requireFreePorts(config: Config): Promise<void> {
  const problems: Error[] = [];
  for (const name of ['production', 'test', 'mutualTls'] as const) {
    const { host, port } = config[name];
    if (port === null || port === 0) continue;
    const server = createServer().listen(port, host);
    try {
      await once(server, 'listening');
    } catch (error) {
      problems.push(toListenError(error as NodeJS.ErrnoException, name, config[name]));
      continue;
    }
    server.close();
    await once(server, 'close');
  }
  if (problems.length === 1) throw problems[0];
  const messages = [...new Set(problems.map(({ message }) => message))];
  if (messages.length > 0) throw new Error(messages.join('\n'), { cause: problems[0] });
}

function toListenError(
  cause: NodeJS.ErrnoException,
  name: keyof typeof settingsOf,
  { host, port }: AddressConfig,
): Error {
  const settings = settingsOf[name];
  switch (cause.code) {
    case 'EADDRINUSE': {
      const message = `Port ${port} is already in use. Set ${settings.port} to another port${settings.off}.`;
      return new Error(message, { cause });
    }
    case 'EACCES': {
      const message = `This user may not listen on port ${port}. Set ${settings.port} to a port above 1023.`;
      return new Error(message, { cause });
    }
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND': {
      const message = `This machine does not have the address ${host}. Set CABINET_HOST to one of its own addresses.`;
      return new Error(message, { cause });
    }
    default:
      return cause;
  }
}

/** The authority for development, in the data folder; made if it is not there. */
export function openOwnAuthority(config: Config, clock?: Clock): Promise<Authority> {
  const { host, publicUrl } = config.mutualTls;
  const names = [host, ...(publicUrl === null ? [] : [new URL(publicUrl).hostname.replace(/^\[|\]$/g, '')])];
  return openAuthority(join(folderOf(config, 'production'), 'certificates'), names, clock);
}

function toListenOptions(
  config: Config,
  { host, port, publicUrl }: AddressConfig,
  context: AddressContext & { environment: EnvironmentName; name: string; isMutualTls: boolean },
) {
  const { maxConnections, maxConnectionsPerPeer, corsOrigins, mcp, mcpSpaces } = config;
  const { environment, name, lookup, shared, ticketKeys, clock } = context;
  return {
    name,
    host,
    port: port ?? 0,
    isPortShared: config.httpThreads > 1,
    strictTransport: `max-age=31536000${config.isSubdomainStrict ? '; includeSubDomains' : ''}`,
    maxConnections,
    maxConnectionsPerPeer,
    shared,
    clock,
    ticketKeys,
    proxies: new Peers(config.proxies),
    faces: toFaces({ ...context, corsOrigins, mcp: mcp[environment], mcpSpaces }),
    publicUrl: () => lookup()?.publicUrl,
    basePath: publicUrl === null ? '' : toBasePath(publicUrl),
    toExtraHeaders: (request: IncomingMessage) => allowOrigin(corsOrigins, request),
  };
}

function toObservers({ telemetry }: Config, { log, metrics, tracer }: AddressContext): Observers {
  return {
    metrics,
    tracer,
    onRequestEnd: telemetry.isAccessLogged ? (entry) => log.info(entry, 'answered') : null,
  };
}

class OpenedAddress {
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #watched: Watched<unknown>[] = [];
  #listener: Listener | null = null;

  constructor(log: Logger, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  async watchTls(paths: string[]): Promise<SecureContextOptions> {
    const watched = await watchFiles({
      paths,
      load: ([cert, key]) => toContext({ cert, key } as SecureContextOptions),
      onChange: (tls) => this.#exchange(tls),
      onMistake: (error) => this.#tell(error),
      clock: this.#clock,
    });
    this.#watched.push(watched);
    return watched.value;
  }

  /** Certificate, key, CAs, and perhaps revocation lists: in force together. */
  async watchMutualTls(paths: string[]): Promise<Watched<{ tls: SecureContextOptions; trust: Trust }>> {
    const watched = await watchFiles({
      paths,
      load: async ([cert, key, ca, crl]) => {
        const authorities = readAuthorities(String(ca));
        const lists = crl === undefined ? [] : await readRevocationLists(crl, authorities);
        const tls = toContext({ cert, key, ca } as SecureContextOptions);
        return { tls, trust: { authorities, lists, since: 0 } };
      },
      onChange: ({ tls, trust }) => {
        trust.since = this.#clock.now();
        this.#exchange(tls);
      },
      onMistake: (error) => this.#tell(error),
      clock: this.#clock,
    });
    this.#watched.push(watched);
    return watched;
  }

  #exchange(tls: SecureContextOptions): void {
    this.#listener?.setTls(tls);
    this.#log.info('certificates were exchanged');
  }

  #tell(error: unknown): void {
    this.#log.error({ err: error }, 'the new certificates cannot be used; what was there before stays');
  }

  async listen(options: Omit<ListenOptions, 'onFault'>): Promise<Address> {
    const onFault = (error: unknown, request: string) => this.#log.error({ request, err: error }, 'fault');
    try {
      this.#listener = await listen({ ...options, onFault });
    } catch (error) {
      this.#unwatch();
      throw error;
    }
    const { url, drain } = this.#listener;
    return {
      url,
      close: async () => {
        this.#unwatch();
        await drain();
      },
    };
  }

  #unwatch(): void {
    for (const watched of this.#watched) watched.close();
  }
}

/** Throws for a key that does not go with its certificate. */
function toContext(options: SecureContextOptions): SecureContextOptions {
  createSecureContext(options);
  return options;
}
