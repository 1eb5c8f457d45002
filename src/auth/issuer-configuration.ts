// The configuration of `oidc-provider`: grants, lifetimes and the claims of tokens.

import type { IncomingMessage } from 'node:http';
import type { Configuration, Grant, JWKS, KoaContextWithOIDC } from 'oidc-provider';
import { InvalidScope, InvalidTarget, UnauthorizedClient } from 'oidc-provider/lib/helpers/errors.js';
import type { Provider } from 'oidc-provider/lib/provider.js';
import type { Catalog } from '../catalog/catalog.ts';
import { isScope, scopes } from '../domain/caller.ts';
import { toBasePath } from '../domain/public-url.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Arrival } from './arrival.ts';
import { devicePath } from './device-pages.ts';
import { deviceCodeLifetimeSeconds, toDeviceFlow } from './device-sign-in.ts';
import { idTokenAlgorithms } from './id-token-algorithms.ts';
import { type PromptName, promptValues, toPolicy, toPromptPath } from './interaction-policy.ts';
import { hashId, toAdapter } from './issuer-adapter.ts';
import type { IssuerOptions } from './issuer-contract.ts';
import { signingAlgorithm } from './keys.ts';
import { type AuthWords, chooseAuthWords } from './page-words.ts';
import { renderErrorPage, renderSignedOutPage, renderSignOutPage, showPage } from './pages.ts';
import { tokenLifetimeSeconds } from './tokens.ts';

/** A sign-in lasts this long at most, however often its tokens are refreshed. */
export const signInLifetimeSeconds = 14 * 24 * 3600;
const interactionLifetimeSeconds = 3600;
const codeLifetimeSeconds = 60;
const signInScopes = ['openid', 'profile', 'offline_access'];
const knownScopes = [...signInScopes, ...scopes];

function toLifetimes(clock: Clock): Configuration['ttl'] {
  return {
    AccessToken: tokenLifetimeSeconds,
    AuthorizationCode: codeLifetimeSeconds,
    ClientCredentials: tokenLifetimeSeconds,
    DeviceCode: deviceCodeLifetimeSeconds,
    Grant: (_ctx, grant) => leftOf(grant.iat, clock),
    IdToken: tokenLifetimeSeconds,
    Interaction: interactionLifetimeSeconds,
    RefreshToken: signInLifetimeSeconds,
    Session: (_ctx, { loginTs }) => (loginTs === undefined ? interactionLifetimeSeconds : leftOf(loginTs, clock)),
  };
}

type ArrivalOf = (ctx: KoaContextWithOIDC) => Arrival;
type Features = NonNullable<Configuration['features']>;

interface ConfigurationOptions extends IssuerOptions {
  arrivalOf: ArrivalOf;
  provider(): Provider;
}

