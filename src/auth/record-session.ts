// Records a session when a browser gets a code for an application: its owner sees when and from where it began.

import type { KoaContextWithOIDC } from 'oidc-provider';
import type { Provider } from 'oidc-provider/lib/provider.js';
import type { Arrival } from './arrival.ts';
import { hashId } from './issuer-adapter.ts';
import { signInLifetimeSeconds } from './issuer-configuration.ts';
import type { IssuerOptions } from './issuer-contract.ts';

const maxUserAgentLength = 300;
const browserRoutes = new Set(['authorization', 'resume']);

export function recordSessions(
  provider: Provider,
  arrivalOf: (ctx: KoaContextWithOIDC) => Arrival,
  { catalog, clock }: Pick<IssuerOptions, 'catalog' | 'clock'>,
): void {
  provider.use(async (untyped, next) => {
    await next();
    const ctx = untyped as unknown as KoaContextWithOIDC;
    const code = browserRoutes.has(ctx.oidc?.route ?? '') ? ctx.oidc.entities.AuthorizationCode : undefined;
    if (code?.grantId === undefined || code.accountId === undefined || code.sessionUid === undefined) return;
    const at = clock.now();
    await catalog.putSession({
      grant: hashId(code.grantId),
      session: hashId(code.sessionUid),
      user: code.accountId,
      appKey: code.clientId ?? '',
      at,
      address: arrivalOf(ctx).address,
      userAgent: ctx.get('user-agent').slice(0, maxUserAgentLength),
      expiresAt: at + signInLifetimeSeconds * 1000,
    });
  });
}
