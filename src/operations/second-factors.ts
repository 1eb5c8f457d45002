// The second factors of the caller. Each change needs the password once more. Adding one takes two requests; what has to be
// remembered in between is in a token that only this service can read and write.

import { randomUUIDv7 } from 'node:crypto';
import type { Origin } from '../catalog/sql.ts';
import type { SecondFactor, SecondFactors } from '../catalog/verbs/second-factors.ts';
import type { Caller } from '../domain/caller.ts';
import { authorize } from '../domain/permission.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Cabinet } from './cabinet.ts';
import { encryptSecret } from './encrypted-secrets.ts';
import { checkLabel } from './label.ts';
import { admitSelf, requirePerson } from './me.ts';
import { byCaller } from './origin.ts';
import { checkOwnPassword } from './own-password.ts';
import { makeRecoveryCodes } from './recovery-codes.ts';
import { closeTicket, openTicket } from './tickets.ts';
import { findStep, makeTotpSecret, toOtpAuthUri } from './totp.ts';

export const setupMs = 15 * 60 * 1000;

export interface OwnSecondFactors extends SecondFactors {
  /** Whether everybody here needs one. */
  isRequired: boolean;
}

export async function listSecondFactors(cabinet: Cabinet, caller: Caller): Promise<OwnSecondFactors> {
  authorize(caller, 'read');
  const found = await cabinet.catalog.findSecondFactors({ user: requirePerson(caller) });
  return { ...found, isRequired: cabinet.isSecondFactorRequired };
}

/** The proof that changes need. */
export interface Proof {
  password: string;
  /** Of the client. */
  address: string;
}

export async function provePassword(cabinet: Cabinet, caller: Caller, proof: Proof): Promise<string> {
  const id = admitSelf(caller);
  await checkOwnPassword(cabinet, { id, ...proof, target: 'Password' });
  return id;
}

export interface NewTotp {
  /** Base32, for typing. */
  secret: string;
  /** For authenticator apps. */
  uri: string;
  /** To be sent back with the first code. */
  setup: string;
}

export async function beginTotp(
  cabinet: Cabinet,
  caller: Caller,
  { publicUrl, ...proof }: Proof & { publicUrl: string },
): Promise<NewTotp> {
  const user = await provePassword(cabinet, caller, proof);
  const { secret, uri } = newTotp(user, publicUrl);
  const setup = closeTicket(cabinet, toPurpose('totp', user), { secret }, setupMs);
  return { secret, uri, setup };
}

export function newTotp(user: string, publicUrl: string): Pick<NewTotp, 'secret' | 'uri'> {
  const secret = makeTotpSecret();
  return { secret, uri: toTotpUri(secret, user, publicUrl) };
}

export function toTotpUri(secret: string, user: string, publicUrl: string): string {
  return toOtpAuthUri(secret, { issuer: `Cabinet ${new URL(publicUrl).host}`, user });
}

export function toPurpose(kind: SecondFactor['kind'], user: string): string {
  return `set up ${kind} ${user}`;
}

export interface AddedSecondFactor {
  factor: SecondFactor;
  /** Of the first one: shown once. Empty: there were codes before. */
  recoveryCodes: string[];
}

export async function addTotp(
  cabinet: Cabinet,
  caller: Caller,
  { setup, code, name }: { setup: string; code: string; name: string },
): Promise<AddedSecondFactor> {
  const user = admitSelf(caller);
  const ticket = openTicket<{ secret: string }>(cabinet, toPurpose('totp', user), setup);
  if (ticket === null) throw setupOver();
  return await putTotp(cabinet, { user, secret: ticket.secret, code, name }, byCaller(cabinet, caller));
}

export function setupOver(): Refusal {
  return new Refusal('InvalidField', 'This setup has expired. Start again.', { target: 'Setup' });
}

interface ConfirmedTotp {
  user: string;
  secret: string;
  code: string;
  name: string;
  /** At sign-in: not beside another one. */
  isFirstOnly?: boolean;
}

/** The first code shows that the app has the secret; it cannot be used again. */
export async function putTotp(
  cabinet: Cabinet,
  { user, secret, code, name, isFirstOnly = false }: ConfirmedTotp,
  origin: Origin,
): Promise<AddedSecondFactor> {
  const step = findStep(secret, toPlainCode(code), cabinet.clock.now());
  if (step === null) {
    throw new Refusal('SecondFactorInvalid', 'The code is wrong. Check that the clock of the phone is right.', {
      target: 'Code',
    });
  }
  const id = newFactorId();
  const encrypted = encryptSecret(cabinet.secondFactorKey, id, secret);
  const passkey = { credential: null, publicKey: null, transports: null };
  const factor = { id, user, kind: 'totp', name, secret: encrypted, counter: step, isFirstOnly, ...passkey } as const;
  return await putSecondFactor(cabinet, factor, origin);
}

/** In the order of time, so that ids sort by it. */
export function newFactorId(): string {
  return randomUUIDv7().replaceAll('-', '');
}

/** Apps show codes in groups. */
export function toPlainCode(code: string): string {
  return code.replaceAll(/\s/g, '');
}

type NewSecondFactor = Omit<SecondFactor, 'createdAt' | 'usedAt'> & { user: string; isFirstOnly: boolean };

export async function putSecondFactor(
  cabinet: Cabinet,
  { name, ...more }: NewSecondFactor,
  origin: Origin,
): Promise<AddedSecondFactor> {
  const { codes, hashes } = makeRecoveryCodes(cabinet);
  const added = { ...more, name: checkLabel(name, 'a second factor') };
  const isFirst = await cabinet.catalog.addSecondFactor({ ...added, recoveryHashes: hashes, ...origin });
  return { factor: { ...added, createdAt: origin.at, usedAt: null }, recoveryCodes: isFirst ? codes : [] };
}

export async function removeSecondFactor(
  cabinet: Cabinet,
  caller: Caller,
  { id, ...proof }: Proof & { id: string },
): Promise<void> {
  const user = await provePassword(cabinet, caller, proof);
  await cabinet.catalog.removeSecondFactor({ id, user, ...byCaller(cabinet, caller) });
}

/** Earlier codes end. */
export async function renewRecoveryCodes(cabinet: Cabinet, caller: Caller, proof: Proof): Promise<string[]> {
  const user = await provePassword(cabinet, caller, proof);
  const { codes, hashes } = makeRecoveryCodes(cabinet);
  await cabinet.catalog.setRecoveryCodes({ user, hashes, ...byCaller(cabinet, caller) });
  return codes;
}