export function toConfiguration(options: ConfigurationOptions): Configuration {
  const { keys, catalog, sessions, clock } = options;
  const basePath = toBasePath(options.issuer);
  return {
    adapter: (model: string) => toAdapter(model, catalog, { sessions, clock, secret: keys.cookies[0] ?? '' }),
    jwks: { keys: keys.signing.map(({ retired: _, ...key }) => key) as JWKS['keys'] },
    // Cookies are shared by all ports of a host, so each environment has its own names.
    cookies: {
      keys: keys.cookies,
      names: toCookieNames(options.environment, options.issuer),
      long: { httpOnly: true, sameSite: 'lax', path: `${basePath}/` },
    },
    // Our setting decides which origins may call (`CABINET_CORS_ORIGINS`); the issuer's own CORS headers are dropped.
    clientBasedCORS: () => true,
    routes: {
      authorization: '/oauth2/authorize',
      code_verification: devicePath,
      device_authorization: '/oauth2/device',
      token: '/oauth2/token',
      jwks: '/oauth2/jwks',
      revocation: '/oauth2/revoke',
      end_session: '/oauth2/logout',
    },
    scopes: knownScopes,
    claims: { openid: ['sub', 'amr'], profile: ['name', 'preferred_username'] },
    conformIdTokenClaims: false,
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'tls_client_auth', 'none'],
    enabledJWA: { idTokenSigningAlgValues: [...idTokenAlgorithms] },
    clientDefaults: { id_token_signed_response_alg: options.idTokenAlgorithm },
    extraClientMetadata: { properties: ['previous_secret', 'certificates', 'token_epoch', 'asks_consent'] },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    ttl: toLifetimes(options.clock),
    interactions: {
      policy: toPolicy(options),
      url: (_ctx, { uid, prompt }) => `${basePath}${toPromptPath(prompt.name as PromptName, uid)}`,
    },
    loadExistingGrant: (ctx) => grantEverythingRegistered(ctx, options),
    findAccount: (_ctx, id) => findAccount(options, id),
    // Lets us refuse a person's token once the sign-in has ended, and all tokens of an application once they are revoked.
    extraTokenClaims: (_ctx, token) => {
      const epoch = Number(token.client?.token_epoch ?? 0);
      if (token.kind !== 'AccessToken' || token.grantId === undefined) return { epoch };
      return { epoch, grant: hashId(token.grantId), session: hashId(String(token.sessionUid)) };
    },
    expiresWithSession: async () => true,
    renderError: (ctx, { error, error_description: description }) =>
      showPage(ctx, renderErrorPage(description ?? error, toWords(ctx))),
    features: toFeatures(options),
    discovery: {
      prompt_values_supported: promptValues,
      ...(options.mutualTlsUrl !== null && {
        mtls_endpoint_aliases: {
          token_endpoint: `${options.mutualTlsUrl}/oauth2/token`,
          revocation_endpoint: `${options.mutualTlsUrl}/oauth2/revoke`,
        },
      }),
    },
  };
}

function leftOf(since: number | undefined, clock: Clock): number {
  if (since === undefined) return signInLifetimeSeconds;
  return Math.max(1, since + signInLifetimeSeconds - Math.floor(clock.now() / 1000));
}

/** With https, browsers take a cookie with these prefixes only as `Secure`, and one with `__Host-` only from this very host and for all
 *  of its paths: no other host of the domain can set or shadow it. The issuer's short cookies have paths of their own. */
function toCookieNames(environment: string, issuer: string) {
  const isSecure = issuer.startsWith('https:');
  const prefix = isSecure ? '__Secure-' : '';
  const hostPrefix = isSecure && toBasePath(issuer) === '' ? '__Host-' : prefix;
  const named = (name: string) => `cabinet_${environment}_${name}`;
  return {
    interaction: `${prefix}${named('interaction')}`,
    resume: `${prefix}${named('resume')}`,
    session: `${hostPrefix}${named('session')}`,
  };
}

async function grantEverythingRegistered(
  { oidc }: KoaContextWithOIDC,
  { audience, mcpResources, provider, catalog }: ConfigurationOptions,
): Promise<Grant | undefined> {
  const { client, session } = oidc;
  if (client === undefined || session?.accountId === undefined) return undefined;
  const { Grant } = provider();
  const known = session.grantIdFor(client.clientId);
  const found = known === undefined ? undefined : await Grant.find(known);
  if (known !== undefined && found === undefined && oidc.result?.login === undefined) {
    // The person ended this session with the application: only signing in again starts another one.
    if (!(await catalog.hasSession({ grant: hashId(known) }))) return undefined;
  }
  const grant = found ?? new Grant({ clientId: client.clientId, accountId: session.accountId });
  // As old as the sign-in, so that it is useless after a sign-out.
  grant.iat = session.loginTs ?? 0;
  // What a person allowed is checked before a code is given; a grant never has more than that.
  const allowed = client.asks_consent === true ? await findAllowed(catalog, grant) : (client.scope ?? '').split(' ');
  const signIn = signInScopes.filter((scope) => allowed.includes(scope));
  if (signIn.length > 0) grant.addOIDCScope(signIn.join(' '));
  const content = contentScopes(allowed.join(' '));
  for (const resource of [audience, ...mcpResources]) grant.addResourceScope(resource, content);
  await grant.save();
  return grant;
}

