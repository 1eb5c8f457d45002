// What the person who is signed in shows beside the password when signing in. Changes need the password once more.

import type { Cabinet, CallOptions } from './connect.ts';
import type { AddedSecondFactor, PasskeySetup, SecondFactors, TotpSetup } from './description.ts';
import { call } from './request.ts';

export interface PasswordProof {
  /** The current one. */
  password: string;
}

/** The second factors, and how many recovery codes are left. */
export function showSecondFactors(cabinet: Cabinet, options: CallOptions = {}): Promise<SecondFactors> {
  return call(cabinet, 'GET /me/second-factors', options);
}

/** The key for an authenticator app. Nothing changes before `addTotp`. */
export function beginTotp(
  cabinet: Cabinet,
  { password }: PasswordProof,
  options: CallOptions = {},
): Promise<TotpSetup> {
  return call(cabinet, 'POST /me/second-factors/totp/setup', { ...options, json: { Password: password } });
}

/** `code`: what the app shows now. The recovery codes of the first second factor are in the answer, once. */
export function addTotp(
  cabinet: Cabinet,
  { setup, code, name }: { setup: string; code: string; name: string },
  options: CallOptions = {},
): Promise<AddedSecondFactor> {
  return call(cabinet, 'POST /me/second-factors/totp', { ...options, json: { Setup: setup, Code: code, Name: name } });
}

/** The options for `navigator.credentials.create`, in a page of the service's own address. */
export function beginPasskey(
  cabinet: Cabinet,
  { password }: PasswordProof,
  options: CallOptions = {},
): Promise<PasskeySetup> {
  return call(cabinet, 'POST /me/second-factors/passkeys/setup', { ...options, json: { Password: password } });
}

/** `credential`: what the browser made, as JSON. */
export function addPasskey(
  cabinet: Cabinet,
  { setup, credential, name }: { setup: string; credential: { id: string }; name: string },
  options: CallOptions = {},
): Promise<AddedSecondFactor> {
  const json = { Setup: setup, Credential: { ...credential }, Name: name };
  return call(cabinet, 'POST /me/second-factors/passkeys', { ...options, json });
}

/** Ends earlier ones. They are in the answer, once. */
export async function renewRecoveryCodes(
  cabinet: Cabinet,
  { password }: PasswordProof,
  options: CallOptions = {},
): Promise<string[]> {
  const path = 'POST /me/second-factors/recovery-codes';
  return (await call(cabinet, path, { ...options, json: { Password: password } })).RecoveryCodes;
}

export async function removeSecondFactor(
  cabinet: Cabinet,
  id: string,
  { password }: PasswordProof,
  options: CallOptions = {},
): Promise<void> {
  const json = { Password: password };
  await call(cabinet, 'POST /me/second-factors/{id}/remove', { ...options, path: { id }, json });
}
