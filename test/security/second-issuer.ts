// A company's own OpenID provider: `oidc-provider` with RSA keys, on an address that stays the same when it is stopped
// and started again. Applications get tokens from it by client credentials; whatever else a token may say is signed here
// with its keys.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import type { Adapter, Configuration, JWKS } from 'oidc-provider';
import { Provider } from 'oidc-provider/lib/provider.js';
import { findFreePort } from '../free-ports.ts';

export const audience = 'cabinet';
const algorithm = 'RS256';
const contentScopes = 'content.read content.write';

interface Key {
  kid: string;
  privateKey: CryptoKey;
  jwk: JWK;
}

export class SecondIssuer {
  readonly url: string;
  readonly #clients: string[];
  #keys: Key[] = [];
  #server: Server | null = null;
  #handle: (...at: Parameters<ReturnType<Provider['callback']>>) => void = () => {};
  /** How often its keys were fetched. */
  keyFetches = 0;

  constructor(url: string, clients: string[]) {
    this.url = url;
    this.#clients = clients;
  }

  /** A free address, known before the issuer is started. */
  static async reserve(): Promise<string> {
    return `http://127.0.0.1:${await findFreePort()}`;
  }

  get kid(): string {
    return this.#newest.kid;
  }

  get #newest(): Key {
    return this.#keys[0] as Key;
  }

  async start(): Promise<void> {
    if (this.#server !== null) return;
    if (this.#keys.length === 0) await this.rotate();
    this.#server = createServer((request, response) => {
      if (request.url === '/jwks') this.keyFetches += 1;
      // So that nobody finds an old connection dead after a stop.
      response.setHeader('Connection', 'close');
      this.#handle(request, response);
    }).listen(Number(new URL(this.url).port), '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  /** A new key signs from now on; the old ones stay published until they are withdrawn. */
  async rotate(): Promise<void> {
    const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
    const kid = `key-${this.#keys.length + 1}`;
    this.#keys.unshift({ kid, privateKey, jwk: { ...(await exportJWK(privateKey)), kid, use: 'sig', alg: algorithm } });
    this.#publish();
  }

  #publish(): void {
    const provider = new Provider(this.url, toConfiguration(this.#keys, this.#clients));
    this.#handle = provider.callback();
  }

  async fetchToken(client: string, form: Record<string, string> = {}): Promise<string> {
    const answer = await fetch(`${this.url}/token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${Buffer.from(`${client}:${toSecret(client)}`).toString('base64')}` },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        resource: toResource(audience),
        scope: contentScopes,
        ...form,
      }),
    });
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    return (JSON.parse(text) as { access_token: string }).access_token;
  }

  /** A token of any kind; a claim that is `undefined` is left out. */
  sign(claims: Record<string, unknown>, header: Record<string, unknown> = {}, key = this.#newest): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    return new SignJWT({ iss: this.url, aud: audience, iat: now, exp: now + 600, scope: contentScopes, ...claims })
      .setProtectedHeader({ alg: algorithm, kid: key.kid, typ: 'at+jwt', ...header })
      .sign(key.privateKey);
  }

  /** Signed by a stranger under the name of the newest key. */
  async forge(claims: Record<string, unknown>): Promise<string> {
    const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
    return await this.sign(claims, {}, { ...this.#newest, privateKey });
  }
}

/** Its clients have secrets of its own, which Cabinet never sees. */
function toSecret(client: string): string {
  return `second-secret-of-${client}`;
}

export function toResource(name: string): string {
  return `urn:${name}`;
}

/** Tokens of this kind are JWTs, of which an issuer remembers nothing. */
const nothingKept: Adapter = {
  upsert: async () => {},
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  consume: async () => {},
  destroy: async () => {},
  revokeByGrantId: async () => {},
};

function toConfiguration(keys: Key[], clients: string[]): Configuration {
  return {
    adapter: () => nothingKept,
    ttl: { ClientCredentials: 600 },
    jwks: { keys: keys.map(({ jwk }) => jwk) as JWKS['keys'] },
    cookies: { keys: ['not used'] },
    clients: clients.map((client) => ({
      client_id: client,
      client_secret: toSecret(client),
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
    })),
    scopes: [...contentScopes.split(' '), 'content.admin'],
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_ctx, resource) => ({
          audience: resource.slice('urn:'.length),
          scope: `${contentScopes} content.admin`,
          accessTokenFormat: 'jwt',
          accessTokenTTL: 600,
          jwt: { sign: { alg: algorithm } },
        }),
      },
    },
  };
}
