// People on a device without a browser (RFC 8628): the device shows a code, the person types it in a browser elsewhere.

import type { Cabinet, CallOptions } from './connect.ts';
import type { DeviceAnswer, TokenAnswer } from './description.ts';
import { CabinetError } from './errors.ts';
import { pause } from './retry.ts';
import { postForm, requestToken } from './tokens.ts';

export interface DeviceSignIn {
  /** What the person types, such as `WDJB-MJHT`. */
  code: string;
  /** Where the person types it. */
  url: string;
  expiresAt: Date;
  /** A secret: `finishDeviceSignIn` exchanges it for tokens. */
  deviceCode: string;
  intervalSeconds: number;
}

const grantType = 'urn:ietf:params:oauth:grant-type:device_code';
const slowDownSeconds = 5;

/** Begins a sign-in: show `url` and `code` to the person. */
export async function beginDeviceSignIn(
  cabinet: Cabinet,
  { scope = 'openid content.read content.write' }: { scope?: string | undefined } = {},
): Promise<DeviceSignIn> {
  const response = await postForm(cabinet, '/oauth2/device', { form: { client_id: cabinet.appKey, scope } });
  const answer = (await response.json()) as DeviceAnswer;
  return {
    code: answer.user_code,
    url: answer.verification_uri,
    expiresAt: new Date(Date.now() + answer.expires_in * 1000),
    deviceCode: answer.device_code,
    intervalSeconds: answer.interval,
  };
}

/** Waits until the person has allowed it. Fails with `TokenRefused` if they refuse, or when the code has expired. */
export async function finishDeviceSignIn(
  cabinet: Cabinet,
  { deviceCode, intervalSeconds }: Pick<DeviceSignIn, 'deviceCode' | 'intervalSeconds'>,
  { signal }: CallOptions = {},
): Promise<TokenAnswer> {
  const form = { grant_type: grantType, client_id: cabinet.appKey, device_code: deviceCode };
  for (let seconds = intervalSeconds; ; ) {
    await pause(seconds * 1000, signal);
    try {
      return await requestToken(cabinet, form);
    } catch (error) {
      const waiting = /^(authorization_pending|slow_down):/.exec(error instanceof CabinetError ? error.message : '');
      if (waiting === null) throw error;
      if (waiting[1] === 'slow_down') seconds += slowDownSeconds;
    }
  }
}