function findAllowed(catalog: Catalog, { accountId, clientId }: Grant): Promise<string[]> {
  return catalog.findConsent({ user: String(accountId), appKey: String(clientId) });
}

async function findAccount({ catalog }: ConfigurationOptions, id: string) {
  const user = await catalog.findUser({ id });
  if (user === null || user.state !== 'active') return undefined;
  return { accountId: id, claims: async () => ({ sub: id, name: user.name, preferred_username: id }) };
}

function contentScopes(registered: string | undefined): string {
  return (registered ?? '').split(' ').filter(isScope).join(' ');
}

function toFeatures({ arrivalOf, ...options }: ConfigurationOptions): Configuration['features'] {
  return {
    clientCredentials: { enabled: true },
    deviceFlow: toDeviceFlow(arrivalOf),
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    mTLS: toMutualTls(arrivalOf),
    pushedAuthorizationRequests: { enabled: false },
    resourceIndicators: toResources(options, arrivalOf),
    revocation: { enabled: true },
    rpInitiatedLogout: {
      enabled: true,
      logoutSource: (ctx, form) =>
        showPage(ctx, renderSignOutPage(form, toWords(ctx)), ctx.oidc.params?.post_logout_redirect_uri),
      postLogoutSuccessSource: (ctx) => showPage(ctx, renderSignedOutPage(toWords(ctx))),
    },
    userinfo: { enabled: false },
  };
}

function toMutualTls(arrivalOf: ArrivalOf): Features['mTLS'] {
  return {
    enabled: true,
    tlsClientAuth: true,
    certificateBoundAccessTokens: true,
    getCertificate: (ctx) => {
      const arrival = arrivalOf(ctx);
      const shown = arrival.isMutualTls ? arrival.certificate() : null;
      return shown?.problem === null ? shown.leaf : undefined;
    },
    certificateAuthorized: (ctx) => arrivalOf(ctx).certificate().problem === null,
    certificateSubjectMatches: (ctx) => {
      const shown = arrivalOf(ctx).certificate();
      const registered = ctx.oidc.client?.certificates as string[] | undefined;
      return shown.problem === null && (registered ?? []).includes(shown.thumbprint);
    },
  };
}

type Audiences = Pick<IssuerOptions, 'audience' | 'mcpAudience' | 'mcpResources'>;

function toResources(
  { audience, mcpAudience, mcpResources }: Audiences,
  arrivalOf: ArrivalOf,
): Features['resourceIndicators'] {
  return {
    enabled: true,
    useGrantedResource: async () => true,
    defaultResource: async () => audience,
    // Called whether the request names the resource or not.
    getResourceServerInfo: async (ctx, resource, client) => {
      const isForMcp = mcpResources.includes(resource);
      if (resource !== audience && !isForMcp) throw new InvalidTarget();
      checkAddress(arrivalOf(ctx), client.clientAuthMethod === 'tls_client_auth');
      // "A request without `scope` gets all scopes of its application."
      const parameters = ctx.oidc.params;
      if (parameters?.grant_type === 'client_credentials') {
        parameters.scope ??= contentScopes(client.scope);
        checkScopes(parameters.scope);
      }
      return {
        audience: isForMcp ? mcpAudience : audience,
        scope: contentScopes(client.scope),
        accessTokenTTL: tokenLifetimeSeconds,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: signingAlgorithm } },
      };
    },
  };
}

/** Refuses unknown scopes, which the provider would drop silently. */
function checkScopes(scope: unknown): void {
  const unknown = String(scope)
    .split(' ')
    .find((name) => name !== '' && !knownScopes.includes(name));
  if (unknown !== undefined) throw new InvalidScope('there is no such scope', unknown);
}

/** "Server-based applications get tokens on the mutual-TLS address only", and no other application gets one there. */
function checkAddress({ isMutualTls }: Arrival, isServer: boolean): void {
  if (isMutualTls !== isServer) throw new UnauthorizedClient('this kind of application uses another address');
}

/** The language that the browser prefers. */
function toWords({ req }: { req: IncomingMessage }): AuthWords {
  return chooseAuthWords(req.headers['accept-language']);
}
