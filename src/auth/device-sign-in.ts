// Sign-ins of devices without a browser (RFC 8628). The device shows a code, and the person types it on a page of the service. Only the
// built-in application of the command line may do this. Wrong codes are limited by address, devices that ask too often are told to slow
// down, and what happens is in the journal.

import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import type { Provider } from 'oidc-provider/lib/provider.js';
import { Buckets, toLimitedAddress } from '../runtime/rate-limits.ts';
import type { Arrival } from './arrival.ts';
import {
  type CodeForm,
  type Device,
  devicePath,
  renderCodePage,
  renderConfirmPage,
  renderDeviceRefusedPage,
  renderDeviceSignedInPage,
  renderTooManyCodesPage,
} from './device-pages.ts';
import { hashId } from './issuer-adapter.ts';
import type { IssuerOptions } from './issuer-contract.ts';
import { type AuthWords, chooseAuthWords } from './page-words.ts';
import { showPage } from './pages.ts';

/** 8 letters of 20 are 2.6 × 10^10 codes, each good for ten minutes: nobody finds one with so few guesses. */
export const deviceCodeLifetimeSeconds = 600;
const wrongCodes = { burst: 10, perSecond: 1 / 60 };
/** Behind a proxy that hides its clients. */
const wrongCodesOfMany = { burst: 200, perSecond: 1 / 3 };
const maxUserAgentLength = 120;
/** How long a device waits between two requests for its token, and how much longer it must wait after each that came too early. */
const pollLimits = { firstIntervalSeconds: 5, stepSeconds: 5, maxIntervalSeconds: 60, toleranceMs: 1000 };

type ArrivalOf = (ctx: KoaContextWithOIDC) => Arrival;
type DeviceFlow = NonNullable<NonNullable<Configuration['features']>['deviceFlow']>;

/** By the name of the error of `oidc-provider`. */
const problems: Record<string, 'wrong' | 'used' | 'missing'> = {
  NotFoundError: 'wrong',
  ExpiredError: 'wrong',
  AlreadyUsedError: 'used',
  NoCodeError: 'missing',
};

export function toDeviceFlow(arrivalOf: ArrivalOf): DeviceFlow {
  return {
    enabled: true,
    charset: 'base-20',
    mask: '****-****',
    deviceInfo: (ctx) => ({
      address: arrivalOf(ctx).address,
      userAgent: ctx.get('user-agent').slice(0, maxUserAgentLength),
    }),
    userCodeInputSource: async (ctx, _form, _out, error) => {
      const name = error?.name ?? '';
      ctx.state.deviceProblem = name;
      const words = toWords(ctx);
      if (name === 'AbortedError') return showPage(ctx, renderDeviceRefusedPage(words));
      const problem = error === undefined ? null : words.device[problems[name] ?? 'stale'];
      showPage(ctx, renderCodePage(toCodeForm(ctx), problem, words));
    },
    userCodeConfirmSource: async (ctx, _form, client, deviceInfo, code) => {
      const applicationName = client.clientName ?? client.clientId;
      const page = { ...toCodeForm(ctx), applicationName, code, device: toDevice(deviceInfo) };
      showPage(ctx, renderConfirmPage(page, toWords(ctx)));
    },
    successSource: async (ctx) =>
      showPage(ctx, renderDeviceSignedInPage(ctx.oidc.client?.clientName ?? '', toWords(ctx))),
  };
}

/** In the language that the browser prefers. */
function toWords(ctx: KoaContextWithOIDC): AuthWords {
  return chooseAuthWords(ctx.get('accept-language'));
}

function toCodeForm(ctx: KoaContextWithOIDC): CodeForm {
  const { session } = ctx.oidc;
  const state = (session?.state ?? {}) as { secret?: string; isDevice?: boolean };
  // Sessions without a person live in the memory of one node, unless they belong to a form that any node may get.
  state.isDevice = true;
  return { action: ctx.oidc.urlFor('code_verification'), xsrf: state.secret ?? '' };
}

export function toDevice(info: unknown): Device {
  const { address = '', userAgent = '' } = (info ?? {}) as Partial<Device>;
  return { address, userAgent };
}

interface DeviceOptions extends Pick<IssuerOptions, 'environment' | 'issuer' | 'buckets' | 'catalog' | 'clock'> {
  arrivalOf: ArrivalOf;
}

