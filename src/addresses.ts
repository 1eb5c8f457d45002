// The addresses that the service listens on, with the certificates that they show and trust. Certificates, keys and
// revocation lists are exchanged while it runs: a file that changes is in force within a second.

import { join } from 'node:path';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import type { Logger } from 'pino';
import { type Authority, openAuthority } from './certificates/authority.ts';
import { readAuthorities } from './certificates/certificates.ts';
import { MutualTls, type Trust } from './certificates/mutual-tls.ts';
import { Peers } from './certificates/peers.ts';
import { readRevocationLists } from './certificates/revocation-list.ts';
import { type Watched, watchFiles } from './certificates/watched-files.ts';
import type { AddressConfig, Config } from './config.ts';
import { type EnvironmentName, folderOf } from './environment.ts';
import { type Listener, type ListenOptions, type Lookup, listen } from './http/server.ts';

export interface Address {
  url: string;
  /** Stops accepting and lets what is in flight finish. */
  close(): Promise<void>;
}

export interface AddressContext {
  lookup: Lookup;
  log: Logger;
}

export async function openAddress(config: Config, name: EnvironmentName, context: AddressContext): Promise<Address> {
  const { tls } = config[name];
  const opened = new OpenedAddress(context.log.child({ environment: name }));
  const loaded = tls === null ? null : await opened.watchTls([tls.certPath, tls.keyPath]);
  return await opened.listen(
    { ...toListenOptions(config, config[name]), tls: loaded, mutualTls: null },
    context.lookup,
  );
}

export async function openMutualTlsAddress(config: Config, context: AddressContext): Promise<Address> {
  const { tls, caPath, crlPath, proxies } = config.mutualTls;
  const own = tls === null || caPath === null ? await openOwnAuthority(config) : null;
  const opened = new OpenedAddress(context.log.child({ environment: 'production', address: 'mutual TLS' }));
  const [certPath, keyPath] = [tls?.certPath ?? own?.serverCertPath, tls?.keyPath ?? own?.serverKeyPath];
  const trusted = caPath ?? own?.caPath;
  const loaded = await opened.watchTls([certPath, keyPath, trusted] as string[]);
  const trust = await opened.watchTrust([trusted, ...(crlPath === null ? [] : [crlPath])] as string[]);
  const mutualTls = new MutualTls({ trust, proxies: new Peers(proxies) });
  return await opened.listen({ ...toListenOptions(config, config.mutualTls), tls: loaded, mutualTls }, context.lookup);
}

/** The authority for development, in the data folder; made if it is not there. */
export function openOwnAuthority(config: Config): Promise<Authority> {
  const { host, publicUrl } = config.mutualTls;
  const names = [host, ...(publicUrl === null ? [] : [new URL(publicUrl).hostname.replace(/^\[|\]$/g, '')])];
  return openAuthority(join(folderOf(config, 'production'), 'certificates'), names);
}

function toListenOptions(config: Config, { host, port }: AddressConfig) {
  const { maxConnections, maxConnectionsPerPeer, corsOrigins } = config;
  const proxies = new Peers(config.proxies);
  return { host, port: port ?? 0, maxConnections, maxConnectionsPerPeer, corsOrigins, proxies };
}

class OpenedAddress {
  readonly #log: Logger;
  readonly #watched: Watched<unknown>[] = [];
  #listener: Listener | null = null;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Certificate, key, and perhaps CAs. */
  async watchTls(paths: string[]): Promise<SecureContextOptions> {
    const watched = await watchFiles<SecureContextOptions>({
      paths,
      load([cert, key, ca]) {
        const options = { cert, key, ...(ca !== undefined && { ca }) } as SecureContextOptions;
        // Throws for a key that does not go with its certificate.
        createSecureContext(options);
        return options;
      },
      onChange: (tls) => {
        this.#listener?.setTls(tls);
        // Connections that a CA vouched for which is trusted no more must not live on.
        if (tls.ca !== undefined) this.#listener?.renewConnections();
        this.#log.info('the certificate was exchanged');
      },
      onMistake: (error) => this.#tell(error, 'the new certificate cannot be used; the old one stays'),
    });
    this.#watched.push(watched);
    return watched.value;
  }

  /** CAs, and perhaps revocation lists. */
  async watchTrust(paths: string[]): Promise<Watched<Trust>> {
    const watched = await watchFiles<Trust>({
      paths,
      async load([ca, crl]) {
        const authorities = readAuthorities(String(ca));
        return { authorities, lists: crl === undefined ? [] : await readRevocationLists(crl, authorities) };
      },
      onChange: () => this.#log.info('the revocation lists were exchanged'),
      onMistake: (error) => this.#tell(error, 'the new revocation lists cannot be used; the old ones stay'),
    });
    this.#watched.push(watched);
    return watched;
  }

  #tell(error: unknown, message: string): void {
    this.#log.error({ err: error }, message);
  }

  async listen(options: Omit<ListenOptions, 'onFault'>, lookup: Lookup): Promise<Address> {
    const onFault = (error: unknown, request: string) => this.#log.error({ request, err: error }, 'fault');
    try {
      this.#listener = await listen({ ...options, onFault }, lookup);
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
