// Passkeys (WebAuthn) as second factors: the browser signs a challenge with a key that never leaves the authenticator. The library
// is loaded with the first passkey.

import { hash } from 'node:crypto';
import { isIP } from 'node:net';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { SecondFactor } from '../catalog/verbs/second-factors.ts';
import type { Caller } from '../domain/caller.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Cabinet } from './cabinet.ts';
import { admitSelf } from './me.ts';
import { byCaller } from './origin.ts';
import {
  type AddedSecondFactor,
  newFactorId,
  type Proof,
  provePassword,
  putSecondFactor,
  setupMs,
  setupOver,
  toPurpose,
} from './second-factors.ts';
import { guardStep, type OnEvent, type StepRequest, type StepResult } from './sign-in-steps.ts';
import { closeTicket, openTicket } from './tickets.ts';

const load = () => import('@simplewebauthn/server');

/** The password says who it is; the key alone has to be there. */
const userVerification = 'discouraged';

/** EdDSA, ES256 and RS256 (COSE): what authenticators have. */
const supportedAlgorithmIDs = [-8, -7, -257];

/** Passkeys belong to the name of a host; an address of numbers has none. */
function toHost(publicUrl: string): string | null {
  const { hostname } = new URL(publicUrl);
  return isIP(hostname.replaceAll(/[[\]]/g, '')) === 0 ? hostname : null;
}

export interface NewPasskey {
  /** For `navigator.credentials.create`, as JSON. */
  options: object;
  /** To be sent back with the credential. */
  setup: string;
}

export async function beginPasskey(
  cabinet: Cabinet,
  caller: Caller,
  { publicUrl, ...proof }: Proof & { publicUrl: string },
): Promise<NewPasskey> {
  const user = await provePassword(cabinet, caller, proof);
  const host = toHost(publicUrl);
  if (host === null) {
    throw new Refusal('Forbidden', 'Passkeys need an address with a name, such as https://files.example.com.');
  }
  const { generateRegistrationOptions } = await load();
  const { factors } = await cabinet.catalog.findSecondFactors({ user });
  const options = await generateRegistrationOptions({
    rpName: 'Cabinet',
    rpID: host,
    userName: user,
    userID: new Uint8Array(hash('sha256', user, 'buffer')),
    attestationType: 'none',
    excludeCredentials: factors.flatMap(toDescriptor),
    supportedAlgorithmIDs,
    authenticatorSelection: { residentKey: 'discouraged', userVerification },
  });
  const setup = closeTicket(cabinet, toPurpose('passkey', user), { challenge: options.challenge }, setupMs);
  return { options, setup };
}

function toDescriptor({ credential, transports }: SecondFactor) {
  if (credential === null) return [];
  return [{ id: credential, transports: toTransports(transports) }];
}

function toTransports(stored: string | null): string[] {
  return stored === null || stored === '' ? [] : stored.split(' ');
}

interface SentPasskey {
  setup: string;
  /** What `navigator.credentials.create` gave, as JSON. */
  credential: object;
  name: string;
  publicUrl: string;
}

export async function addPasskey(
  cabinet: Cabinet,
  caller: Caller,
  { setup, credential, name, publicUrl }: SentPasskey,
): Promise<AddedSecondFactor> {
  const user = admitSelf(caller);
  const ticket = openTicket<{ challenge: string }>(cabinet, toPurpose('passkey', user), setup);
  if (ticket === null) throw setupOver();
  const info = await verifyNew(credential, ticket.challenge, publicUrl);
  if (info === null) {
    throw new Refusal('SecondFactorInvalid', 'This passkey was not accepted. Begin again.', { target: 'Credential' });
  }
  const { id, publicKey, counter, transports = [] } = info.credential;
  const passkey = {
    kind: 'passkey',
    secret: null,
    credential: id,
    publicKey: Buffer.from(publicKey).toString('base64url'),
    transports: transports.filter((one) => /^[a-z-]{1,20}$/.test(one)).join(' '),
  } as const;
  const factor = { id: newFactorId(), user, name, counter, isFirstOnly: false, ...passkey };
  return await putSecondFactor(cabinet, factor, byCaller(cabinet, caller));
}

async function verifyNew(credential: object, expectedChallenge: string, publicUrl: string) {
  const { verifyRegistrationResponse } = await load();
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: credential as RegistrationResponseJSON,
      expectedChallenge,
      expectedOrigin: new URL(publicUrl).origin,
      expectedRPID: toHost(publicUrl) ?? '',
      requireUserVerification: false,
      supportedAlgorithmIDs,
    });
    return verified ? registrationInfo : null;
  } catch {
    return null;
  }
}

export interface PasskeyQuestion {
  /** For `navigator.credentials.get`, as JSON. */
  options: object;
  challenge: string;
}

/** Null: the person has none. */
export async function askForPasskey(
  { catalog }: Cabinet,
  user: string,
  publicUrl: string,
): Promise<PasskeyQuestion | null> {
  const { factors } = await catalog.findSecondFactors({ user });
  const allowCredentials = factors.flatMap(toDescriptor);
  const rpID = toHost(publicUrl);
  if (allowCredentials.length === 0 || rpID === null) return null;
  const { generateAuthenticationOptions } = await load();
  const options = await generateAuthenticationOptions({ rpID, allowCredentials, userVerification });
  return { options, challenge: options.challenge };
}

interface PasskeyAnswer extends StepRequest {
  challenge: string;
  /** What `navigator.credentials.get` gave, as JSON text. */
  credential: string;
  publicUrl: string;
}

/** At sign-in, after the password. */
export function checkPasskey(
  cabinet: Cabinet,
  { challenge, credential, publicUrl, ...request }: PasskeyAnswer,
  onEvent: OnEvent,
): Promise<StepResult> {
  return guardStep(cabinet, request, onEvent, async () => {
    const { user } = request;
    const response = parse(credential);
    const { factors } = await cabinet.catalog.findSecondFactors({ user });
    const found = factors.find((factor) => factor.credential !== null && factor.credential === response?.id);
    if (response === null || found === undefined) return false;
    const counter = await verifyAnswer(found, response, { challenge, publicUrl });
    if (counter === null) return false;
    return await cabinet.catalog.useSecondFactor({ user, id: found.id, counter, at: cabinet.clock.now() });
  });
}

function parse(credential: string): AuthenticationResponseJSON | null {
  try {
    const parsed = JSON.parse(credential) as unknown;
    return typeof parsed === 'object' ? (parsed as AuthenticationResponseJSON | null) : null;
  } catch {
    return null;
  }
}

/** The signature counter. Null: it is not signed by this key, or for another challenge or page. */
async function verifyAnswer(
  { credential, publicKey, counter, transports }: SecondFactor,
  response: AuthenticationResponseJSON,
  { challenge, publicUrl }: { challenge: string; publicUrl: string },
): Promise<number | null> {
  const { verifyAuthenticationResponse } = await load();
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: new URL(publicUrl).origin,
      expectedRPID: toHost(publicUrl) ?? '',
      credential: {
        id: credential ?? '',
        publicKey: new Uint8Array(Buffer.from(publicKey ?? '', 'base64url')),
        counter,
        transports: toTransports(transports),
      },
      requireUserVerification: false,
    });
    return verified ? authenticationInfo.newCounter : null;
  } catch {
    return null;
  }
}
