// The issuer, built on `oidc-provider`. Applications are its clients: the AppKey is the client id. It stores nothing for tokens of
// applications; sign-ins of people are stored in the catalog.

import { hash, timingSafeEqual } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { SessionNotFound } from 'oidc-provider/lib/helpers/errors.js';
import { Provider } from 'oidc-provider/lib/provider.js';
import { toBasePath } from '../domain/public-url.ts';
import type { Arrival } from './arrival.ts';
import { completeDeviceAnswer, guardDeviceCodes, recordDevices, slowDownPolls } from './device-sign-in.ts';
import { idTokenAlgorithms } from './id-token-algorithms.ts';
import { toInteraction, toResult } from './interactions.ts';
import { toConfiguration } from './issuer-configuration.ts';
import type { Issuer, IssuerOptions } from './issuer-contract.ts';
import { narrowScopes } from './narrow-scopes.ts';
import { recordSessions } from './record-session.ts';
import { TokenLimits } from './token-limits.ts';

export function createIssuer(options: IssuerOptions): Issuer {
  const arrivals = new WeakMap<IncomingMessage, Arrival>();
  const arrivalOf = ({ req }: KoaContextWithOIDC) => arrivals.get(req) as Arrival;
  const provider: Provider = new Provider(
    options.issuer,
    toConfiguration({ ...options, arrivalOf, provider: () => provider }),
  );
  provider.proxy = true;
  const { host, protocol } = new URL(options.issuer);
  const basePath = toBasePath(options.issuer);
  // On an encrypted connection Koa would use https, whatever the issuer's own address is.
  Object.defineProperty(provider.request, 'protocol', { get: () => protocol.slice(0, -1) });
  (provider as unknown as EventEmitter).on('error', (error: unknown, ctx?: KoaContextWithOIDC) =>
    options.onError(error, toRequestId(ctx)),
  );
  provider.on('server_error', (ctx, error) => options.onError(error, toRequestId(ctx)));
  acceptHashedSecrets(provider);
  guardTokens(provider, arrivalOf, new TokenLimits(options.environment, options.buckets, options.clock));
  correctErrors(provider);
  listAlgorithms(provider);
  narrowScopes(provider, options);
  recordSessions(provider, arrivalOf, options);
  recordDevices(provider, { ...options, arrivalOf });
  guardDeviceCodes(provider, { ...options, arrivalOf });
  completeDeviceAnswer(provider);
  slowDownPolls(provider, options);
  const handle = provider.callback();
  /** Trusted because `proxy` is on; overwritten here, so that a client can set neither. The provider takes the part in which
   *  `originalUrl` and `url` differ for the path that it is mounted at. */
  const pin = (request: IncomingMessage) => {
    request.headers['x-forwarded-host'] = host;
    request.headers['x-forwarded-proto'] = protocol.slice(0, -1);
    Object.assign(request, { originalUrl: `${basePath}${request.url}` });
  };
  return {
    async handle(request, response, arrival) {
      keepOurHeaders(response);
      // Resuming a sign-in takes no parameters, and the issuer fails on some. The page for codes takes none either: it would send a
      // code that stands in its address.
      if (/^\/(oauth2\/authorize\/|device\b)/.test(request.url ?? '')) request.url = request.url?.split('?')[0];
      pin(request);
      // Applications read JSON; only people's pages are HTML.
      if (request.method === 'POST' && !/^\/(oauth2\/logout|device\b)/.test(request.url ?? '')) {
        request.headers.accept = 'application/json';
      }
      arrivals.set(request, arrival);
      await handle(request, response);
    },
    async findInteraction(request, response) {
      pin(request);
      const interaction = await provider.interactionDetails(request, response).catch(noSession);
      return interaction === null ? null : await toInteraction(interaction, provider, options);
    },
    async finishInteraction(request, response, answer) {
      pin(request);
      return await provider.interactionResult(request, response, toResult(answer));
    },
  };
}

function toRequestId(ctx: KoaContextWithOIDC | undefined): string | null {
  return (ctx?.res.getHeader('requesttrackingid') as string | undefined) ?? null;
}