/** Limits wrong codes. They are counted before they are looked at, so that many at once are limited like one after the other. */
export function guardDeviceCodes(provider: Provider, { arrivalOf, ...options }: DeviceOptions): void {
  const { environment, buckets, clock } = options;
  const own = new Buckets({ name: `${environment} device codes`, ...wrongCodes }, buckets, clock);
  const common = new Buckets(
    { name: `${environment} device codes behind a proxy`, ...wrongCodesOfMany },
    buckets,
    clock,
  );
  provider.use(async (untyped, next) => {
    const ctx = untyped as unknown as KoaContextWithOIDC;
    const isForm = ctx.path === devicePath && ctx.method === 'POST';
    const isNew = ctx.cookies.get(provider.cookieName('session')) === undefined;
    // The provider fails on forms of a browser that it has never seen.
    if (isNew && (isForm || ctx.path.startsWith(`${devicePath}/`))) {
      ctx.status = 303;
      ctx.redirect(`${options.issuer}${devicePath}`);
      ctx.body = '';
      return;
    }
    if (!isForm) return await next();
    const { address, isShared } = arrivalOf(ctx);
    const limits = isShared ? common : own;
    const key = toLimitedAddress(address);
    const waitSeconds = limits.waitSeconds(key);
    if (waitSeconds > 0) {
      ctx.status = 429;
      ctx.set('Retry-After', String(waitSeconds));
      showPage(ctx, renderTooManyCodesPage(waitSeconds, toWords(ctx)));
      return;
    }
    limits.take(key);
    await next();
    if (!isWrong(ctx)) limits.giveBack(key);
  });
}

function isWrong({ state }: KoaContextWithOIDC): boolean {
  return ['NotFoundError', 'ExpiredError', 'AlreadyUsedError'].includes(state.deviceProblem as string);
}

/** The audit log says who allowed which device, who refused one, and where codes were guessed. */
export function recordDevices(provider: Provider, { arrivalOf, catalog, clock }: DeviceOptions): void {
  provider.use(async (untyped, next) => {
    await next();
    const ctx = untyped as unknown as KoaContextWithOIDC;
    if (!/^(code_verification|device_resume)$/.test(ctx.oidc?.route ?? '')) return;
    const { DeviceCode: code, Interaction: interaction } = ctx.oidc.entities;
    const isRefused = ctx.state.deviceProblem === 'AbortedError';
    const isAllowed = code?.accountId !== undefined && ctx.status === 200 && ctx.state.deviceProblem === undefined;
    if (!isRefused && !isAllowed && !isWrong(ctx)) return;
    const user = isWrong(ctx) ? undefined : (code?.accountId ?? ctx.oidc.session?.accountId);
    const outcome = isAllowed ? 'allowed' : isRefused ? 'denied' : 'failed';
    const clientId = code?.clientId ?? (interaction?.params as { client_id?: string } | undefined)?.client_id ?? null;
    await catalog.noteDevice({
      user: user ?? null,
      outcome,
      address: arrivalOf(ctx).address,
      application: clientId,
      device: code === undefined ? null : toDevice(code.deviceInfo),
      at: clock.now(),
      by: user ?? 'nobody',
      request: (ctx.res.getHeader('requesttrackingid') as string | undefined) ?? '',
    });
  });
}

/** The answer has no `verification_uri_complete`: whoever clicks on such a link has not seen the device. */
export function completeDeviceAnswer(provider: Provider): void {
  provider.use(async (untyped, next) => {
    await next();
    const ctx = untyped as unknown as KoaContextWithOIDC;
    if (ctx.oidc?.route !== 'device_authorization' || ctx.status !== 200) return;
    const { verification_uri_complete: _, ...answer } = ctx.body as Record<string, unknown>;
    ctx.body = { ...answer, interval: pollLimits.firstIntervalSeconds };
  });
}

/** RFC 8628, section 3.5. In the catalog, because a device may ask another node each time. Only while the code waits for a person: whoever
 *  comes early after that may have its tokens. */
export function slowDownPolls(provider: Provider, { catalog, clock }: Pick<DeviceOptions, 'catalog' | 'clock'>): void {
  provider.use(async (untyped, next) => {
    await next();
    const ctx = untyped as unknown as KoaContextWithOIDC;
    const { error } = (ctx.body ?? {}) as { error?: unknown };
    if (ctx.oidc?.route !== 'token' || error !== 'authorization_pending') return;
    const at = clock.now();
    const { isTooEarly, intervalSeconds } = await catalog.notePoll({
      id: hashId(String(ctx.oidc.params?.device_code)),
      at,
      expiresAt: at + deviceCodeLifetimeSeconds * 1000,
      ...pollLimits,
    });
    if (!isTooEarly) return;
    const description = `too many requests; wait ${intervalSeconds} s between two of them from now on`;
    ctx.body = { error: 'slow_down', error_description: description, interval: intervalSeconds };
  });
}
