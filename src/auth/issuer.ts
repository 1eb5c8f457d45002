// The embedded token issuer: OAuth 2.0 and OpenID Connect under /oauth2 with its discovery
// documents and keys. `issuer-provider.ts` does the work; it is loaded with the first request that needs it, because
// `oidc-provider` takes longer to load than everything else that a start needs.

import { devicePath } from './device-pages.ts';
import type { Issuer, IssuerOptions } from './issuer-contract.ts';

/** The paths that the issuer serves, and on which addresses: people sign in on the plain ones only. */
export const issuerRoutes = [
  { method: 'POST', path: '/oauth2/token', summary: 'Get an access token', isForPeople: false },
  { method: 'POST', path: '/oauth2/revoke', summary: 'Revoke a refresh token', isForPeople: false },
  { method: 'GET', path: '/oauth2/jwks', summary: 'Keys that sign access tokens', isForPeople: false },
  { method: 'GET', path: '/.well-known/oauth-authorization-server', summary: 'Issuer metadata', isForPeople: false },
  { method: 'GET', path: '/.well-known/openid-configuration', summary: 'OpenID metadata', isForPeople: false },
  { method: 'GET', path: '/oauth2/authorize', summary: 'Ask a person to sign in', isForPeople: true },
  { method: 'GET', path: '/oauth2/authorize/{uid}', summary: 'Go on after signing in', isForPeople: true },
  {
    method: 'POST',
    path: '/oauth2/device',
    summary: 'Begin a sign-in of a device without a browser',
    isForPeople: true,
  },
  { method: 'GET', path: devicePath, summary: 'Ask a person for the code of a device', isForPeople: true },
  { method: 'POST', path: devicePath, summary: 'Send the code of a device', isForPeople: true },
  { method: 'GET', path: '/device/{uid}', summary: 'Go on with a device after signing in', isForPeople: true },
  { method: 'GET', path: '/oauth2/logout', summary: 'Ask a person to sign out', isForPeople: true },
  { method: 'POST', path: '/oauth2/logout/confirm', summary: 'Sign out', isForPeople: true },
  { method: 'GET', path: '/oauth2/logout/success', summary: 'Signed out', isForPeople: true },
] as const;

export function openIssuer(options: IssuerOptions): Issuer {
  let loading: Promise<Issuer> | null = null;
  const load = (): Promise<Issuer> => {
    loading ??= import('./issuer-provider.ts')
      .then(({ createIssuer }) => createIssuer(options))
      .catch((error) => {
        loading = null;
        throw error;
      });
    return loading;
  };
  return {
    handle: async (...exchange) => await (await load()).handle(...exchange),
    findInteraction: async (...exchange) => await (await load()).findInteraction(...exchange),
    finishInteraction: async (...exchange) => await (await load()).finishInteraction(...exchange),
  };
}

/** The audience of tokens for the MCP endpoint, which is also the resource that clients ask for (RFC 8707). */
export function toMcpAudience(issuer: string): string {
  return `${issuer}/mcp`;
}

export function toAudience(issuer: string): string {
  return `${issuer}/v1/contentmanagement`;
}