function keepOurHeaders(response: ServerResponse): void {
  const setHeader = response.setHeader.bind(response);
  const removeHeader = response.removeHeader.bind(response);
  // It would allow every origin; which ones are allowed is our own setting.
  response.setHeader = (name, value) => (/^access-control-/i.test(name) ? response : setHeader(name, value));
  // When it fails, it starts a new response.
  response.removeHeader = (name) => {
    if (name !== 'requesttrackingid') removeHeader(name);
  };
}

function noSession(error: unknown): null {
  if (error instanceof SessionNotFound) return null;
  throw error;
}

/** Secrets are stored as SHA-256: the presented one is hashed before it is compared. */
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

/** Rate-limits the token endpoint, and reports certificate problems on the mutual-TLS address. */
function guardTokens(provider: Provider, arrivalOf: (ctx: KoaContextWithOIDC) => Arrival, limits: TokenLimits): void {
  provider.use(async (untyped, next) => {
    await next();
    const ctx = untyped as unknown as KoaContextWithOIDC;
    if (ctx.oidc?.route !== 'token') return;
    const arrival = arrivalOf(ctx);
    const clientId = readClientId(ctx);
    const isWrong = ctx.status === 401;
    const body = ctx.body as Record<string, unknown>;
    if (isWrong && arrival.isMutualTls) body.error_description = explain(ctx, arrival);
    // Codes and refresh tokens are consumed by then, and the application is not their only user.
    const isOwn = ctx.status === 200 && ctx.oidc.params?.grant_type === 'client_credentials';
    if (!isWrong && !isOwn) return;
    const waitSeconds = isWrong ? limits.wrong(arrival.address, clientId) : limits.given(clientId);
    if (waitSeconds === 0) return;
    ctx.status = 429;
    ctx.set('Retry-After', String(waitSeconds));
    ctx.body = { error: 'temporarily_unavailable', error_description: `too many requests; wait ${waitSeconds} s` };
  });
}

/** The provider lists the algorithms that its keys have. There is an RSA key only where the settings want one, and clients that are
 *  strict about OpenID Connect Discovery refuse an issuer that does not list RS256. */
function listAlgorithms(provider: Provider): void {
  provider.use(async (untyped, next) => {
    await next();
    const ctx = untyped as unknown as KoaContextWithOIDC;
    if (ctx.oidc?.route !== 'discovery') return;
    const metadata = ctx.body as Record<string, unknown>;
    metadata.id_token_signing_alg_values_supported = [...idTokenAlgorithms];
  });
}

/** The provider answers `invalid_request` where RFC 6749, section 5.2, has a code of its own: missing or unreadable client
 *  authentication is `invalid_client`, a grant that the client may not use `unauthorized_client`. */
function correctErrors(provider: Provider): void {
  provider.use(async (ctx, next) => {
    await next();
    const { error_description: description } = (ctx.body ?? {}) as { error_description?: unknown };
    if (ctx.status !== 400) return;
    if (description === grantNotAllowed) ctx.body = { error: 'unauthorized_client', error_description: description };
    if (!unnamed.has(description)) return;
    ctx.status = 401;
    ctx.set('WWW-Authenticate', `Basic realm="${provider.issuer}"`);
    ctx.body = { error: 'invalid_client', error_description: description };
  });
}

const grantNotAllowed = 'requested grant type is not allowed for this client';
const unnamed = new Set<unknown>([
  'no client authentication mechanism provided',
  'invalid authorization header value format',
]);

/** The client that the request names, whether it exists or not: rate limits must not reveal that. In HTTP Basic the name may be
 *  percent-encoded (RFC 6749, 2.3.1), in more than one way. */
function readClientId({ oidc, headers }: KoaContextWithOIDC): string {
  const [, basic] = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(headers.authorization ?? '') ?? [];
  if (basic === undefined) return String(oidc.params?.client_id ?? '');
  const [named = ''] = Buffer.from(basic, 'base64').toString('latin1').split(':');
  return new URLSearchParams(`id=${named}`).get('id') ?? '';
}

function explain({ oidc }: KoaContextWithOIDC, arrival: Arrival): string {
  const shown = arrival.certificate();
  if (shown.problem !== null) return shown.problem;
  const registered = oidc.client?.certificates as string[] | undefined;
  return registered?.includes(shown.thumbprint)
    ? 'client authentication failed'
    : 'The certificate is not one of this application.';
}
