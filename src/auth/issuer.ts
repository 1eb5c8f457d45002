// The embedded token issuer: OAuth 2.0 at /oauth2/token with its discovery documents and keys, by `oidc-provider`.
// Applications are its clients: the AppKey is the client id. It stores nothing for them; tokens are signed JWTs.

import { hash, timingSafeEqual } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Adapter, AdapterPayload, Configuration, JWKS } from 'oidc-provider';
import { InvalidTarget } from 'oidc-provider/lib/helpers/errors.js';
import { Provider } from 'oidc-provider/lib/provider.js';
import type { Application } from '../catalog/applications.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { scopes } from '../domain/caller.ts';
import { type Keys, signingAlgorithm } from './keys.ts';

export const tokenLifetimeSeconds = 3600;

/** The paths that the issuer serves. */
export const issuerRoutes = [
  { method: 'POST', path: '/oauth2/token', summary: 'Get an access token' },
  { method: 'GET', path: '/oauth2/jwks', summary: 'Keys that sign access tokens' },
  { method: 'GET', path: '/.well-known/oauth-authorization-server', summary: 'Issuer metadata' },
  { method: 'GET', path: '/.well-known/openid-configuration', summary: 'OpenID metadata' },
] as const;

export interface IssuerOptions {
  /** The public address; clients see it as `iss` and in discovery, whatever `Host` they send. */
  issuer: string;
  audience: string;
  keys: Keys;
  catalog: Catalog;
  onError: (error: unknown) => void;
}

export type IssuerHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export function createIssuer(options: IssuerOptions): IssuerHandler {
  const provider = new Provider(options.issuer, toConfiguration(options));
  provider.proxy = true;
  (provider as unknown as EventEmitter).on('error', options.onError);
  provider.on('server_error', (_ctx, error) => options.onError(error));
  acceptHashedSecrets(provider);
  const handle = provider.callback();
  const { host, protocol } = new URL(options.issuer);
  return async (request, response) => {
    // It would let pages of every origin in; which ones may is our own setting.
    const setHeader = response.setHeader.bind(response);
    response.setHeader = (name, value) => (/^access-control-/i.test(name) ? response : setHeader(name, value));
    // Believed because `proxy` is on; overwritten here, so that a client can set neither.
    request.headers['x-forwarded-host'] = host;
    request.headers['x-forwarded-proto'] = protocol.slice(0, -1);
    await handle(request, response);
  };
}

function toConfiguration({ audience, keys, catalog }: IssuerOptions): Configuration {
  return {
    adapter: (model: string) => toAdapter(model, catalog),
    jwks: { keys: keys.signing as JWKS['keys'] },
    cookies: { keys: keys.cookies },
    routes: { authorization: '/oauth2/authorize', token: '/oauth2/token', jwks: '/oauth2/jwks' },
    scopes: [...scopes],
    // People's logins (the authorization code) are not served yet.
    responseTypes: [],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post'],
    clientDefaults: { id_token_signed_response_alg: signingAlgorithm },
    extraClientMetadata: { properties: ['previous_secret'] },
    ttl: { ClientCredentials: tokenLifetimeSeconds },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: async () => true,
        // "A request without `scope` gets all scopes of its application."
        defaultResource: async (ctx, client) => {
          const parameters = ctx.oidc.params;
          if (parameters !== undefined) parameters.scope ??= client?.scope;
          return audience;
        },
        getResourceServerInfo: async (_ctx, resource, client) => {
          if (resource !== audience) throw new InvalidTarget();
          return {
            audience,
            scope: client.scope ?? '',
            accessTokenTTL: tokenLifetimeSeconds,
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: signingAlgorithm } },
          };
        },
      },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
    },
  };
}

/** Only clients are ever looked up; signed tokens of applications leave no row. */
function toAdapter(model: string, catalog: Catalog): Adapter {
  return {
    async find(id: string): Promise<AdapterPayload | undefined> {
      if (model !== 'Client') return undefined;
      const application = await catalog.findApplication({ appKey: id });
      return application?.state === 'active' ? toClient(application) : undefined;
    },
    async findByUid() {
      return undefined;
    },
    async findByUserCode() {
      return undefined;
    },
    async upsert() {},
    async consume() {},
    async destroy() {},
    async revokeByGrantId() {},
  };
}

function toClient(application: Application): AdapterPayload {
  const { previousSecretSha256, previousSecretUntil } = application;
  const isPreviousValid = previousSecretSha256 !== null && (previousSecretUntil ?? 0) > Date.now();
  return {
    client_id: application.appKey,
    client_secret: application.secretSha256,
    ...(isPreviousValid && { previous_secret: previousSecretSha256 }),
    // Server-based applications get tokens on the mutual-TLS address only.
    grant_types: application.kind === 'client' ? ['client_credentials'] : [],
    redirect_uris: [],
    response_types: [],
    scope: application.scopes.join(' '),
  };
}

/** What is stored is the secret's SHA-256; what is presented is hashed before it is compared. */
function acceptHashedSecrets(provider: Provider): void {
  const prototype = provider.Client.prototype as {
    compareClientSecret(this: { clientSecret: string; previous_secret?: string }, actual: string): boolean;
  };
  prototype.compareClientSecret = function compareClientSecret(actual) {
    const presented = Buffer.from(hash('sha256', actual));
    const isEqual = (stored: string) => timingSafeEqual(presented, Buffer.from(stored));
    const isCurrent = isEqual(this.clientSecret);
    return isEqual(this.previous_secret ?? this.clientSecret) || isCurrent;
  };
}

export function toAudience(issuer: string): string {
  return `${issuer}/v1/contentmanagement`;
}
