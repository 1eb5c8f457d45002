// Records a session when a browser gets a code for an application, or a device is allowed: its owner sees when and from where it
// began.

import type { KoaContextWithOIDC } from 'oidc-provider';
import type { Provider } from 'oidc-provider/lib/provider.js';
import type { Arrival } from './arrival.ts';
import { toDevice } from './device-sign-in.ts';
import { hashId } from './issuer-adapter.ts';
import { signInLifetimeSeconds } from './issuer-configuration.ts';
import type { IssuerOptions } from './issuer-contract.ts';

const maxUserAgentLength = 300;
const browserRoutes = new Set(['authorization', 'resume']);
const deviceRoutes = new Set(['code_verification', 'device_resume']);

export function recordSessions(
  provider: Provider,
  arrivalOf: (ctx: KoaContextWithOIDC) => Arrival,
  { catalog, clock }: Pick<IssuerOptions, 'catalog' | 'clock'>,
): void {
  provider.use(async (untyped, next) => {
    await next();
    const ctx = untyped as unknown as KoaContextWithOIDC;
    const code = findCode(ctx);
    if (code?.grantId === undefined || code.accountId === undefined || code.sessionUid === undefined) return;
    const at = clock.now();
    const { address, userAgent } =
      code.kind === 'DeviceCode'
        ? toDevice(code.deviceInfo)
        : { address: arrivalOf(ctx).address, userAgent: ctx.get('user-agent') };
    await catalog.putSession({
      grant: hashId(code.grantId),
      session: hashId(code.sessionUid),
      user: code.accountId,
      appKey: code.clientId ?? '',
      at,
      address,
      userAgent: userAgent.slice(0, maxUserAgentLength),
      expiresAt: at + signInLifetimeSeconds * 1000,
    });
  });
}

function findCode({ oidc }: KoaContextWithOIDC) {
  const route = oidc?.route ?? '';
  if (browserRoutes.has(route)) return oidc.entities.AuthorizationCode;
  return deviceRoutes.has(route) ? oidc.entities.DeviceCode : undefined;
}
